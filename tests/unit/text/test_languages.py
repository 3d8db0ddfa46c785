"""The rules of single languages: one file each, whose keys are known, and all of them together."""

import re

import pytest

from dhyan.core.errors import DhyanError
from dhyan.text.languages import LanguageRules, all_languages, known_languages, language_rules


def test_english_and_hindi_are_known():
    assert set(known_languages()) >= {"en", "hi"}


@pytest.mark.parametrize("code", known_languages())
def test_every_file_can_be_read_and_its_patterns_compile(code):
    rules = language_rules(code)
    assert isinstance(rules, LanguageRules)
    assert rules.abbreviations
    for pattern in rules.differing_numbers:
        re.compile(pattern)


def test_words_are_in_lower_case():
    for code in known_languages():
        for words in vars(language_rules(code)).values():
            assert {word for word in words if word.lower() != word} == set()


def test_all_languages_together():
    together = all_languages()
    assert {"dr", "डॉ"} <= together.abbreviations
    assert together.spelt_letters == language_rules("hi").spelt_letters


def test_an_unknown_language_is_refused():
    with pytest.raises(DhyanError, match="no rules for the language 'xx'; there are en, hi"):
        language_rules("xx")
