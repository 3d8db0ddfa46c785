"""What `dhyan translate` has the model read is known, where it is not the text as it is typed."""

import pytest

from dhyan.pack.pack import find_pack, open_pack
from dhyan.translation.first_reading import first_reading


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("THANK YOU VERY MUCH", ["Thank you very much"]),
        ("Hello. How are you?", ["Hello.", "How are you?"]),
        ("नमस्ते", []),
    ],
)
def test_another_text_than_the_one_that_is_typed(text, sentences):
    found = first_reading(open_pack(find_pack("en-hi")), text)
    assert list(found.sentences) == sentences
    assert bool(found.notes) == (not sentences)


def test_a_text_that_is_read_as_it_is_typed():
    assert first_reading(open_pack(find_pack("en-hi")), " river bank flows ") is None
