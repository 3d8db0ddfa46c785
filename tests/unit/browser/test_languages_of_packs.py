"""The browser tells the languages of packs, sentences and quotations as Python does."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import dhyan
from dhyan.text.tokenizer import Tokenizer
from dhyan.translation.checks.agreement import language_of
from dhyan.translation.letter_case import Case
from dhyan.translation.segments import Sentence
from dhyan.translation.source_language import SourceLanguage
from dhyan.translation.target_language import is_in_script, is_source_language
from dhyan.translation.writing_system import WritingSystem
from support.javascript import call_javascript
from support.texts import in_units, texts_of_tests, varied_texts

HELPER = "../../../../tests/support/care_for_text.mjs"
PACKS = [
    Path(dhyan.__file__).parent / "packs" / "en-hi",
    Path(dhyan.__file__).parent / "packs" / "hi-en",
    Path(__file__).parents[2] / "stored" / "pack-format-1" / "translator",
]


@pytest.mark.parametrize("folder", PACKS, ids=lambda folder: folder.name)
def test_the_same_languages_of_a_pack(folder):
    sides = [Tokenizer.load(file) for file in _files(folder)]
    files = [str(file) for file in _files(folder)]
    systems = [WritingSystem.of(side) for side in sides]
    found = SourceLanguage.between(*sides)
    expected = [
        *([one.script, sorted(one.scripts), one.has_case] for one in systems),
        *map(language_of, sides),
        found and [found.source, found.target],
    ]
    assert call_javascript(HELPER, "languagesOf", [files]) == [expected]
    texts = [*texts_of_tests()[::15], "aap kaise hain", "kal meeting hai", "how are you", "ok", "Straße ΣΑΣ"]
    answers = call_javascript(HELPER, "isOfSource", [[*files, text] for text in texts])
    assert answers == [is_source_language(text, *sides) for text in texts]


def _files(folder):
    shared = folder / "shared.tokenizer.json"
    return [shared if shared.exists() else folder / f"{side}.tokenizer.json" for side in ("source", "target")]


def test_the_same_languages_of_sentences():
    texts = [
        "Feliz aniversário!", "Quão longe fica a partir daqui?", "¿Dónde está la estación de tren?",
        'He said “je ne sais quoi, mon ami” and "hello there, my friend".',
        "Il fait très beau aujourd'hui et nous allons à la plage.",
        "मैं office जा रहा हूँ", "मैं the very old office जा", "main ghar ja raha hoon aur tum", "🙂 ok", "",
        *texts_of_tests()[::4], *varied_texts(300, seed=9),
    ]  # fmt: skip
    answers = call_javascript(HELPER, "read", [[text] for text in texts])
    for text, answer in zip(texts, answers, strict=True):
        assert answer == _read(text), text


def _read(text):
    words = SimpleNamespace(words=text)
    found = [is_in_script(words, script) for script in ("Latin", "Devanagari", "Han")]
    for languages in (SourceLanguage("en", "hi"), SourceLanguage("hi", "en"), SourceLanguage("pt", "en")):
        _, marked = languages.marked(text, ["- ", Sentence(text, text, Case.ORDINARY)])
        quoted = [
            [in_units(text, one.start), in_units(text, one.end), one.kind.name, one.replacement]
            for one in languages.quotations(text)
        ]
        found += [marked.language, languages.note(marked), quoted]
    return found
