"""What is not in the language that a pack reads is left as it is, and a note says so."""

import pytest

from dhyan.pack.pack import BUILT_IN
from dhyan.text.tokenizer import Tokenizer
from dhyan.translation import TextPipeline
from dhyan.translation.pipeline import ALREADY
from dhyan.translation.source_language import SourceLanguage
from support.translators import Dictionary

SPANISH = "El gato duerme en la casa."
NOT_ENGLISH = "this looks like {}, not English; it is left as it is"


def english(raw):
    return TextPipeline(
        raw,
        target_script="Devanagari",
        source_scripts=frozenset({"Latin"}),
        source_language=SourceLanguage("en", "hi"),
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SPANISH, "Spanish"),
        ("Der Hund schläft im Garten.", "German"),
        ("aap kaise hain, main theek hoon", "Hindi in Latin letters"),
        ("Москва", "Russian"),
        ("السلام عليكم", "Arabic"),
        ("東京は大きいです。", "Japanese"),
        ("Sí. El gato duerme en la casa. No.", "Spanish"),
        ("Guten Morgen!", "German"),
        ("मी शाळेत जातो आणि तो घरी आहे.", "Marathi"),
    ],
)
def test_a_text_in_another_language_is_left(text, name):
    dictionary = Dictionary()
    result = english(dictionary).translate([text])[0]
    assert (result.text, result.notes) == (text, (NOT_ENGLISH.format(name),))
    assert dictionary.batches == []


def test_a_sentence_in_another_language_is_left():
    result = english(Dictionary()).translate([f"Good morning, the bank is open now. {SPANISH} Bye now."])[0]
    assert result.text == f"अच्छा सुबह, वह तट है खुला अब। {SPANISH} विदा अब।"
    assert result.notes == ("a part looks like Spanish, not English; it is left as it is",)
    assert [len(sentence.notes) for sentence in result.sentences] == [0, 1, 0]


@pytest.mark.parametrize(
    "text", ["Hello", "Bonjour", "Narendra Modi", "Rio de Janeiro", "Los Angeles", "OK", "pizza"]
)
def test_names_and_single_words_go_to_the_model(text):
    dictionary = Dictionary()
    result = english(dictionary).translate([text])[0]
    assert dictionary.batches == [([text], False)]
    assert result.notes == ()


@pytest.mark.parametrize("text", ["Feliz aniversário!", "Por favor, espere por mim.", "Ela está zangada comigo."])
def test_a_relative_has_to_be_sure(text):
    """Each looks Spanish or French, with some doubt."""
    portuguese = SourceLanguage("pt", "en")
    pipeline = TextPipeline(lambda texts, strict: ["Fine." for _ in texts], source_language=portuguese)
    assert pipeline.translate([text])[0].text == "Fine."
    (note,) = pipeline.translate(["¿Dónde está la estación de tren?"])[0].notes
    assert note == "this looks like Spanish, not Portuguese; it is left as it is"


def test_the_target_language_is_called_that():
    assert english(Dictionary()).translate(["मैं ठीक हूँ और आप कैसे हैं?"])[0].notes == (ALREADY,)


def test_what_is_asked_from_hindi():
    asked = []

    def raw(texts, strict):
        asked.extend(texts)
        return ["fine" for _ in texts]

    pipeline = TextPipeline(
        raw,
        "Latin",
        lambda text: False,
        source_has_case=False,
        target_has_case=True,
        source_scripts=frozenset({"Latin", "Devanagari"}),
        source_language=SourceLanguage("hi", "en"),
    )
    texts = ["aap kaise hain bhai", "How are you doing today?", SPANISH, "मैं ठीक हूँ", "मी शाळेत जातो आणि तो घरी आहे."]
    results = pipeline.translate(texts)
    assert asked == ["aap kaise hain bhai", "मैं ठीक हूँ"]
    assert [result.notes for result in results] == [
        (),
        (ALREADY,),
        ("this looks like Spanish, not Hindi; it is left as it is",),
        (),
        ("this looks like Marathi, not Hindi; it is left as it is",),
    ]


@pytest.mark.parametrize(("pack", "languages"), [("en-hi", ("en", "hi")), ("hi-en", ("hi", "en"))])
def test_a_vocabulary_tells_the_languages_of_a_pack(pack, languages):
    sides = [Tokenizer.load(BUILT_IN / pack / f"{side}.tokenizer.json") for side in ("source", "target")]
    found = SourceLanguage.between(*sides)
    assert found == SourceLanguage(*languages)
