"""The browser's checks of a translation say the same as Python's, of pairs that agree and of pairs that do not."""

import random

import pytest

from dhyan.translation.checks.agreement import Agreement, language_tables
from dhyan.translation.checks.spaced import spaced
from support.javascript import call_javascript
from support.texts import texts_of_tests, varied_texts
from unit.translation.test_checks import AGREE, DISAGREE

HELPER = "../../../../tests/support/care_for_text.mjs"
CHECKS = {
    ("en", "hi"): Agreement("en", "hi", "Latin", source_has_case=True),
    ("hi", "en"): Agreement("hi", "en", "Devanagari", source_has_case=False),
}


@pytest.fixture(scope="module")
def pairs():
    """Those of the checks' own tests, each with the other translations too, and texts that have nothing in common."""
    known = [*AGREE, *((source, target) for _, source, target in DISAGREE)]
    dice = random.Random(3)
    mixed = [(source, dice.choice(known)[1]) for source, _ in known for _ in range(3)]
    texts = [text for text in texts_of_tests() if any("\u0900" <= letter <= "\u0963" for letter in text)]
    others = [(one, dice.choice(texts)) for one in varied_texts(300, seed=2)]
    return [*known, *((target, source) for source, target in known), *mixed, *others]


def said_by_python(source_language, target_language, source, target):
    checks = CHECKS[source_language, target_language]
    found = [[one.kind, one.note] for one in checks.disagreements(source, target)]
    return [found, checks.same_amounts(source, target), spaced(source)]


def test_the_same_disagreements(pairs):
    calls = [[*languages, source, target] for languages in CHECKS for source, target in pairs]
    expected = [said_by_python(*call) for call in calls]
    answers = call_javascript(HELPER, "disagreements", calls)
    for call, answer, said in zip(calls, answers, expected, strict=True):
        assert answer == said, call
    kinds = {kind for found, _, _ in expected for kind, _ in found}
    assert kinds == {"numbers", "times", "names", "units", "changes", "negation", "doubling", "leftovers"}


def test_the_same_amounts():
    numbers = [*range(130), *(10**power + 7 for power in range(2, 13)), 150_000, 2_500_000]
    texts = [*varied_texts(200, seed=4), *(f"{number:,} or {number}" for number in numbers)]
    for code in ("en", "hi"):
        words = [*language_tables(code).numbers.words, *language_tables(code).numbers.scales, "and", "a", "-", "3,5"]
        dice = random.Random(5)
        every = [*texts, *(" ".join(dice.choices(words, k=dice.randint(2, 9))) for _ in range(400))]
        expected = [
            [[one.value, one.words, one.certain] for one in language_tables(code).numbers.amounts(spaced(text))]
            for text in every
        ]
        answers = call_javascript(HELPER, "amounts", [[code, text] for text in every])
        # JavaScript writes whole numbers without a point, and rounds their digits.
        assert [[[float(value), *more] for value, *more in one] for one in answers] == expected
