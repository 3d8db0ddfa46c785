"""How the reader is addressed and how the speaker's gender shows, changed by rule where a pack has no tag for it.

Only what is safe is changed: a pronoun, and the verb of a clause whose only possible subject it is. Where a sentence
has more in it than the rules can tell apart, it stays as it is and a note says so. The words are data:
`registers/*.toml`.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeVar

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.settings import read_toml
from dhyan.translation.translated import Translation

FOLDER = Path(__file__).parent / "registers"
TABLES = {"Devanagari": "hi.toml"}  # by the target's script
PREFIX = "style: "

KINDS = ("pronouns", "endings", "requests", "polite_endings", "request_endings")

Formality = Literal["auto", "formal", "informal"]
Gender = Literal["feminine", "masculine"]
FORMALITIES: tuple[Formality, ...] = ("auto", "formal", "informal")
GENDERS: tuple[Gender, ...] = ("feminine", "masculine")

Choice = TypeVar("Choice", bound=str)

_AM = ("हूँ", "हूं")
_WORD = re.compile(r"[\u0900-\u0963\u0970-\u097f\u200c\u200d]+")
_CLAUSE_END = re.compile(r"[,;:.!?।॥…()\[\]\"“”«»|—–\n]")


@dataclass(frozen=True, slots=True)
class Rules:
    """One direction of a table: from one register into the other."""

    pronouns: dict[str, str]
    endings: dict[str, str]
    requests: dict[str, str]
    polite_endings: dict[str, str]
    request_endings: dict[str, str]


class Register:
    """The rules of one language, both ways."""

    def __init__(self, path: Path) -> None:
        table = read_toml(path)
        words: dict[str, list[str]] = table["words"]
        self.other_subjects = frozenset(words["other_subjects"])
        self.conjunctions = frozenset(words["conjunctions"])
        self.reflexive = frozenset(words["reflexive"])
        self.verbs = frozenset(words["verbs"])
        self.no_requests = frozenset(words["no_requests"])
        self.source = {name: frozenset(listed) for name, listed in table["source"].items()}
        self.speaker_others = frozenset(table["speaker_words"]["other_subjects"])
        self.speaker_adjectives = frozenset(table["speaker_words"]["adjectives"])
        self.speaker_nouns = frozenset(table["speaker_words"]["nouns"])
        tables = [table[name] for name in KINDS]
        self.to = {"informal": Rules(*tables), "formal": Rules(*map(_turned, tables))}
        for ambiguous in (self.to["formal"].requests, self.to["formal"].polite_endings):
            ambiguous.clear()  # करो has two polite forms; the request's endings give one of them
        self.speaker = {"feminine": table["speaker"], "masculine": _turned(table["speaker"])}
        self.speaker_endings = {
            "feminine": table["speaker_endings"],
            "masculine": _turned(table["speaker_endings"]),
        }

    def in_formality(self, source: str, text: str, formality: str) -> tuple[str, bool]:
        """A translated sentence in another formality, and whether the rules could do all that it needs."""
        rules = self.to[formality]
        you = "आप" if formality == "informal" else "तुम"
        clauses = self._clauses(text)
        result, at, sure = "", 0, True
        has_you = any(you in words for words, _, _ in clauses)
        for words, start, end in clauses:
            clause, clear = self._clause(words, text[start:end], rules, you, has_you, source)
            result += text[at:start] + clause
            at, sure = end, sure and clear
        return (result + text[at:], True) if sure else (text, False)

    def _clause(
        self, words: list[str], clause: str, rules: Rules, you: str, has_you: bool, source: str
    ) -> tuple[str, bool]:
        verbs = [word for word in words if _ending(word, rules.endings)]
        mine = any(word == you and before not in self.reflexive for before, word in pairwise(["", *words]))
        others = self.other_subjects & set(words)
        if mine and (others or len(verbs) > 1):
            return clause, False
        if verbs and has_you and not mine and not others and not any(word in rules.pronouns for word in words):
            return clause, False  # whose verb it is cannot be told
        request = {} if others or self._polite(words[-1], rules) else self._request(words, rules)
        if request and not mine and not self._may_be_request(source):
            return clause, False  # a wish, or a request?
        changed = {word: _with_ending(word, rules.endings) for word in verbs} if mine else {}

        def swap(found: re.Match[str]) -> str:
            word = found[0]
            before = _WORD.findall(clause[: found.start()])[-1:]
            if word in rules.pronouns and not (word == you and before and before[0] in self.reflexive):
                return rules.pronouns[word]
            return self._polite(word, rules) or changed.get(word) or request.get(word) or word

        return _WORD.sub(swap, clause), True

    def _polite(self, word: str, rules: Rules) -> str:
        """The counterpart of a request that is polite by its form alone, whatever the sentence; empty: it is none."""
        if word in rules.requests or word in self.no_requests:
            return rules.requests.get(word, "")
        ending = _ending(word, rules.polite_endings)
        stem = word.removesuffix(ending)
        sure = bool(ending) and (len(ending) > len("िए") + 1 or stem in self.verbs or ending[1:2] == "इ")
        return stem + rules.polite_endings[ending] if sure else ""

    def _request(self, words: list[str], rules: Rules) -> dict[str, str]:
        """The last word of a clause, if it is a known verb in the form of a request."""
        for ending, other in sorted(rules.request_endings.items(), key=lambda pair: -len(pair[0])):
            if words and words[-1].endswith(ending):
                stem = words[-1].removesuffix(ending)
                vowel = {"ा": "ा", "ो": "ो", "ि": "ी", "ु": "ू"}.get(ending[0], "") if len(ending) > 1 else ""
                if stem + vowel in self.verbs or (ending in ("ें", "ो") and stem in ("द", "ल")):
                    return {words[-1]: stem + other}
        return {}

    def _may_be_request(self, source: str) -> bool:
        """Does an English sentence ask its reader to do something? It begins with a verb and names nobody else."""
        words = re.findall(r"[a-z']+", source.lower().replace("’", "'"))
        if not words or self.source["subjects"] & set(words):
            return False
        first, second = [*(word for word in words if word not in self.source["before_requests"]), "", ""][:2]
        return bool(first) and first not in self.source["no_requests"] and (first, second) != ("do", "you")

    def in_gender(self, text: str, gender: str) -> tuple[str, bool]:
        """A translated sentence with the speaker's gender, and whether the rules could tell all that it needs."""
        result, at, sure, spoken = "", 0, True, False
        for words, start, end in self._clauses(text):
            clause = text[start:end]
            changed, clear = self._spoken(words, clause, gender)
            if self._is_spoken(words, gender):
                clause, spoken, sure = changed, True, sure and clear
            elif spoken and changed != clause and not self.speaker_others & set(words):
                sure = False  # whether the speaker goes on cannot be told
            result += text[at:start] + clause
            at = end
        return (result + text[at:], True) if sure else (text, False)

    def _is_spoken(self, words: list[str], gender: str) -> bool:
        """In the first person: by its pronoun, or by its verb alone."""
        future = [ending for ending in self.speaker_endings[gender] if ending not in ("ता", "ती")]
        return "मैं" in words or words[-1] in _AM or words[-1].endswith(tuple(future))

    def _spoken(self, words: list[str], clause: str, gender: str) -> tuple[str, bool]:
        """A clause in the speaker's gender: the last part of its verb, and what was or became of the speaker."""
        whole, endings = self.speaker[gender], self.speaker_endings[gender]
        last = len(words) - 1
        changed: dict[int, str] = {}
        if words[last] in (*_AM, "था", "थी") and last:
            changed[last] = whole.get(words[last], words[last])
            last -= 1
        agreeing = [last]
        before = words[last - 1] if last else ""
        if last > 1 and before in ("हो", "रह"):  # बूढ़ा हो गया, सोता रह गया
            agreeing.append(last - 2)
        elif before in self.speaker_adjectives or (before not in self.verbs and _ending(before, endings)):
            agreeing.append(last - 1)  # सोचता रहूँगा, अकेला रहता हूँ
        # आपका प्रशंसक रहा हूँ: what the speaker is agrees too, and only a reader knows how.
        possessed = last > 1 and words[last - 2].endswith(("का", "की"))
        unknown = possessed and words[last] in ("रहा", "रही") and before not in self.verbs
        for place in agreeing:
            word = words[place]
            if word in self.speaker_nouns:
                continue
            if word in whole or _ending(word, endings):
                changed[place] = whole.get(word) or _with_ending(word, endings)
            elif gender == "feminine" and word.endswith("ा"):
                unknown = True
        places = iter(range(len(words)))

        def swap(found: re.Match[str]) -> str:
            return changed.get(next(places), found[0])

        return _WORD.sub(swap, clause), not unknown

    def _clauses(self, text: str) -> list[tuple[list[str], int, int]]:
        """The words of every clause and where it stands; a clause ends at a mark and before a conjunction."""
        found: list[tuple[list[str], int, int]] = []
        words: list[str] = []
        start = end = 0

        def close(at: int) -> None:
            nonlocal words, start
            if words:
                found.append((words, start, end))
            words, start = [], at

        latest = 0
        for word in _WORD.finditer(text):
            between = text[latest : word.start()]
            if _CLAUSE_END.search(between) or word[0] in self.conjunctions:
                close(word.start())
            if not words:
                start = word.start()
            words.append(word[0])
            end = latest = word.end()
        close(len(text))
        return found


def one_of(setting: str, value: object, known: tuple[Choice, ...]) -> Choice:
    """A value that is among the known ones; another is refused."""
    for one in known:
        if value == one:
            return one
    hint = did_you_mean(str(value), known)
    raise DhyanError(f"{setting} = {value!r}: it is {' or '.join(known)}{hint}.")


@cache
def register_of(script: str | None) -> Register | None:
    """The rules for a target language, known by its script; None where there are none."""
    return Register(FOLDER / TABLES[script]) if script in TABLES else None


def has_formality(language: str) -> bool:
    """Whether there are rules for a target language, by its code."""
    return f"{language}.toml" in TABLES.values()


def in_register(
    translation: Translation, rules: Register | None, formality: Formality, gender: Gender | None, by_tag: str | None
) -> Translation:
    """A translation in the register that was asked for, and a note that says how.

    by_tag: what the pack was asked for with a tag. Rules mend what it has missed, where they are sure.
    """
    text, notes = translation.text, []
    sentences = list(translation.sentences)
    for wanted in [one for one in (formality if formality != "auto" else None, gender) if one]:
        if rules is None and wanted == by_tag:
            notes.append(_by_tag(wanted, changed=0))
            continue
        if rules is None:
            notes.append(f"{PREFIX}{wanted} is not possible: the pack was not trained for it, and there are no rules")
            continue
        changed, unsure = 0, 0
        for number, sentence in enumerate(sentences):
            said, sure = (
                rules.in_gender(sentence.text, wanted)
                if wanted in GENDERS
                else rules.in_formality(sentence.source, sentence.text, wanted)
            )
            unsure += not sure
            if said != sentence.text and text.count(sentence.text) == 1:
                text = text.replace(sentence.text, said)
                sentences[number] = replace(sentence, text=said)
                changed += 1
        notes.append(_by_tag(wanted, changed) if wanted == by_tag else _said(wanted, changed, unsure))
    return replace(translation, text=text, notes=(*translation.notes, *notes), sentences=tuple(sentences))


def _by_tag(wanted: str, changed: int) -> str:
    return f"{PREFIX}{wanted}, as the pack was trained to" + (", and by rule" if changed else "")


def _said(wanted: str, changed: int, unsure: int) -> str:
    if unsure:
        what = "a sentence" if unsure == 1 else f"{unsure} sentences"
        return f"{PREFIX}{wanted} was not possible in {what}, which the rules cannot tell apart"
    return f"{PREFIX}{wanted}, by rule" if changed else f"{PREFIX}{wanted}: nothing had to change"


def _turned(pairs: dict[str, str]) -> dict[str, str]:
    """The other way round; of several words with one counterpart the first."""
    turned: dict[str, str] = {}
    for one, other in pairs.items():
        turned.setdefault(other, one)
    return turned


def _ending(word: str, endings: dict[str, str]) -> str:
    """The longest of the endings that the word has; empty: none. A whole word in the table is only that word."""
    fitting = [one for one in endings if (word == one if _is_word(one) else word.endswith(one) and word != one)]
    return max(fitting, key=len, default="")


def _with_ending(word: str, endings: dict[str, str]) -> str:
    ending = _ending(word, endings)
    return word.removesuffix(ending) + endings[ending]


def _is_word(ending: str) -> bool:
    return ending in ("हैं", "हों", "हो")
