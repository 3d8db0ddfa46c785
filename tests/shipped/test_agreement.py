"""What the shipped translators say about times, amounts, changes and denials: right, or noted."""

import re

import pytest

from dhyan import Translator

MORNING, AFTERNOON, EVENING, NIGHT = "सुबह|AM|a.m", "दोपहर|PM|p.m", "शाम|PM|p.m", "रात|PM|p.m"
RIGHT_OR_NOTED = [
    ("The shop opens at 9 a.m. and closes at 9 p.m.", f"({MORNING}).*9.*({NIGHT}).*9|9 AM.*9 PM"),
    ("The train leaves at 6:30 pm.", f"({EVENING})"),
    ("The class begins at 7 a.m. every day.", f"({MORNING})"),
    ("Lunch is served at 1 p.m. in the hall.", f"({AFTERNOON})"),
    ("He slept from 11 p.m. to 6 a.m.", f"({NIGHT}).*11.*({MORNING}).*6"),
    ("I woke up at 3 a.m. last night.", "रात|सुबह|AM"),
    ("The bank is open from 10 AM to 4 PM.", "(सुबह.* 10|10 AM).*(शाम.* 4|4 PM)"),
    ("The bus comes at 8:15 p.m. on Sundays.", f"({NIGHT}|शाम)"),
    ("One hundred and fifty thousand people attended.", "एक सौ पचास ह|डेढ़ लाख|एक लाख पचास ह|150,000|1,50,000"),
    ("The farm has three hundred and twenty-five cows.", "तीन सौ पच्चीस|325"),
    ("The village has twelve thousand five hundred voters.", "बारह ह.*पा.च सौ|12,500"),
    ("Sales fell by 20% to $5 million.", "^(?!.*20% से).*20%"),
    ("The temperature rose by 5 degrees to 40.", "^(?!.*5 डिग्री (से|तक)).*5 डिग्री"),
    ("The rate went from 8% to 6%.", "8% से.*6%"),
    ("The baby weighed 5 lb. 3 oz.", "5 (lb|पाउंड).*3 (oz|औंस)"),
    ("He lives at No. 5 Park Street.", "(नंबर|संख्या|नं|No).* ?5"),
    ("Don't forget rule no. 72.", "(नंबर|संख्या|नं|no).* ?72"),
    ("I told him not to go.", "(न|ना|मत|नहीं) जा|मना"),
    ("She asked us not to smoke here.", "(न|ना|मत|नहीं) कर|मना|(न|ना|मत|नहीं) पी"),
    ("He failed to appear in court.", "नहीं|विफल|असफल|नाकाम"),
    ("Keep out of reach of children.", "रख"),
    ("Nobody answered the phone.", "नहीं"),
    ("Don't lean against this wall.", "मत|न |ना|नहीं"),
]


@pytest.fixture(scope="module")
def found(alone):
    texts = [text for text, _ in RIGHT_OR_NOTED]
    return dict(zip(texts, Translator.load("en-hi", threads=1).translate(texts), strict=True))


@pytest.mark.parametrize(("text", "right"), RIGHT_OR_NOTED, ids=[text for text, _ in RIGHT_OR_NOTED])
def test_right_or_noted(found, text, right):
    assert re.search(right, found[text].text) or found[text].notes, found[text].text


def test_most_are_right(found):
    """A note is for what cannot be mended."""
    assert sum(bool(one.notes) for one in found.values()) <= len(found) // 4


def test_hindi_sources_are_checked_too(alone):
    right = {
        "रात 10 बजे तक खुला है।": "10 ?p|10 at night|10 in the evening",
        "शहर की आबादी बीस लाख है।": "twenty lakh|two million|2 million|20 lakh",
        "उसे मत बताना।": "n't|not",
        "दुकान सुबह 9 बजे खुलती है।": "9 ?a|9 in the morning",
    }
    for one in Translator.load("hi-en", threads=1).translate(list(right)):
        assert re.search(right[one.source], one.text, re.IGNORECASE) or one.notes, one.text
