"""With the packs that ship: emphasis and links are on the words that say the same."""

import re

import pytest

import dhyan


@pytest.fixture(scope="module")
def translator(alone):
    return dhyan.load("en-hi", threads=1)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Read the <x1>installation guide</x1> first.", ["<x1>इंस्टॉलेशन गाइड</x1>"]),
        ("Press <x1>Save</x1> before you close the <x3>window</x3>.", ["<x3>विंडो</x3>", "<x1>"]),
        ("Our team answers <x1>every question</x1> within <x3>two days</x3>.", ["<x1>हर ", "<x3>दो दिन</x3>"]),
        (
            "The <x1>red</x1> button stops the machine, the <x3>green</x3> one starts it.",
            ["<x1>लाल</x1>", "<x3>हरा</x3>"],
        ),
    ],
)
def test_marks_are_on_the_same_words(translator, source, expected):
    found = translator.translate(source)
    assert all(part in found.text for part in expected), found.text
    without_marks = re.compile(r"</?x\d>")
    assert without_marks.sub("", found.text) == translator(without_marks.sub("", source))  # they change no word
