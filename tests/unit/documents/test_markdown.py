import re

import pytest

from dhyan.documents.batches import Failed, translate_units
from support.documents import brackets, same, texts, through, units
from support.growth import growth


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# Title #\n", "# [Title] #\n"),
        ("## About {#about}\n", "## [About] {#about}\n"),
        ("Title\n=====\n", "[Title]\n=====\n"),
        ("- one\n* two\n10. three\n", "- [one]\n* [two]\n10. [three]\n"),
        ("- [x] done\n", "- [x] [done]\n"),
        ("> quoted\n>\n> > twice\n", "> [quoted]\n>\n> > [twice]\n"),
        ("> [!NOTE]\n> Look\n", "> [!NOTE]\n> [Look]\n"),
        ("[^1]: A note.\n", "[^1]: [A note.]\n"),
        ("One line\\\nanother\n", "[One line\\\nanother]\n"),
        ("> One line  \n> another\n", "> [One line  \n> another]\n"),
        ("* * *\n---\n***\n", "* * *\n---\n***\n"),
    ],
)
def test_marks_at_the_edges_stay(content, expected):
    assert through("md", content) == expected


@pytest.mark.parametrize(
    "kept",
    [
        "---\nlayout: not this\ndate: 2020-01-02\n---\n",
        "+++\nlayout = 'not this'\n+++\n",
        "```\ncode\n\ncode\n```\n",
        "~~~~ python\ncode\n~~~\nstill code\n~~~~\n",
        "- x1\n\n  ```sh\n  code\n  ```\n".replace("x1", "1"),
        "> ```\n> code\n> ```\n",
        "$$\nx = y\n$$\n",
        "\n    code\n\n    more code\n",
        "1. 1\n\n       code in an item\n",
        "[ref]: ../a/b.html 'A title'\n",
        "<div align='center'>\nInside\n</div>\n",
        "<!-- a comment\n\nwith a gap -->\n",
        "<pre>\n\ncode\n</pre>\n",
        "`only code`\n",
        "<https://example.com/page>\n",
        "| 1 | 2 |\n|---|---|\n| 3 | `code` |\n",
    ],
)
def test_what_is_no_prose_stays(kept):
    assert through("md", kept) == kept
    # … and it ends where it ends.
    assert through("md", f"{kept}\nWords.\n") == f"{kept}\n[Words.]\n"


def test_titles_of_links_and_images():
    content = """See [the docs](a.md "All of them") or ![a cat](b.png 'Our cat') [`f`](c "Code") [x](d "a\\"b").\n"""
    (asked,) = texts("md", content)
    assert (
        asked
        == "See <x1>the docs</x1> or <x3/> <x5/> <x6>x</x6>.<p x8/>All of them<p x9/>Our cat<p x10/>a cat<p x11/>Code"
    )
    assert through("md", content, same) == content
    quoted = through("md", content, lambda given: [given[0].replace("All", '"Any"').replace("Our", "Anna's")])
    assert quoted == content.replace("All", "&#34;Any&#34;").replace("Our", "Anna&#39;s")


def test_keys_and_code_of_html_are_no_words():
    content = "Press <kbd>Ctrl</kbd>+<KBD class='x'>*C*</KBD> to <b>copy</b>.\n"
    assert texts("md", content) == ["Press <x1/>+<x4/> to <x5>copy</x5>."]
    assert through("md", content) == f"[{content[:-1]}]\n"


def test_a_lone_rule_at_the_top_is_no_front_matter():
    assert through("md", "---\nWords.\n") == "---\n[Words.]\n"


def test_text_of_a_list_item_is_no_code():
    content = "- one\n\n  two\n\n    - three\n\n      four\n\n1.  five\n\n    six\n"
    assert texts("md", content) == ["one", "two", "three", "four", "five", "six"]


def test_code_after_a_list_is_code():
    assert texts("md", "- one\n\nwords\n\n    code\n") == ["one", "words"]


def test_a_quote_is_a_paragraph_of_its_own():
    assert through("md", "words\n> quoted\n> > twice\n") == "[words]\n> [quoted]\n> > [twice]\n"


def test_table_cells():
    content = "| Name | *Use* |\n| :-- | --: |\n| a \\| b | [x](y.md) |\n"
    assert texts("md", content) == ["Name", "<x1>Use</x1>", "a | b", "<x1>x</x1>"]
    assert through("md", content, lambda found: [f"{text}|" for text in found]) == (
        "| Name\\| | *Use*\\| |\n| :-- | --: |\n| a \\| b\\| | [x](y.md)\\| |\n"
    )
    assert through("md", "this | that\n") == "[this | that]\n"


def test_a_paragraph_is_one_text_over_as_many_lines():
    content = "  This sentence goes\n  over *three\n  lines* here.\n\n> So does\n> this one.\n"
    assert texts("md", content) == [
        "This sentence goes over <x1>three lines</x1> here.",
        "So does this one.",
    ]
    assert through("md", content, lambda found: [text.upper().replace("X1", "x1") for text in found]) == (
        "  THIS SENTENCE\n  GOES OVER *THREE\n  LINES* HERE.\n\n> SO DOES\n> THIS ONE.\n"
    )


def test_no_line_of_a_translation_begins_with_a_mark():
    assert through("md", "a b\nc d\n", lambda found: ["ab - cd"]) == "ab - cd\n"
    assert through("md", "a b\nc d\n", lambda found: ["ab **cd"]) == "ab\n**cd\n"


def test_link_targets_stay():
    content = 'See [the *guide*](guide(1).md "T") and ![a picture](img/a.png), [this][ref], [that][] or [it].\n'
    definitions = "\n[that]: a.md\n[it]: b.md\n"
    handed = "See <x3>the <x1>guide</x1></x3> and <x5/>, <x6>this</x6>, <x8>that</x8> or <x10>it</x10>."
    handed += "<p x12/>T<p x13/>a picture"
    assert texts("md", content + definitions) == [handed]
    assert through(
        "md", content + definitions, lambda found: [re.sub(r"guide|that|it|picture", "X", text) for text in found]
    ) == ('See [the *X*](guide(1).md "T") and ![a X](img/a.png), [this][ref], [X][that] or [X][it].\n' + definitions)


def test_what_is_no_language_is_covered():
    content = "Use `a*b*` and snake_case_name, \\*this\\*, http://x.y/z, a@b.org, $x^2$ or it[^1].\n"
    assert texts("md", content) == ["Use <x1/> and snake_case_name, *this*, <x2/>, <x3/>, <x4/> or it<x5></x5>."]
    assert through("md", content, lambda found: [text.replace("Use", "With") for text in found]) == content.replace(
        "Use", "With"
    )


def test_a_translation_that_loses_a_link_is_refused():
    done = translate_units(units("md", "Fine.\n\nSee [it](a.md).\n"), lambda found: ["lost"] * len(found))
    assert done.content == "lost\n\nSee [it](a.md).\n"
    assert done.failed == [Failed(3, "The translation lost '['.")]


def test_a_text_with_such_tags_of_its_own():
    content = "A <x1>tag</x1> and [a link](b).\n"
    assert texts("md", content) == ["A <xx1>tag</xx1> and <xx3>a link</xx3>."]
    assert through("md", content) == "[A <x1>tag</x1> and [a link](b).]\n"


def test_crlf_inside_a_paragraph():
    assert through("md", "one two\r\nthree four\r\n", brackets) == "[one two\r\nthree four]\r\n"


LONG_LINES = {
    "spaces between words": lambda size: "a" + " " * size + "b",
    "spaces before a heading's end": lambda size: "# a" + " " * size + "b",
    "closing marks that close nothing": lambda size: "# a" + " #" * size + "b",
    "nearly a rule": lambda size: "- - -" + " " * size + "x",
    "nearly the line below a table's header": lambda size: "a|b\n" + " " * size + "-|-" + " " * size + "x",
    "brackets": lambda size: "[" * size,
    "colons": lambda size: "a: " * size,
    "notes that nothing ends": lambda size: "[^a ^[" * size,
    "openings of templates": lambda size: "{{" * size,
}


@pytest.mark.parametrize("name", LONG_LINES)
def test_reading_is_linear_in_a_long_line(name):
    assert growth(lambda size: units("md", LONG_LINES[name](size))) < 1.6


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("# a", "a"),
        ("## a b ##  ", "a b"),
        ("# one {#name .class} ##\t", "one"),
        ("# a #b", "a #b"),
        ("# a#", "a#"),
        ("# a{b}", "a{b}"),
        ("# a {b}", "a {b}"),
        ("# {#a b", "{#a b"),
    ],
)
def test_what_closes_a_heading_is_kept(content, words):
    assert texts("md", content + "\n") == [words]
    assert through("md", content + "\n", lambda found: ["X"]) == content.replace(words, "X") + "\n"
