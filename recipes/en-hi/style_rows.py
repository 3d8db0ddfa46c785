"""Pairs whose Hindi shows a style that English does not: formal or informal, a woman or a man who speaks."""

import random
import re
from collections.abc import Iterator

FORMAL_SHARE = 0.15  # there are plenty of them
YOU = re.compile(r"\b(?:you|your|yours|yourself|u|ur|please|let's|don't)\b", re.IGNORECASE)
FIRST_PERSON = re.compile(r"\bI\b")
LETTER = r"[\u0900-\u0963\u0970-\u097f]"
START, END = rf"(?<!{LETTER})", rf"(?!{LETTER})"
AAP = rf"{START}आप(?:को|का|की|के|से|ने|में|पर|ही|भी)?{END}"
FORMAL_YOU = re.compile(AAP)
# लिए, इसलिए and चाहिए only look like requests.
FORMAL = re.compile(rf"{AAP}|(?<!इसल)(?<![^\u0900-\u0963]ल)(?<!चाह)(?:िए|इए)(?:गा)?{END}")
REQUESTS = "कर|रख|देख|सुन|चल|बैठ|रुक|कह|पढ़|लिख|बोल|रह|पूछ|सोच"
INFORMAL = re.compile(
    rf"{START}(?:तुम(?:्ह\S*|को|से|ने|में|पर|ही|भी)?|तू|तुझ\S*|तेर[ाेी]|(?:{REQUESTS})ो)"
    rf"{END}|(?:ाओ|आओ|ओगे|ओगी|ोगे|ोगी){END}"
)
SAYS_I = re.compile(rf"{START}मैं{END}")
# What agrees with "I" before हूँ, and the future; ता, रहा … are a man's, ती, रही … a woman's.
VERBS = {
    "रहा": "रही", "गया": "गई", "चुका": "चुकी", "आया": "आई", "पाया": "पाई", "बैठा": "बैठी", "हुआ": "हुई", "लगा": "लगी",
    "सका": "सकी", "लाया": "लाई", "सोया": "सोई",
}  # fmt: skip
PRESENT = re.compile(rf"{START}(?P<stem>{LETTER}*ता|{'|'.join(VERBS)})(?= (?:हूँ|हूं){END})")
PRESENT_WOMAN = re.compile(rf"{START}(?P<stem>{LETTER}*ती|{'|'.join(VERBS.values())})(?= (?:हूँ|हूं){END})")
FUTURE = re.compile(rf"(?<=[ूऊ][ँं])गा{END}")
FUTURE_WOMAN = re.compile(rf"(?<=[ूऊ][ँं])गी{END}")
# Adjectives and participles would have to be changed, too.
ADJECTIVES = "अकेल|बड़|छोट|अच्छ|थक|भूख|प्यास|नय|मोट|पतल|लंब|बूढ़|खड़|जैस|ऐस|वाल|पूर|प्यार|सच्च|झूठ|ज़िंद|कर्त|बेट|लड़क"
AGREES = re.compile(rf"{START}(?:{ADJECTIVES})[ाी]{END}|(?:ता|ती) (?:हुआ|हुई|था|थी|तो|जा|रह)|(?:ा|ी) (?:था|थी){END}")
BACK = {woman: man for man, woman in VERBS.items()}


def as_woman(hindi: str) -> str:
    text = PRESENT.sub(lambda found: VERBS.get(found[0], found[0][:-1] + "ी"), hindi)
    return FUTURE.sub("गी", text)


def as_man(hindi: str) -> str:
    text = PRESENT_WOMAN.sub(lambda found: BACK.get(found[0], found[0][:-1] + "ा"), hindi)
    return FUTURE_WOMAN.sub("गा", text)


def styled(english: str, hindi: str, draw: random.Random) -> Iterator[tuple[str, str, str]]:
    """Style, English and Hindi: rows beside the pair itself."""
    if YOU.search(english) or not FIRST_PERSON.search(english):
        if INFORMAL.search(hindi):
            if not FORMAL_YOU.search(hindi):
                yield "informal", english, hindi
        elif FORMAL.search(hindi) and draw.random() < FORMAL_SHARE:
            yield "formal", english, hindi
    if FIRST_PERSON.search(english) and SAYS_I.search(hindi) and not AGREES.search(hindi):
        woman, man = as_woman(hindi), as_man(hindi)
        if woman != hindi and man == hindi:
            yield "feminine", english, woman
            yield "masculine", english, hindi
        elif man != hindi and woman == hindi:
            yield "feminine", english, hindi
            yield "masculine", english, man
