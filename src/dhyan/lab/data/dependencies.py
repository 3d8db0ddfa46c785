"""Do heads follow grammar? Who belongs to whom in the experiments' sentences, by hand; and which heads find it."""

import random
from collections.abc import Sequence

from dhyan.core.progress import Progress
from dhyan.explain.explanation import Explanation
from dhyan.lab.data.parallel_sentences import PAIRS
from dhyan.lab.framework.experiment import Numbers
from dhyan.lab.framework.inputs import open_translator

# "1>2": the first word belongs to the second. Words are what spaces part. Under `noun`: articles, numbers, adjectives
# and possessives before their noun; `subject` and `object`: nouns and pronouns of their verb (the one with the
# meaning, not its helpers; is and are where there is no other).
GRAMMAR = {
    "I like eating ice-cream.": "subject 1>2, object 4>3",
    "We are friends.": "subject 1>2",
    "How are you?": "subject 3>2",
    "I am fine.": "subject 1>2",
    "This is my book.": "subject 1>2, noun 3>4",
    "The children are playing in the park.": "noun 1>2, subject 2>4, noun 6>7",
    "She is reading an old newspaper.": "subject 1>3, noun 4>6, noun 5>6, object 6>3",
    "My father works in a bank.": "noun 1>2, subject 2>3, noun 5>6",
    "The train came two hours late.": "noun 1>2, subject 2>3, noun 4>5",
    "He bought a new car yesterday.": "subject 1>2, noun 3>5, noun 4>5, object 5>2",
    "The river flows through the city.": "noun 1>2, subject 2>3, noun 5>6",
    "I do not know his name.": "subject 1>4, noun 5>6, object 6>4",
    "Where is the nearest hospital?": "noun 3>5, noun 4>5, subject 5>2",
    "The teacher gave the students a difficult question.": (
        "noun 1>2, subject 2>3, noun 4>5, object 5>3, noun 6>8, noun 7>8, object 8>3"
    ),
    "It is raining heavily today.": "subject 1>3",
    "Two dogs are sleeping under the table.": "noun 1>2, subject 2>4, noun 6>7",
    "Please close the door.": "noun 3>4, object 4>2",
    "The government opened a new school in our village.": (
        "noun 1>2, subject 2>3, noun 4>6, noun 5>6, object 6>3, noun 8>9"
    ),
    "Milk and rice are cheap here.": "subject 1>4, subject 3>4",
    "The shop opens at nine in the morning.": "noun 1>2, subject 2>3, noun 7>8",
    "My sister is learning to drive a car.": "noun 1>2, subject 2>4, noun 7>8, object 8>6",
    "If it rains tomorrow, we will stay at home.": "subject 2>3, subject 5>7",
    "The doctor told him to drink more water.": "noun 1>2, subject 2>3, object 4>3, noun 7>8, object 8>6",
    "There are many trees around our school.": "noun 3>4, subject 4>2, noun 6>7",
    "How much does this bag cost?": "noun 4>5, subject 5>6",
    "She wrote a long letter to her mother.": "subject 1>2, noun 3>5, noun 4>5, object 5>2, noun 7>8",
    "The farmers are waiting for the rain.": "noun 1>2, subject 2>4, noun 6>7",
    "I have lived in this city for ten years.": "subject 1>3, noun 5>6, noun 8>9",
    "The bus stopped in front of the old temple.": "noun 1>2, subject 2>3, noun 7>9, noun 8>9",
    "Nobody knew where the boy had gone.": "subject 1>2, noun 4>5, subject 5>7",
    "We should eat fresh fruit every day.": "subject 1>3, noun 4>5, object 5>3, noun 6>7",
    "The police caught the thief last night.": "noun 1>2, subject 2>3, noun 4>5, object 5>3, noun 6>7",
    "Can you help me with this work?": "subject 2>3, object 4>3, noun 6>7",
    "The mountain is covered with snow.": "noun 1>2, subject 2>4",
    "He forgot to bring his umbrella.": "subject 1>2, noun 5>6, object 6>4",
    "The meeting will begin after lunch.": "noun 1>2, subject 2>4",
}
ASKED = {  # what is asked of a head: from which end of a relation to which
    "to its noun": ("noun", False),
    "subject to verb": ("subject", False),
    "verb to subject": ("subject", True),
    "object to verb": ("object", False),
    "verb to object": ("object", True),
}
Link = tuple[int, int]  # words, counted from 0: from here, to there


def links(sentence: str, asked: str) -> list[Link]:
    relation, backwards = ASKED[asked]
    found: list[Link] = []
    for entry in GRAMMAR[sentence].split(", "):
        name, pair = entry.split(" ")
        first, second = (int(number) - 1 for number in pair.split(">"))
        if name == relation:
            found.append((second, first) if backwards else (first, second))
    return found


def find_grammar(pack: str, only: str, seed: int, report: Progress) -> Numbers:
    """For each relation, how often the encoder's best head finds the other word; and the best fixed offset.

    Head and offset are chosen on one half of the sentences, which the seed draws, and judged on the other.
    """
    explainer = open_translator(pack)
    sentences = [english for english, _ in PAIRS]
    random.Random(seed).shuffle(sentences)
    traces: list[Explanation] = []
    with report.working(f"grammar in {pack}, seed {seed}", len(sentences)) as progress:
        for done, sentence in enumerate(sentences, start=1):
            traces.append(explainer.explain(sentence, beam=1))
            progress(done)
    layers, heads = explainer.architecture.encoder_layers, explainer.architecture.heads
    names = [f"enc.{layer}.self.h{head}" for layer in range(layers) for head in range(heads)]
    names = [name for name in names if name.startswith(only)]
    if not names:  # only the decoder's heads are asked for
        return {}
    half = len(sentences) // 2
    choose, judge = (
        list(zip(sentences[part], traces[part], strict=True)) for part in (slice(half), slice(half, None))
    )
    found: Numbers = {}
    for asked in ASKED:
        head = max(names, key=lambda name: share_found(choose, asked, name))
        offset = max(range(-3, 4), key=lambda shift: share_at(choose, asked, shift))
        found[asked] = {
            "head": head,
            "found": share_found(judge, asked, head),
            "offset": offset,
            "at_offset": share_at(judge, asked, offset),
            "pairs": sum(len(links(sentence, asked)) for sentence, _ in judge),
        }
    return found


def share_found(some: Sequence[tuple[str, Explanation]], asked: str, head: str) -> float:
    """How often the other word gets more of the head's weight than any third word."""
    hits = [
        looks_most_at(trace, head, here) == there
        for sentence, trace in some
        for here, there in links(sentence, asked)
    ]
    return sum(hits) / max(1, len(hits))


def looks_most_at(trace: Explanation, head: str, word: int) -> int:
    """The other word that gets most of a word's weight: the mean over its pieces, the sum over the other's."""
    weights = trace[f"{head}.weights"]  # (queries, keys)
    words = [token.word for token in trace.source if not token.special]
    mine = [index for index, one in enumerate(words) if one == word]
    given = weights[mine, : len(words)].mean(axis=0)  # (keys without the end mark,)
    received = {other: 0.0 for other in dict.fromkeys(words) if other != word}
    for one, weight in zip(words, given, strict=True):
        if one != word:
            received[one] += float(weight)
    return max(received, key=lambda other: received[other])


def share_at(some: Sequence[tuple[str, Explanation]], asked: str, shift: int) -> float:
    """How often the other word simply stands so many words further on."""
    hits = [there - here == shift for sentence, _ in some for here, there in links(sentence, asked)]
    return sum(hits) / max(1, len(hits))
