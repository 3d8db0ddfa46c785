"""The parts that care is made of, one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhyan.translation.letter_case import Case, case_of, to_sentence_case
from dhyan.translation.line_layout import split_lines
from dhyan.translation.numbers import number_spans, numbers_in
from dhyan.translation.protected_spans import protected_spans, symbol_spans, watched_spans
from dhyan.translation.repetition import loops, without_loops
from support.growth import growth


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "see https://a.example/b_(c)?d=1, or (http://x.example).",
            ["https://a.example/b_(c)?d=1", "http://x.example"],
        ),
        ("www.example.org/x and example.com.", ["www.example.org/x", "example.com"]),
        ("देखें https://a.example।", ["https://a.example"]),
        ("https://a.example/{id}/x", ["https://a.example/{id}/x"]),
        ("a.b+c@x.example.org.", ["a.b+c@x.example.org"]),
        ("``a ` b`` and `c`", ["``a ` b``", "`c`"]),
        ("{name} {0} {x.y!r:>5} { not this } {{ this }} {% and this %} ${x}", None),
        ("%s %d %5.2f %(name)s %1$s 100%% %@", ["%s", "%d", "%5.2f", "%(name)s", "%1$s", "%%", "%@"]),
        ("25% discount and 5%, 3% interest", []),
        ("%ds and %increase", ["%d"]),
        ("<b>x</b> <br/> <a href='y z'> a < b > c", ["<b>", "</b>", "<br/>", "<a href='y z'>", "a < b > c"]),
        ("&amp; &#39; &#x27; AT&amp;T & co;", ["&amp;", "&#39;", "&#x27;", "AT&amp;T"]),
        ("@me.too @नमस्ते #tag #हिन्दी a#b", ["@me.too", "@नमस्ते", "#tag", "#हिन्दी"]),
        ("/etc/hosts, ~/a/b.txt ./run.sh and/or km/h 1/2", ["/etc/hosts", "~/a/b.txt", "./run.sh"]),
        ("src/dhyan/text.py, report.pdf. End.Then", ["src/dhyan/text.py", "report.pdf"]),
        ("C:\\Users\\me\\x.txt.", ["C:\\Users\\me\\x.txt"]),
        ("a\tb    c | d", ["\t", "    ", "|"]),
        ("snake_case and $HOME but $100", ["snake_case", "$HOME"]),
        ("[text](http://x.example) and [not] (this)", ["[", "](http://x.example)"]),
        ("x" * 300, ["x" * 300]),
        ("plain words, nothing else: really.", []),
        ("2.3.1-beta and 2.3-rc1, but a 6.5-inch one", ["2.3.1-beta", "2.3-rc1"]),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_hidden_spans(text, found):
    if found is None:
        found = ["{name}", "{0}", "{x.y!r:>5}", "{{ this }}", "{% and this %}", "${x}"]
    spans = protected_spans(text)
    assert [text[span.start : span.end] for span in spans] == found
    assert [span.replacement for span in spans] == found


def test_loose_spans():
    text = "a 😀 👍🏽 👨‍👩‍👧 🇮🇳 1️⃣ **b** _c_ d_e \u200f \x07 →"
    found = [span.replacement for span in symbol_spans(text)]
    assert found == ["😀", "👍🏽", "👨‍👩‍👧", "🇮🇳", "1️⃣", "**", "**", "_", "_", "\u200f", "\x07", "→"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("5 and 12", "१२ और ५", True),
        ("1,234,567", "12,34,567", True),
        ("12,345.67", "12345.67", True),
        ("10,20", "1020", False),
        ("3.5", "35", False),
        ("3:45", "45:3", False),
        ("-5", "5", False),
        ("5-10", "5 10", True),
        ("5 5", "5", False),
    ],
)
def test_numbers(one, other, same):
    assert (numbers_in(one) == numbers_in(other)) is same


def test_numbers_are_hidden_with_what_is_glued_to_them():
    text = "price ₹500, 25%, 12,345.67. at 3:45 on 12/05/2024; -5 and 5kg, 3rd, B2B, COVID-19, $$7"
    found = [span.replacement for span in number_spans(text)]
    assert found == ["₹500", "25%", "12,345.67", "3:45", "12/05/2024", "-5", "5kg", "3rd", "B2B", "19", "$7"]


@given(st.text(alphabet="a1२-,.:/₹% _ि$", max_size=30))
def test_no_digit_is_outside_the_number_spans(text):
    inside = {place for span in number_spans(text) for place in range(span.start, span.end)}
    assert all(place in inside for place, one in enumerate(text) if one.isdecimal())


@pytest.mark.parametrize(
    ("text", "case", "ordinary"),
    [
        ("HELLO WORLD", Case.UPPER, "Hello world"),
        ("I'M SURE I AM", Case.UPPER, "I'm sure I am"),
        ("HELLO", Case.UPPER, "Hello"),
        ("NASA", Case.ORDINARY, "NASA"),
        ("OK OK", Case.ORDINARY, "OK OK"),
        ("Hello World", Case.ORDINARY, "Hello World"),
        ("The Cat Sat On The Mat", Case.TITLE, "The cat sat on the mat"),
        ("Government Announces New Policy for Farmers", Case.TITLE, "Government announces new policy for farmers"),
        ("5 Easy Ways To Save Money", Case.TITLE, "5 easy ways to save money"),
        ("24 HOURS IN DELHI", Case.UPPER, "24 hours in delhi"),
        ("Ms. Kamala Harris and Mr. Tim Cook", Case.ORDINARY, "Ms. Kamala Harris and Mr. Tim Cook"),
        ("Ram, Shyam, Mohan, Sita and Gita", Case.ORDINARY, "Ram, Shyam, Mohan, Sita and Gita"),
        ("Indira Gandhi International Airport", Case.ORDINARY, "Indira Gandhi International Airport"),
        ("What Is NASA?", Case.ORDINARY, "What Is NASA?"),
        ("ПРИВЕТ МИР", Case.UPPER, "Привет мир"),
        ("नमस्ते दुनिया", Case.ORDINARY, "नमस्ते दुनिया"),
    ],
)
def test_case(text, case, ordinary):
    assert case_of(text) is case
    assert to_sentence_case(text, case) == ordinary


@given(st.text(max_size=30), st.sampled_from(Case))
def test_ordinary_case_moves_nothing(text, case):
    assert len(to_sentence_case(text, case)) == len(text)


@pytest.mark.parametrize(
    ("text", "source", "cut"),
    [
        ("ok ok ok ok", "ok", "ok"),
        ("Ok, ok, ok, ok.", "ok", "ok."),
        ("धीरे धीरे चलो", "walk slowly", "धीरे धीरे चलो"),
        ("no no no no", "no no no no", "no no no no"),
        ("no no no no no no no no", "no no no", "no"),
        ("a b c a b c a b c a", "x", "a b c"),
        ("well a b a b a b then", "x", "well a b then"),
        ("हाहाहाहाहाहाहाहाहाहाहाहा", "laugh", "हा"),
        ("wait..........", "wait..........", "wait.........."),
        ("one two three", "x", "one two three"),
        ("", "x", ""),
    ],
)
def test_loops(text, source, cut):
    assert without_loops(text, source) == cut
    assert loops(text, source) is (text != cut)


@given(st.text(alphabet="ab -*#>1.)`~\n\r\t", max_size=40) | st.text(max_size=40))
def test_lines_lose_nothing(text):
    assert "".join(piece for piece, _ in split_lines(text)) == text


def test_fences_end_where_they_are_closed():
    text = "a\n````\nb\n```\nc\n````\nd\n```inline``` e"
    assert [piece for piece, translated in split_lines(text) if translated] == ["a", "d", "```inline``` e"]


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        ".",
        " ",
        "<",
        "[",
        "`",
        "{",
        "https://(",
        "a@",
        "1,",
        "_",
        "e.g. ",
        "<a ",
        "[a](",
        "x^",
        "$a",
        "\\(",
        "1:",
        "x + ",
        "5 lb. ",
    ],
)
def test_the_search_is_linear_in_the_text(unit):
    def search(size):
        text = (unit * size)[:size]
        return protected_spans(text), watched_spans(text)

    assert growth(search) < 1.6
