"""Hindi as people send it reaches the model in its script and with a mark at its end, and is checked so."""

import pytest

from dhyan.translation import TextPipeline
from dhyan.translation.checks.agreement import Agreement, language_tables
from dhyan.translation.end_marks import without_full_stop
from dhyan.translation.pipeline import ALREADY
from dhyan.translation.source_language import SourceLanguage
from dhyan.translation.translated import Translation


def translated(text, says):
    """What the model was asked, and what came of its answer."""
    asked = []

    def model(sentences, strict):
        asked.extend(sentences)
        return [says for _ in sentences]

    pipeline = TextPipeline(
        model,
        target_script="Latin",
        source_scripts=frozenset({"Devanagari", "Latin"}),
        source_has_case=False,
        target_has_case=True,
        source_language=SourceLanguage("hi", "en"),
        agreement=Agreement("hi", "en", "Devanagari", False),
    )
    return asked, pipeline.translate([text])[0]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("mujhe nahi pata", "मुझे नहीं पता"),
        ("kal milte h 😀", "कल मिलते हैं।"),
        ("khidki khol do", "खिड़की खोल दो।"),
        ("tum kaha ho", "तुम कहाँ हो?"),
        ("khana kha liya kya?", "खाना खा लिया क्या?"),
        ("मैं घर जा रहा हूँ", "मैं घर जा रहा हूँ।"),
        ("मुझे पता है कि वह कब आया", "मुझे पता है कि वह कब आया।"),
        ("आवेदक का नाम", "आवेदक का नाम"),
        ("वह घर गया।", "वह घर गया।"),
    ],
)
def test_what_the_model_reads(text, asked):
    assert translated(text, "says something.")[0][0] == asked


def test_a_message_without_a_full_stop_gets_none():
    assert translated("मैं घर जा रहा हूँ", "I am going home.")[1].text == "I am going home"
    assert translated("tum kaha ho", "Where are you?")[1].text == "Where are you?"
    assert translated("वह घर गया।", "He went home.")[1].text == "He went home."
    assert without_full_stop("Come at 9 a.m.") == "Come at 9 a.m."


@pytest.mark.parametrize(("text", "said"), [("२०२४", "2024"), ("₹१,२५,०००", "₹1,25,000"), ("42", "42")])
def test_a_number_alone_gets_the_digits_of_english(text, said):
    assert translated(text, "?") == ([], Translation(text, said))


def test_checks_understand_hindi_in_latin_letters():
    assert translated("mujhe nahi pata", "I don't know.")[1].notes == ()
    assert any("denies" in note for note in translated("mujhe nahi pata", "I know.")[1].notes)


@pytest.mark.parametrize("text", ["see you", "New York", "final report", "hello"])
def test_english_is_left(text):
    asked, found = translated(text, "?")
    assert (asked, found.text, found.notes) == ([], text, (ALREADY,))


def test_hours_of_notices_are_said_otherwise_where_the_first_answer_was_wrong():
    rewritten = language_tables("hi").rewriter.rewritten
    assert rewritten("प्रातः 9 बजे से सायं 6 बजे तक", {"times"}) == ["सुबह 9 बजे से शाम 6 बजे तक"]
    assert rewritten("अपराह्न 3 बजे", {"times"}) == ["दोपहर 3 बजे"]
    assert rewritten("सुबह 9 बजे", {"times"}) == []
