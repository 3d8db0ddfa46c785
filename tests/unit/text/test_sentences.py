"""Sentences: cut where they end, whole where they do not, and nothing lost."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dhyan.text.sentences import split_long, split_sentences

# Bars show where the text is cut.
TEXTS = [
    "He came. |She left! |Why? |Nobody knows… |Really",
    "Dr. Smith met Mr. and Mrs. Rao. |They talked.",
    "J. K. Rowling wrote it. |John F. Kennedy did not.",
    "It is rich in vitamin C. |It is good.",
    "The U.S. Army came at 5 p.m. |They left.",
    "Call at 9 a.m. IST? |Or at 5 p.m. Friday. |It is 5 p.m. |It ended at 8 p.m. March 3.",
    "Max. temp. 38 °C. |I called Max. |He is an MD. |ABC Pvt. Ltd. |Mt. Abu, Opp. Bus Stand.",
    "See Q. 4. |A question has a Q. |Yes.",
    "Fruit, e.g. apples, pears, etc. is good, i.e. healthy. |Eat it.",
    "Prof. (Dr.) R. K. Singh and Pt. Nehru met. |They talked.",
    "See No. 5 and Fig. 2. |No. |I will not.",
    "On Jan. 5 it rained. |In Mar. nobody came.",
    "Smith vs. Jones was long. |It ended.",
    "It costs 3.14 or 1,234.50 rupees. |Pay 25.5% now.",
    "See https://example.org/a.b?c=d. |Then write to me.too@example.org. |Done.",
    "Open report.final.pdf now. |Read it.",
    "Well... perhaps. |Well... |Perhaps.",
    "Wait… what? |No.",
    '"Stop!" he said. |"Why?" |She ran. |(It was late.) |He slept.',
    "“Stop!” he said. |“Why?” |‘Yes.’ |‘No.’",
    "What?! |No!!! |Yes.",
    "वह आया। |वह गया॥ |क्यों? |पता नहीं।",
    "वह आया।|वह गया।",
    "डॉ. सिंह और श्री. राव आए। |वे बैठे।",
    "बी. आर. अंबेडकर ने कहा. |सब ने सुना.",
    "वह आई. |फिर वह गई.",
    "यह 3.5 किलो है। |वह २.५ किलो है।",
    "one line\n|another line\r\n|third\u2028|fourth",
    "One.  |Two.\n\n\n|Three.   ",
    "  Leading. |Blanks",
    "1. Introduction",
    "Yahoo! is a name. |It was 2020. |Then came 2021.",
    "你好。|再见！|好吗？|好",
    "No end here",
    "   ",
    "...",
]


@pytest.mark.parametrize("barred", TEXTS)
def test_cut_where_they_end(barred):
    expected = barred.split("|")
    assert split_sentences(barred.replace("|", "")) == expected


def test_nothing_gives_no_sentence():
    assert split_sentences("") == []
    assert split_long("") == []


CHINESE_MARKS = set("，、；：")
AWKWARD = st.text(alphabet="aB क।.!?…\n\r\t \"')(1,;:ि\u2028", max_size=60) | st.text(max_size=60)


@given(AWKWARD)
def test_nothing_is_lost(text):
    sentences = split_sentences(text)
    assert "".join(sentences) == text
    assert all(sentences)


@given(AWKWARD)
def test_a_line_break_never_joins(text):
    for sentence in split_sentences(text):
        assert len([line for line in sentence.splitlines() if line.strip()]) <= 1


@given(AWKWARD, st.integers(1, 5))
def test_long_ones_are_cut_between_words(text, most):
    assume(CHINESE_MARKS.isdisjoint(text))  # no blank follows these: a word to Python is several
    parts = split_long(text, most)
    assert "".join(parts) == text
    assert all(len(part.split()) <= most for part in parts)
    assert [word for part in parts for word in part.split()] == text.split()


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("a b c d", ["a b c d"]),
        ("a b c d e", ["a b ", "c d e"]),
        ("a b, c d e f", ["a b, ", "c d e f"]),
        ("a, b c; d, e f g", ["a, b c; ", "d, e f g"]),
        ("  a b c d  ", ["  a b c d  "]),
        ("一，二，三；四，五，六", ["一，二，三；", "四，五，六"]),
    ],
)
def test_long_ones_are_cut_at_the_best_mark(sentence, parts):
    assert split_long(sentence, 4) == parts


def test_ordinary_sentences_are_not_cut():
    assert split_long("word " * 100) == ["word " * 100]
    assert len(split_long("word " * 101)) == 2


def test_a_part_needs_a_word():
    with pytest.raises(ValueError, match="max_words = 0"):
        split_long("a", 0)


@pytest.mark.parametrize("unit", [".", " ", "a", "a. ", "e.g. ", "।", '."', "\n", "A. "])
def test_long_texts_take_no_long_time(unit):
    text = unit * 50_000
    assert "".join(split_sentences(text)) == text
