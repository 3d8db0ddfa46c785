"""A word is found where it stands, whole, in any script and case."""

import pytest

from dhyan.core.errors import DhyanError
from dhyan.text.words import find_word


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("bank", "The bank's river BANK, not banker.", ["bank", "BANK"]),
        ("घर", "घरों में घर है", ["घर"]),  # not the beginning of घरों, whose next letter is a mark
        ("New York", "in new york today", ["new york"]),
        ("c++", "I like C++.", ["C++"]),
        ("cafe\u0301", "the café is open", ["café"]),
    ],
)
def test_a_word_is_found_whole(word, text, found):
    assert [text[begin:end] for begin, end in find_word(word, text)] == found


@pytest.mark.parametrize(("word", "told"), [("bank", "is not in the text 'the banker sat'"), ("  ", "is empty")])
def test_a_word_that_is_not_there_is_told(word, told):
    with pytest.raises(DhyanError, match=told):
        find_word(word, "the banker sat")
