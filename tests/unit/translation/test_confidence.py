"""How sure a translation is: more with the model's own probability, less with a note, never beyond 0 and 1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhyan.pack.manifest import ConfidenceFit
from dhyan.translation import TextPipeline
from dhyan.translation.checks.agreement import Agreement
from dhyan.translation.confidence import Confidence
from dhyan.translation.translated import Alternative

CONFIDENCE = Confidence(ConfidenceFit())


@given(st.text(max_size=50), st.floats(-1e6, 0), st.booleans())
def test_it_is_between_0_and_1(source, score, has_notes):
    assert 0 <= CONFIDENCE(source, score, has_notes) <= 1


@given(st.floats(-3, -0.02))
def test_it_grows_with_the_probability(score):
    assert CONFIDENCE("a b c", score, False) < CONFIDENCE("a b c", score + 0.01, False)


def test_a_note_halves_it():
    assert CONFIDENCE("a b c", -0.2, True) == pytest.approx(CONFIDENCE("a b c", -0.2, False) / 2)


def pipeline(answers):
    """A translator that has these answers, each a list of (text, score), best first."""

    def translate(texts, strict):
        return [[Alternative(*one) for one in answers.get(text, [("वह।", -0.5)])] for text in texts]

    agreement = Agreement("en", "hi", "Latin", source_has_case=True)
    return TextPipeline(translate, "Devanagari", agreement=agreement, confidence=CONFIDENCE)


def test_the_first_answer_that_passes_is_taken():
    answers = {"He did not come.": [("वह आया।", -0.1), ("वह नहीं आया।", -0.3), ("वह नहीं आई।", -0.4)]}
    found = pipeline(answers).translate(["He did not come."])[0]
    assert (found.text, found.notes) == ("वह नहीं आया।", ())
    assert found.confidence == CONFIDENCE("He did not come.", -0.3, False)


def test_another_wording_is_tried_before_a_note():
    answers = {
        "We meet at 9 p.m.": [("हम 9 बजे मिलते हैं।", -0.1)],
        "We meet at 9 at night.": [("हम रात 9 बजे मिलते हैं।", -0.2)],
    }
    found = pipeline(answers).translate(["We meet at 9 p.m."])[0]
    assert (found.text, found.notes) == ("हम रात 9 बजे मिलते हैं।", ())


def test_numbers_in_words_are_tried_as_digits():
    answers = {
        "Two hundred and six people came.": [("दो सौ और छह सौ लोग आए।", -0.1)],
        "206 people came.": [("206 लोग आए।", -0.2)],
    }
    assert pipeline(answers).translate(["Two hundred and six people came."])[0].text == "206 लोग आए।"


def test_clauses_are_tried_by_themselves():
    answers = {
        "He came to us on Monday, but he did not want to stay.": [("वह सोमवार को आया, लेकिन रहना चाहता था।", -0.1)],
        "He came to us on Monday": [("वह सोमवार को हमारे पास आया", -0.2)],
        "but he did not want to stay.": [("लेकिन वह रहना नहीं चाहता था।", -0.2)],
    }
    found = pipeline(answers).translate(list(answers)[:1])[0]
    assert found.text == "वह सोमवार को हमारे पास आया, लेकिन वह रहना नहीं चाहता था।"


def test_what_still_disagrees_is_noted_with_its_sentence():
    answers = {"He did not come.": [("वह आया।", -0.1)], "He slept.": [("वह सोया।", -0.1)]}
    found = pipeline(answers).translate(["He did not come. He slept."])[0]
    note = 'the source denies something ("not") that the translation may not'
    assert found.notes == (f'in "He did not come.": {note}',)
    assert [one.notes for one in found.sentences] == [(note,), ()]
    assert found.confidence == found.sentences[0].confidence < found.sentences[1].confidence


def test_a_sentence_that_passes_is_asked_for_once():
    asked = []

    def translate(texts, strict):
        asked.append(list(texts))
        return ["वह नहीं आया।"] * len(texts)

    agreement = Agreement("en", "hi", "Latin", source_has_case=True)
    TextPipeline(translate, agreement=agreement).translate(["He did not come."] * 3)
    assert asked == [["He did not come."]]
