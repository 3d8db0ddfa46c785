"""Marks are on the translation of the same words, whatever the word order; nothing is made up."""

import numpy as np
import pytest

from dhyan.explain.analyses.head_alignment import Alignment, TooLongToAlign
from dhyan.translation.inline_marks import MarkedSentence, tag_pairs
from dhyan.translation.pipeline import TextPipeline
from dhyan.translation.protected_spans import protected_spans


def aligner(links):
    """Which source words a target word comes from, by its number."""

    def align(source, target):
        given, written = tuple(source.split()), tuple(target.split())
        weights = np.full((len(written), len(given)), 0.01)
        for number, words in enumerate(links):
            for word in words:
                weights[number, word] = 1.0
        return Alignment(given, written, weights / weights.sum(axis=1, keepdims=True), ())

    return align


def marked(text):
    return MarkedSentence.of(text, protected_spans(text))


@pytest.mark.parametrize(
    ("source", "translation", "links", "expected"),
    [
        (
            "Press <b>Save</b> before you close the <i>window</i>.",
            "विंडो बंद करने से पहले सहेजें दबाएँ।",
            [[6], [4], [4], [2], [2], [1], [0, 6]],
            "<i>विंडो</i> बंद करने से पहले <b>सहेजें</b> दबाएँ।",
        ),
        (
            "See the <a href='x'><b>full list</b></a>",
            "पूरी सूची देखें",
            [[2], [3], [0]],
            "<a href='x'><b>पूरी सूची</b></a> देखें",
        ),
        (
            "It is here<x1></x1>, not there.",
            "यह यहाँ है, वहाँ नहीं।",
            [[0], [2], [1], [4], [3]],
            "यह यहाँ<x1></x1> है, वहाँ नहीं।",
        ),
        ("Say <b>Yes!</b> now", "अब हाँ! कहो", [[2], [1], [0]], "अब <b>हाँ!</b> कहो"),
        ("Go <b>home</b>!", "घर! जाओ", [[1], [0]], "<b>घर</b>! जाओ"),
        ("See [the list](a.md) first", "पहले सूची देखें", [[3], [2], [0]], "पहले [सूची](a.md) देखें"),
    ],
)
def test_marks_follow_their_words(source, translation, links, expected):
    assert marked(source).carried(translation, [], aligner(links)) == expected


def test_what_is_kept_is_no_word_of_the_alignment():
    found = marked("Run `a b c` for the <b>whole list</b>")
    links = [[4], [5], [2], [1], [0]]
    assert found.carried("पूरी सूची हेतु `a b c` चलाएँ", ["`a b c`"], aligner(links)) == "<b>पूरी सूची</b> हेतु `a b c` चलाएँ"
    assert found.carried("पूरी सूची चलाएँ", ["`a b c`"], aligner(links)) is None


def test_marks_that_would_cross_are_not_made():
    assert marked("a <b>b</b> <i>c</i> d").carried("x y z", [], aligner([[1, 2], [1, 2], [3]])) is None


def test_what_is_too_long_to_be_aligned_is_left_to_the_caller():
    def refuse(source, target):
        raise TooLongToAlign("it is too long")

    assert marked("a <b>b</b> c").carried("x y z", [], refuse) is None


def test_half_a_pair_is_left_to_the_caller():
    assert marked("the end</b> of it") is None
    assert marked("no marks at all") is None


def test_pairs():
    text = "<b>a <i>b</i> <b>c</b></b> </u> [x](y) <!-- z -->"
    pairs = [(first.replacement, last.replacement) for first, last in tag_pairs(protected_spans(text))]
    assert pairs == [("<b>", "</b>"), ("<i>", "</i>"), ("<b>", "</b>"), ("[", "](y)")]


def test_the_model_sees_a_sentence_without_its_marks():
    asked = []

    def translate(sentences, strict):
        asked.extend(sentences)
        return [" ".join(reversed(sentence.split())) for sentence in sentences]

    align = aligner([[4], [3], [2], [1], [0]])
    pipeline = TextPipeline(translate, align=align)
    text = "<b>Never</b> share <x3/> your <i>password</i>"
    assert pipeline.translate([text])[0].text == "<i>password</i> your <x3/> share <b>Never</b>"
    assert asked == ["Never share X1 your password"]
    # Without an alignment the tags are placeholders, and a pair keeps its words.
    assert TextPipeline(translate).translate(["a <b>c</b> d"])[0].text.count("<b>") == 1
