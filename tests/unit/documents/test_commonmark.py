"""Whatever Markdown means, its translation means it too: the examples of CommonMark, and ours of GFM and the rest.

The specification's examples come from a package of npm's registry, once; without Node or the network ours remain.
"""

import re
import subprocess
import tarfile
from itertools import product

import pytest

from dhyan.documents.batches import translate_units
from support.documents import same, units
from support.markdown_trees import ADVERSARIES, commonmark, extended, tree

PACKAGE = "commonmark-spec@0.31.2"
_FENCE = "`" * 32
_EXAMPLE = re.compile(rf"^{_FENCE} example\n(.*?)^\.\n.*?^{_FENCE}$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def specification(request):
    folder = request.config.cache.mkdir("commonmark")
    file = next(folder.glob("*.tgz"), None)
    if file is None:
        try:
            subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError):
            pytest.skip("the specification's examples take npm and the network, once")
        file = next(folder.glob("*.tgz"))
    with tarfile.open(file) as archive:
        text = archive.extractfile("package/spec.txt").read().decode("utf-8")
    return [found.replace("→", "\t") for found in _EXAMPLE.findall(text)]


COMMONMARK, EXTENDED = commonmark(), extended()


def check(content, *parsers):
    """The same bytes if nothing changes; the same structure if every word does; and nothing is left out."""
    found = units("md", content)
    assert translate_units(found, same).content == content
    wanted = [tree(parser, content) for parser in parsers]
    for name, translate in ADVERSARIES.items():
        done = translate_units(found, translate)
        assert not done.failed, (name, content)
        assert [tree(parser, done.content) for parser in parsers] == wanted, (name, content, done.content)


def test_examples_of_the_specification(specification):
    assert len(specification) > 600
    for content in specification:
        check(content, COMMONMARK, EXTENDED)


# What stands in a line, and what a line stands in; every one in every other.
INSIDE = [
    "Plain words here.",
    "**Enter** to *continue* or ***quit***",
    "A footnote is here[^1]. And another[^long-name] there.",
    "Energy $E = mc^2$ is mass, it costs $5 or $6.",
    r"Real \*stars\* and \_lines\_, \# no heading, a \| bar, \[no link\](x).",
    "![First picture](a.png) beside ![the second one](b.png) of them",
    "A [link](http://x.y/z 'Title'), a [reference][ref], [ref] and [ref][] and <https://x.y/auto>.",
    "Bare https://example.org/a_b_c and www.example.org/x and someone@example.org too.",
    "Code `a * b` and ``c ` d`` and [`linked`](code.md) and **`bold`**.",
    "~~Struck out~~ words, <b class='x y'>bold</b> ones, H<sub>2</sub>O, <!-- a comment --> end.",
    "First line  \nbroken hard\\\ntwice",
    "Soft line\nbreaks *over two\nlines* stay",
    "Caf&eacute; &amp; bar &copy; 2020 &lt;tag&gt; A&nbsp;B",
    "1\\. not a list, 2 * 3 * 4, snake_case_word, a<b and b>c, 50% #hashtag",
    "Emoji :smile: and :+1:, [[a wiki page]] and [[Page|words for it]], {{ variable }} {% tag a=b %}",
    "**Bold with *emphasis* inside** and *the **other** way*, _low_ and __lower__",
    "[![Badge](badge.svg)](https://x.y) some words [*emphasised* link](a.md)",
    '"Quoted," she said -- (in brackets) ... and so on: this; that!',
    "An exclamation![link](x)! mark *before*! a link",
    "**Note:** word**bold**word and *it*s",
    "One line<br>another<br/> one (https://example.org/), in brackets",
]
AROUND = {
    "paragraph": lambda inside: inside,
    "heading": lambda inside: (
        "## " + inside.replace("\\\n", " ").replace("  \n", " ").replace("\n", " ") + " {#name}"
    ),
    "closed heading": lambda inside: "# " + inside.replace("\\\n", " ").replace("\n", " ").rstrip("\\") + " ##",
    "setext heading": lambda inside: inside + "\n-----",
    "quote": lambda inside: "> " + inside.replace("\n", "\n> ") + "\n>\n> > twice",
    "list": lambda inside: "- " + inside.replace("\n", "\n  ") + "\n  1) nested\n\n     paragraph\n\n- [x] a task",
    "lazy": lambda inside: "> - " + inside,
    "cell": lambda inside: f"| One | Two |\n|:--|--:|\n| {inside.replace(chr(10), ' ')} | `a \\| b` words |\n",
    "bare cell": lambda inside: f"> One | Two\n> ---|---\n> {inside.replace(chr(10), ' ')} | last",
    "note": lambda inside: "[^9]: " + inside.replace("\n", "\n    ") + "\n\n    more of it",
    "definition": lambda inside: "A term\n: " + inside.replace("\n", "\n  ") + "\n\n  more of it",
}
ENDING = "\n\n[ref]: ../a_b/c.md 'A title'\n\n[^1]: Note one.\n[^long-name]: Note two.\n\n    code\n"


@pytest.mark.parametrize("around", AROUND)
def test_what_stands_in_a_line_in_whatever_it_stands(around):
    for inside in INSIDE:
        check(AROUND[around](inside) + ENDING, EXTENDED)


def test_blocks_after_blocks():
    pieces = [
        "Words\n",
        "# A *b*\n",
        "> q r\n",
        "- i j\n",
        "1. i\n",
        "~~~\nc d\n~~~\n",
        "    c d\n",
        "<p>\nh i\n</p>\n",
    ]
    pieces += ["***\n", "| a | b |\n|--|--|\n| c | d |\n", "$$\nx y\n$$\n", "[l]: m\n", "Title\n===\n", "\n"]
    for first, second in product(pieces, repeat=2):
        check(f"{first}{second}Some\nwords\n{second}\n{first}", EXTENDED)
