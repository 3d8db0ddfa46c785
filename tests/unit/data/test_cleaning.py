"""What the cleaner leaves out, and how it tells."""

from pathlib import Path

import pytest

from dhyan.data.cleaning import Cleaner, CleaningSettings
from dhyan.data.corpus import Row

FILE = Path("pairs.tsv")
EIGHT_WORDS = "the river runs past the old mill today"


def clean(*rows, pairs=True, text_columns=None, **changed):
    cleaner = Cleaner(CleaningSettings(**changed), pairs=pairs, text_columns=text_columns)
    kept = [row.columns for row in cleaner(Row(columns, FILE, line) for line, columns in enumerate(rows, start=1))]
    assert cleaner.kept == len(kept)
    assert cleaner.kept + sum(count for _, count, _ in cleaner.table()) == len(rows)
    return kept, {reason: count for reason, count, _ in cleaner.table()}


def test_good_rows_are_kept_in_nfc_and_without_blanks_around():
    assert clean((" cafe\u0301 ", "कैफ़े\t")) == ([("café", "कैफ़े")], {})


@pytest.mark.parametrize("bad", [("", "b"), ("a", " \u3000\t")])
def test_empty(bad):
    assert clean(("a", "b"), bad) == ([("a", "b")], {"empty": 1})
    assert clean(("a", "b"), bad, clean=False) == ([("a", "b")], {"empty": 1})


def test_duplicates():
    rows = [("a", "b"), ("a", "c"), (" a", "b "), ("ab", "c"), ("a", "bc")]
    assert clean(*rows) == ([("a", "b"), ("a", "c"), ("ab", "c"), ("a", "bc")], {"duplicate": 1})
    assert len(clean(*rows, drop_duplicates=False)[0]) == 5


def test_too_long():
    assert clean(("a b c", "x y"), ("a b c d", "x y"), max_words=3)[1] == {"too long": 1}
    assert clean(("abc", "xy"), ("xyz", "abcd"), max_characters=3)[1] == {"too long": 1}


def test_length_ratio_is_asked_of_longer_texts_only():
    assert clean((EIGHT_WORDS, "नदी"))[1] == {"length ratio": 1}
    assert clean(("नदी", EIGHT_WORDS))[1] == {"length ratio": 1}
    assert clean(("hello and good day", "नम"))[1] == {}
    assert clean((EIGHT_WORDS, "नदी"), max_ratio=20)[1] == {}
    assert clean((EIGHT_WORDS, "नदी"), pairs=False)[1] == {}


def test_identical_sides():
    assert clean(("OK", "OK"))[1] == {"identical sides": 1}
    assert clean(("OK", "OK"), drop_identical=False)[1] == {}
    assert clean(("OK", "OK"), pairs=False)[1] == {}


def test_script():
    rows = [("river", "नदी"), ("river bank", "river नदी तट"), ("नदी", "तट"), ("bridge", "bridge"), ("1947", "1947 में")]
    kept, dropped = clean(*rows, source_script="Latin", target_script="Devanagari", drop_identical=False)
    assert kept == [rows[0], rows[4]]
    assert dropped == {"script": 3}


def test_half_of_the_letters_is_enough():
    assert clean(("a", "abकख"), target_script="Devanagari")[1] == {}


def test_labels_are_not_texts():
    rows = [("good", EIGHT_WORDS), ("good ", "x"), ("bad", "x"), ("", "y")]
    kept, dropped = clean(*rows, pairs=False, text_columns=(1,), source_script="Latin", max_words=8)
    assert kept == [("good", EIGHT_WORDS), ("good", "x"), ("bad", "x")]
    assert dropped == {"empty": 1}
    assert clean(("नदी", "abc"), pairs=False, text_columns=(1,), source_script="Latin")[1] == {}


def test_lists_of_any_length():
    rows = [("a", "b", "c"), ("a", "a", "a"), ("a", "b")]
    assert clean(*rows)[0] == [("a", "b", "c"), ("a", "b")]


def test_without_cleaning_only_empty_rows_go():
    rows = [("a", "a"), ("a", "a"), ("x " * 300, "y"), ("", "")]
    assert clean(*rows, clean=False)[1] == {"empty": 1}


def test_the_table_names_the_first_place_and_the_worst_reason_first():
    cleaner = Cleaner(CleaningSettings(), pairs=True)
    texts = [("a", "b"), ("c", ""), ("a", "b"), ("a", "b")]
    list(cleaner(Row(columns, FILE, line) for line, columns in enumerate(texts, start=1)))
    assert cleaner.table() == [("duplicate", 2, "pairs.tsv:3"), ("empty", 1, "pairs.tsv:2")]
    assert cleaner.dropped["duplicate"].count == 2
