"""The browser's text room: sentences, words, scripts, languages, forms and spelling as Python has them."""

import unicodedata
from dataclasses import asdict

import pytest

from dhyan.text import (
    deromanise,
    inflection,
    language_codes,
    language_id,
    languages,
    romanise,
    scripts,
    sentences,
    words,
)
from dhyan.text.incremental_decoder import whole_characters
from dhyan.text.tokenizer import with_dotted_circle
from support.javascript import call_javascript
from support.odd_texts import TEXTS


def units(text: str, offset: int) -> int:
    return len(text[:offset].encode("utf-16-le")) // 2


def assert_same(module, name, function, arguments):
    given = call_javascript(module, name, arguments)
    for one, answer in zip(arguments, given, strict=True):
        assert answer == function(*one), one


def test_sentences():
    joined = [" ".join(TEXTS[at : at + 3]) for at in range(0, len(TEXTS), 2)]
    assert_same("text/sentences.js", "splitSentences", sentences.split_sentences, [[text] for text in TEXTS + joined])


def test_long_sentences():
    arguments = [[text, most] for text in TEXTS for most in (1, 2, 3, 7, 100)]
    assert_same("text/sentences.js", "splitLong", sentences.split_long, arguments)


def test_words():
    assert_same("text/words.js", "wordsOf", words.words_of, [[text] for text in TEXTS])


def test_words_in_their_text():
    arguments = [[word, text] for word in ("bank", "बैंक", "k", "The", "👍", "é", "ß", "") for text in TEXTS]
    given = call_javascript("text/words.js", "wordSpans", arguments)
    for (word, text), spans in zip(arguments, given, strict=True):
        expected = [[units(text, start), units(text, end)] for start, end in words.word_spans(word, text)]
        assert spans == expected, (word, text)


def test_scripts():
    known = [chr(code) for code in range(0x30000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    assert_same(
        "text/scripts.js", "scriptOf", scripts.script_of, [[one] for one in known[:20_000:3] + known[20_000::29]]
    )
    [living] = call_javascript("text/scripts.js", "knownScripts", [[]])
    assert set(living) >= {"Latin", "Devanagari", "Han", "Arabic"}
    assert set(living) >= scripts.known_scripts()
    shares = [[text, script] for text in TEXTS for script in ("Latin", "Devanagari", "Han")]
    assert_same("text/scripts.js", "shareInScript", scripts.share_in_script, shares)


def test_rules_of_languages():
    [given] = call_javascript("text/languages.js", "allLanguages", [[]])
    for name, expected in asdict(languages.all_languages()).items():
        first, *rest = name.split("_")
        found = given[first + "".join(map(str.capitalize, rest))]
        assert found == list(expected) if isinstance(expected, tuple) else set(found) == expected, name


def test_codes():
    codes = [["en"], ["EN_US"], ["hin-IN"], ["hi-latn"], ["xx"], ["eng"], [" de-AT "], ["es-419"], [""], ["ben"]]
    assert_same("text/language-codes.js", "withoutCountry", language_codes.without_country, codes)
    assert_same("text/language-codes.js", "threeLetters", language_codes.three_letters, codes)
    assert_same("text/language-codes.js", "twoLetters", language_codes.two_letters, codes)


def test_languages():
    parts = [" ".join(text.split()[at : at + 4]) for text in TEXTS[:16] for at in range(0, 20, 3)]
    texts = [*TEXTS, *parts, *(word for text in TEXTS[:16] for word in text.split())]
    given = call_javascript("text/language-id.js", "detectLanguage", [[text] for text in texts])
    for text, answer in zip(texts, given, strict=True):
        expected = asdict(language_id.detect_language(text))
        assert answer.pop("confidence") == pytest.approx(expected.pop("confidence"), rel=1e-12), text
        assert answer == expected, text


def test_forms():
    terms = sorted({word for text in TEXTS for word in text.split()} | set(TEXTS[:40]))
    given = call_javascript("text/inflection.js", "formsOfTerm", [[term] for term in terms])
    for term, answer in zip(terms, given, strict=True):
        assert [tuple(one) for one in answer] == [(form, kind.value) for form, kind in inflection.forms_of_term(term)]
    for form in inflection.Form:
        for language in ("en", "hi"):
            given = call_javascript("text/inflection.js", "plural", [[term, language, form.value] for term in terms])
            assert given == [inflection.plural(term, language, form) for term in terms]


def test_latin_letters():
    devanagari = "".join(chr(code) for code in range(0x0900, 0x0980))
    pairs = [one + other for one in devanagari for other in "कािी्ंअईञ़"]
    hindi = sorted({word for text in TEXTS for word in text.split()})
    arguments = [[text, scheme] for text in (*TEXTS, *pairs, *hindi) for scheme in ("plain", "iso")]
    assert_same("text/romanise.js", "romanise", romanise.romanise, arguments)


def test_what_stands_alone_and_what_waits():
    assert_same("text/tokenizer.js", "withDottedCircle", with_dotted_circle, [[" ि"], ["ि"], ["a"], [""], ["  ंx"]])
    starts = [text[:length] for text in TEXTS for length in range(min(len(text), 30))]
    given = call_javascript("text/incremental-decoder.js", "wholeCharacters", [[text] for text in starts])
    assert given == [units(text, whole_characters(text)) for text in starts]


def test_hindi_in_latin_letters():
    typed = ["kal milte h yaar", "Usne KAHA hai ki main Delhi me hu", "plz OTP batao, x@y.in", "bakwas jhakaas zyada"]
    assert_same("text/deromanise.js", "inDevanagari", deromanise.in_devanagari, [[text] for text in TEXTS + typed])
