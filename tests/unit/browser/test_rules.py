"""Python's rules as the browser's modules read them."""

import json
import re

from dhyan.browser.rules import rules
from dhyan.translation import letter_case, numbers
from support.javascript import call_javascript


def test_they_are_plain_json_and_small_enough_to_be_fetched_at_once():
    written = json.dumps(rules(), ensure_ascii=False)
    assert json.loads(written) == rules()
    assert len(written.encode()) < 700_000


def test_a_pattern_comes_as_a_regular_expression_a_set_as_a_set_a_dictionary_as_a_map():
    found = call_javascript(
        "rules.js",
        "rule",
        [
            ["translation.letter_case", "_LONGEST_ACRONYM"],
            ["text.sentences", "_STRONG_MARKS"],
            ["core.special_tokens", "SPECIAL"],
            ["translation.checks.leftovers", "_VOWELS"],
            ["text.scripts", "_CALLED"],
        ],
    )
    assert found == [
        letter_case._LONGEST_ACRONYM, ";:—–；：؛", ["<pad>", "<unk>", "<start>", "<end>", "<mask>"],
        sorted("aeiouy"), [["Cjk", "Han"]],
    ]  # fmt: skip


def test_tables_are_there_by_their_paths():
    found = call_javascript("rules.js", "table", [["text/languages/hi.toml"], ["translation/ui_terms/en-hi.tsv"]])
    assert "postpositions" in found[0]
    assert "\t" in found[1]


def test_every_pattern_of_the_exported_modules_is_there():
    assert isinstance(numbers._NUMBER, re.Pattern)
    assert set(rules()["translation.numbers"]) >= {"_GROUPED", "_NUMBER", "_WITH_SURROUNDINGS"}
