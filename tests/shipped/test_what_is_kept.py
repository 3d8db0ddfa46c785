"""Through the packs that ship: what must not change does not, and what stands for it misleads nobody."""

import re

import pytest

import dhyan
from support.kept_spans import sentences

SEEN = {  # text → what must come out of it, & for a blank
    "x^2 + y^2 = z^2": "x^2&+&y^2&=&z^2",
    "The equation x^2 + y^2 = z^2 describes a circle.": "x^2&+&y^2&=&z^2",
    "C# is a programming language.": "C#",
    "A|B testing is useful.": "A|B",
    "\\": "\\",
    "Use \\ to separate folders.": "\\",
    "It costs €5 or £4 or ¥600.": "€5 £4 ¥600",
    "The temperature is 30 ℃ today.": "30&℃",
    "Acme™ makes phones.": "Acme™",
    "The wire is 5 µm thick.": "5&µm",
    "Tokyo (東京) is the capital of Japan.": "(東京)",
    "Москва is the Russian name of Moscow.": "Москва",
    "She said السلام عليكم and smiled.": "السلام&عليكم",
    "The word नमस्ते means hello.": "नमस्ते",
    "It weighs 5 lb. 3 oz.": "5&lb.&3&oz.",
    "Profits fell to $5 million.": "$5",
    "If a_i ≤ b, then E = mc^2 and H₂O is wet.": "a_i&≤&b E&=&mc^2 H₂O",
    "Press Ctrl+C, run foo() with --flag and set key=value.": "Ctrl+C foo() --flag key=value",
    "Wait… what?": "…",
}
AT = [
    "Email us at {}.",
    "You can reach me at {} or by phone.",
    "Meet me at {} tomorrow.",
    "Look at {} for details.",
    "The file is at {}.",
    "Join us on {}.",
    "It was written by {} in Delhi.",
    "Hello {}, how are you?",
    "{} sent you a message.",
]
PUT_IN = ["help@x.org", "https://example.org/a", "{name}", "%s", "@anna"]
OF_TIME_OR_COUNT = re.compile("बजे|तारीख|वर्ष|साल|o'clock|a\\.m\\.|p\\.m\\.")


@pytest.fixture(scope="module")
def to_english(alone):
    return dhyan.load("hi-en", threads=1)


def test_what_was_seen_to_change_does_not(translate):
    results = translate(list(SEEN))
    for (text, kept), result in zip(SEEN.items(), results, strict=True):
        assert [one for one in kept.split() if one.replace("&", " ") not in result] == [] or kept == text, (
            text,
            result,
        )
        assert "�" not in result


def test_generated_sentences_keep_everything(translate):
    made = sentences(60, seed=2)
    results = translate([text for text, _ in made])
    altered = [
        (text, span, result)
        for (text, spans), result in zip(made, results, strict=True)
        for span in spans
        if result.count(span) != text.count(span)
    ]
    assert altered == []


def test_an_address_is_no_time_of_day(translate):
    texts = [template.format(one) for template in AT for one in PUT_IN]
    texts += ["We walked to the river at about 2.5 km/h.", "We walked 5 km in 2 h at about 2.5 km/h."]
    results = translate(texts)
    assert [pair for pair in zip(texts, results, strict=True) if OF_TIME_OR_COUNT.search(pair[1])] == []
    assert all(one in result for one, result in zip([*PUT_IN * len(AT), *["2.5 km/h"] * 2], results, strict=True))


def test_from_hindi_too(to_english):
    texts = {
        "हमें help@x.org पर ईमेल करें।": "help@x.org",
        "इसकी कीमत €5 या ¥600 है।": "€5 ¥600",
        "समीकरण x^2 + y^2 = z^2 देखें।": "x^2&+&y^2&=&z^2",
        "C# और C++ भाषाएँ हैं।": "C# C++",
        "टोक्यो (東京) बड़ा शहर है।": "東京",
        "तापमान 30 °C है।": "30&°C",
        "{name} ने आपको संदेश भेजा है।": "{name}",
    }
    for (text, kept), result in zip(texts.items(), to_english(list(texts)), strict=True):
        assert [one for one in kept.split() if one.replace("&", " ") not in result] == [], (text, result)
        assert not OF_TIME_OR_COUNT.search(result)


def test_a_text_in_another_language_is_returned(translate, to_english):
    for translator, own in ((translate, "English"), (to_english, "Hindi")):
        found = translator.translate("El gato duerme en la casa de mi hermana.")
        assert found.text == found.source
        assert found.notes == (f"this looks like Spanish, not {own}; it is left as it is",)
