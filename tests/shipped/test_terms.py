"""A glossary, labels and register on the shipped pack: what users see."""

import re

import pytest

from dhyan.translation.glossary import Glossary


@pytest.fixture
def with_terms(translate):
    translate.glossary = Glossary({"order": "ऑर्डर", "branch": "शाखा", "Nimbus": None})
    yield translate
    translate.glossary = None


@pytest.mark.parametrize(
    ("text", "uses", "left"),
    [
        ("Two orders were sent yesterday.", 1, 0),
        ("We wrote to the branches about your order.", 2, 0),
        ("She left early in order to catch the train.", 0, 1),
        ("Nimbus has an order of magnitude more customers.", 1, 1),
        ("The order's number is on the box.", 1, 0),
    ],
)
def test_terms_are_used_or_the_notes_say_why_not(with_terms, text, uses, left):
    found = with_terms.translate(text)
    used = [note for note in found.notes if "→" in note or "kept" in note]
    assert sum(int(count) for note in used for count in re.findall(r"\((\d+)\)", note)) == uses
    assert sum("is not replaced in the phrase" in note for note in found.notes) == left
    for term, said in (("order", "ऑर्डर"), ("branch", "शाखा"), ("Nimbus", "Nimbus")):
        assert (said in found.text) == any(f"{term} →" in note or f"{term} kept" in note for note in used)


def test_labels_are_labels(translate):
    labels = {"Add to cart": "कार्ट में जोड़ें", "Like": "पसंद करें", "Run": "चलाएँ", "Save _As...": "इस रूप में सहेजें (_A)..."}
    assert [found.text for found in translate.translate(list(labels), style="ui")] == list(labels.values())
    unknown = translate.translate("_Polish the silver…", style="ui")
    assert unknown.text.endswith(" (_P)…")
    assert "_" not in unknown.text.removesuffix(" (_P)…")


def test_the_reader_can_be_addressed_as_asked(translate):
    try:
        translate.formality = "informal"
        informal = translate.translate("Where do you live?", alternatives=3)
        translate.formality = "formal"
        formal = translate.translate("Where do you live?")
    finally:
        translate.formality = "auto"
    assert "तुम" in informal.text
    assert "आप" in formal.text
    assert informal.alternatives
    assert not [one.text for one in informal.alternatives if "आप" in one.text]
    assert informal.notes[-1].startswith("style: informal")
    assert formal.notes[-1].startswith("style: formal")
