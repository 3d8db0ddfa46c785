"""The browser's rules for the reader's and the speaker's words change the same as Python's."""

from dhyan.core.errors import DhyanError
from dhyan.translation.register import FORMALITIES, in_register, one_of, register_of
from dhyan.translation.translated import TranslatedSentence, Translation
from support.javascript import call_javascript
from support.texts import texts_of_tests, varied_texts

HELPER = "../../../../tests/support/care_for_text.mjs"
HINDI = register_of("Devanagari")


def is_hindi(text):
    return any("\u0900" <= letter <= "\u0963" for letter in text)


def test_the_same_words_change():
    texts = [text for text in [*texts_of_tests(), *varied_texts(1000, seed=6)] if is_hindi(text)]
    sources = ["Go home.", "You may go.", "Please, don't wait!", "It is here.", "Do you see?", ""]
    calls = [[sources[number % len(sources)], text] for number, text in enumerate(texts)]
    expected = [
        [
            *(list(HINDI.in_formality(source, text, formality)) for formality in ("informal", "formal")),
            *(list(HINDI.in_gender(text, gender)) for gender in ("feminine", "masculine")),
        ]
        for source, text in calls
    ]
    answers = call_javascript(HELPER, "registers", calls)
    for call, answer, said in zip(calls, answers, expected, strict=True):
        assert answer == said, call
    assert sum(said[0] != [text, True] for (_, text), said in zip(calls, expected, strict=True)) > 20


def test_the_same_notes():
    sentences = [
        ["Where do you live?", "आप कहाँ रहते हैं?"],
        ["If you want, you can go.", "अगर आप चाहें, तो जा सकते हैं।"],
        ["I go to you.", "मैं आपके पास जाता हूँ।"],
        ["Rain.", "वर्षा।"],
    ]
    calls = [
        [sentences[:count], script, formality, gender, tag]
        for count in (1, 3, 4)
        for script in ("Devanagari", "Latin")
        for formality, gender, tag in [
            ("informal", None, None),
            ("informal", "feminine", "informal"),
            ("auto", "masculine", None),
            ("formal", "feminine", "feminine"),
            ("auto", None, None),
        ]
    ]
    expected = []
    for several, script, formality, gender, tag in calls:
        translated = tuple(TranslatedSentence(source, text) for source, text in several)
        whole = Translation("", " ".join(text for _, text in several), sentences=translated)
        said = in_register(whole, register_of(script), formality, gender, tag)
        expected.append([said.text, list(said.notes), [one.text for one in said.sentences]])
    assert call_javascript(HELPER, "registered", calls) == expected


def test_the_same_refusal():
    values = ["formal", "formel", "", "INFORMAL", "very polite", "x" * 200]
    expected = []
    for value in values:
        try:
            expected.append(one_of("formality", value, FORMALITIES))
        except DhyanError as error:
            expected.append(str(error))
    assert call_javascript(HELPER, "chosen", [["formality", value, FORMALITIES] for value in values]) == expected
