"""The notation of accepted translations accepts what it says and nothing else."""

from pathlib import Path

import pytest

from support.patterns import accepts, compiled, normalised, read_rows

ROWS = read_rows(Path(__file__).with_name("everyday.tsv"))
NOTES = [
    "How are you?",
    "Congratulations.",
    "Thank you.",
    "I am fine.",
    "We are friends.",
    "I like eating ice-cream.",
    "I am good. How are you?",
]


@pytest.mark.parametrize(
    ("pattern", "right", "wrong"),
    [
        ("(आप|तुम) कैसे", ["आप कैसे", "तुम कैसे"], ["कैसे", "आप तुम कैसे", "आप"]),
        ("मैं [बहुत] ख़ुश हूँ", ["मैं बहुत ख़ुश हूँ", "मैं ख़ुश हूँ"], ["मैं बहुत बहुत ख़ुश हूँ", "ख़ुश हूँ"]),
        ("पानी / एक गिलास जल", ["पानी", "एक गिलास जल"], ["पानी जल", "एक गिलास पानी"]),
        ("[अभी|अब] (दो (बजे|पहर)|रात) है", ["अभी दो पहर है", "रात है"], ["अभी अब रात है", "दो रात है"]),
        ("घर", ["घर"], ["घर घर", "घरबार", "", "अपना घर"]),
    ],
)
def test_a_pattern_stands_for_its_translations(pattern, right, wrong):
    assert [text for text in right if not accepts(pattern, text)] == []
    assert [text for text in wrong if accepts(pattern, text)] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("मैं ठीक हूँ।", "मैं ठीक हूं"),
        ("“हाँ”, ज़रूर!", "हां जरूर."),
        ("हिन्दी सम्बन्ध ठण्ड पञ्च", "हिंदी संबंध ठंड पंच"),
        ("५ बजे", "5 बजे"),
        ("आपको चाहिये", "आपको चाहिए"),
        ("वे कब आयेंगे?", "वे कब आएँगे?"),
        ("बस गयी", "बस गई"),
        ("आइस-क्रीम", "आइस  क्रीम "),
        ("क्\u200dया", "क्या"),
        ("फ\u093cोन", "फोन"),
        ("OK", "ok"),
    ],
)
def test_spelling_habits_do_not_matter(one, other):
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("सड़क", "सडक"), ("ये", "ए"), ("दिन", "दीन"), ("है", "हैं"), ("तुम्हारा", "तुंहारा"), ("15", "51")],
)
def test_other_words_stay_other_words(one, other):
    assert normalised(one) != normalised(other)


@pytest.mark.parametrize("pattern", ["(आप", "आप)", "(आप]", "[(आप])", "(आप / तुम)", "", "?"])
def test_a_broken_pattern_is_refused(pattern):
    with pytest.raises(ValueError, match=r"bracket|stroke|without words"):
        compiled(pattern)


def test_the_everyday_sentences_are_many_and_sound():
    english = [row.english for row in ROWS]
    assert len(ROWS) >= 100
    assert len(set(english)) == len(english)
    assert set(NOTES) <= set(english)
    for row in ROWS:
        compiled(row.pattern)
        assert row.topic
        assert not accepts(row.pattern, row.english), "left in English"


@pytest.mark.parametrize(
    ("english", "right", "wrong"),
    [
        ("How are you?", ["आप कैसे हैं?", "तुम कैसी हो?", "क्या हाल है?"], ["तुम कैसे हैं?", "तू कैसा है?"]),
        ("I am fine.", ["मैं बढ़िया हूँ", "मैं ठीक हूं।"], ["मैं ठीक है", "मैं जुर्माना हूँ।"]),
        ("Congratulations.", ["बधाई हो", "बधाई!"], ["धन्यवाद"]),
        ("We are friends.", ["हम दोस्त हैं", "हम मित्र हैं।"], ["हम दोस्त है"]),
        ("I like eating ice-cream.", ["मुझे आइसक्रीम खाना पसंद है", "मुझे आइस-क्रीम खाना पसन्द है।"], ["मुझे आइसक्रीम पसंद है"]),
        ("He sat on the bank of the river.", ["वह नदी के किनारे बैठा।"], ["वह नदी के बैंक पर बैठा।"]),
        ("water", ["पानी", "जल"], ["वाटर", "वॉटर"]),
        ("How much does it cost?", ["इसकी क़ीमत क्या है?", "यह कितने का है?"], ["इसकी कीमत है।"]),
        ("It is raining cats and dogs.", ["मूसलाधार बारिश हो रही है।"], ["बिल्लियों और कुत्तों की बारिश हो रही है।"]),
        ("He was born in 1990.", ["उसका जन्म १९९० में हुआ था।"], ["उसका जन्म 1909 में हुआ था।"]),
    ],
)
def test_the_listed_translations_are_the_readers(english, right, wrong):
    (pattern,) = (row.pattern for row in ROWS if row.english == english)
    assert [text for text in right if not accepts(pattern, text)] == []
    assert [text for text in wrong if accepts(pattern, text)] == []
