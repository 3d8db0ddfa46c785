"""What English→Hindi was taught besides: spans that are copied, placeholders, styles. None of it is trained on."""

import pytest

from dhyan.translation.placeholders import placeholder_words

COPIED = {
    "Maya wrote to support@kiran-labs.io about ticket #4521.": ["support@kiran-labs.io", "#4521"],
    "Shinzō visited 大阪 and Київ in 2014.": ["大阪", "Київ", "2014"],
    "The beam is 35 µm wide and 4 Ω strong.": ["35 µm", "4 Ω"],
    "Type ^C or ~ to quit.": ["^C", "~"],
    "Dear {first_name}, %d items are left in your cart.": ["{first_name}", "%d"],
    "She paid ₩50,000 and £20 for the ticket.": ["₩50,000", "£20"],
    "He scored 98% in C++ and C#.": ["98%", "C++", "C#"],
    "Room №5 is free ✓": ["№5", "✓"],
    "Temperatures fell to −40 ℃ in Якутск.": ["−40 ℃", "Якутск"],
    "The Greek word λόγος means word.": ["λόγος"],
}
WITH_PLACEHOLDERS = [
    "Please write to Ⓐ or call Ⓑ.",
    "Ⓒ was founded by Ⓓ in Ⓔ.",
    "The bus from Ⓕ to Ⓖ stops at Ⓗ.",
    "According to Ⓛ, the company Ⓐ lost Ⓑ last year.",
    "Ⓐ, Ⓑ and Ⓒ went to Ⓓ together.",
    "We spent three days in Ⓖ with Ⓗ and his family.",
]


def test_signs_formulas_and_foreign_words_come_through(translate):
    found = zip(translate(list(COPIED)), COPIED.values(), strict=True)
    assert [(text, span) for text, spans in found for span in spans if span not in text] == []


def test_placeholders_are_copied_by_the_model_itself(translate):
    letters = placeholder_words(translate.pack.manifest.placeholders).names
    assert letters == tuple("ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁ")
    for source, found in zip(WITH_PLACEHOLDERS, translate.sentence_translator(WITH_PLACEHOLDERS), strict=True):
        assert [source.count(letter) for letter in letters] == [found.count(letter) for letter in letters], found


@pytest.mark.parametrize(
    ("style", "source", "said"),
    [
        ("formal", "Have you seen my brother?", "आप"),
        ("informal", "Have you seen my brother?", "तुम"),
        ("feminine", "I drive to the office every day.", "ती हूँ"),
        ("masculine", "I drive to the office every day.", "ता हूँ"),
    ],
)
def test_a_tag_requests_a_style(translate, style, source, said):
    tag = translate.pack.manifest.style_tags[style]
    (found,) = translate.sentence_translator.with_style_tag(tag)([source])
    assert said in found
