"""Tables keep their words at any width, line up for Devanagari, and send styles to terminals alone."""

import io

import pytest

from dhyan.cli.console import ConsoleProgress
from dhyan.core.screen import BOLD, Cell, Screen, display_width, folded, on_colour, padded, shortened_to


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(rows, width=80, **settings):
    out = io.StringIO()
    Screen(file=out, width=width).table(rows, **settings)
    return out.getvalue().splitlines()


def test_marks_have_no_width_and_chinese_has_two():
    assert [display_width(text) for text in ("abc", "हूँ", "क्या", "東京", "e\u0301")] == [3, 1, 3, 4, 1]
    assert padded("हूँ", 3) == "हूँ  "
    assert padded("7", 3, right=True) == "  7"


def test_columns_line_up_and_lines_end_with_words():
    assert printed([("हूँ", "x", "1"), ("longer", "", "22")], headers=("word", "", "count"), right=[2]) == [
        "word       count",
        "हूँ       x      1",
        "longer        22",
    ]


@pytest.mark.parametrize("width", [20, 33, 60, 200])
def test_a_table_that_is_too_wide_is_folded_and_loses_no_word(width):
    long = "a claim that holds because of several reasons which are given here at length"
    lines = printed([("name", long), ("another", "short")], width)
    assert sorted(" ".join(lines).split()) == sorted(f"name another short {long}".split())
    assert max(map(display_width, lines)) <= width
    assert (len(lines) == 2) == (width == 200)


def test_columns_that_may_not_become_narrower_do_not():
    lines = printed([("a_signature_that_stays", "words that are folded")], 30, least=[22, 5])
    assert lines[0] == "a_signature_that_stays  words"
    assert " ".join(lines).split() == ["a_signature_that_stays", "words", "that", "are", "folded"]


def test_a_word_longer_than_the_line_is_cut_and_nothing_is_lost():
    assert folded("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"]
    assert "".join(folded("東京都千代田区", 3)) == "東京都千代田区"
    assert folded("", 5) == [""]
    assert shortened_to("abcdef", 4) == "abc…"


def test_styles_are_for_terminals(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain, coloured = io.StringIO(), Terminal()
    for out in (plain, coloured):
        Screen(file=out, width=40).table([(Cell("1", on_colour("white", (1, 2, 3))),)], ("head",))
    assert plain.getvalue() == "head\n1\n"
    assert coloured.getvalue() == "\x1b[1mhead\x1b[0m\n\x1b[37;48;2;1;2;3m1   \x1b[0m\n"
    monkeypatch.setenv("NO_COLOR", "1")
    bare = Terminal()
    Screen(file=bare).print("text", BOLD)
    assert bare.getvalue() == "text\n"
    piped = io.StringIO()
    monkeypatch.setenv("FORCE_COLOR", "1")
    Screen(file=piped).print("text", BOLD)  # who wants none is asked first
    monkeypatch.setenv("NO_COLOR", "")  # not a wish: no-color.org
    Screen(file=piped).print("text", BOLD)
    assert piped.getvalue() == "text\n\x1b[1mtext\x1b[0m\n"


def test_the_progress_bar_stays_below_what_is_said_and_goes_away_at_the_end(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    shown = ConsoleProgress(Screen(file=out, width=100))
    with shown.working("reading", 4) as update:
        update(4, loss="2.31", rate="12 texts/s")
        bar = out.getvalue().rpartition("\r\x1b[2K")[2]
        assert bar.startswith("reading  ━━━")
        assert bar.endswith("━  4/4  loss 2.31  12 texts/s  0:00:00  left 0:00:00")
        shown.say("something")
        assert out.getvalue().endswith(f"something\n{bar}")
    assert out.getvalue().endswith("\r\x1b[2K")
