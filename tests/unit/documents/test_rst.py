"""reStructuredText: the tree that docutils reads is the same after a translation that changes every word."""

import docutils.core
import docutils.nodes
import pytest

from dhyan.documents.batches import translate_units
from support.documents import same, texts, through, units
from support.markdown_trees import ADVERSARIES

TITLES = "==========\nThe manual\n==========\n\n:Author: Somebody Here\n:Version: 1.0\n\n"
DOCUMENTS = {
    "titles": TITLES
    + "First part\n----------\n\nSome words.\n\nOf it\n~~~~~\n\nMore words\nover lines.\n\n----\n\nEnd of it.\n",
    "inline": (
        "Some *emphasis*, **strong words**, ``literal * text`` and `a link <https://x.y/z>`_,\n"
        "a name_ and `long name`_, a note [1]_, one more [#auto]_, |replaced| and https://example.org/a_b too.\n\n"
        ".. _name: https://x.y\n.. _long name: other.html\n.. |replaced| replace:: words here\n"
        ".. [1] The first note\n   over two lines.\n.. [#auto] The second one.\n"
    ),
    "escapes": "Real \\*stars\\* and 2 * 3 and snake_case and a\\_ and \\`ticks\\` and C:\\\\dir.\n",
    "lists": (
        "- one item\n- another that goes\n  over two lines\n\n  and has a paragraph\n\n  - a nested one\n\n"
        "1. first\n2. second\n\n   * deep\n\n(a) letters\n(b) too\n\n#. automatic\n#. numbers\n"
    ),
    "definitions": "term one\n    Its definition\n    goes on.\n\nterm two : kind\n    Another one.\n\n    More.\n",
    "fields": "Words first.\n\n:param name: what it is\n:type name: int\n:returns: what comes\n    back\n",
    "options": (
        "Words first.\n\n"
        "-a          all of them\n--long=ARG  a long one\n            over lines\n-b FILE     of a file\n"
    ),
    "literals": (
        "As here::\n\n    code * here\n\n      more\n\nAnd this ::\n\n  code\n\n::\n\n  code too\n\n"
        "Quoted::\n\n> a b\n> c d\n\nEnd.\n"
    ),
    "doctest": "Try it:\n\n>>> print('a b')\na b\n\nAnd so on.\n",
    "lines": "| First line of\n| a *poem* here\n|\n|   set in\n\nWords after it.\n",
    "quote": "Somebody said:\n\n    To be or not\n    to be.\n\n    -- Somebody\n\nWords after it.\n",
    "tables": (
        "Before it.\n\n+-----+-----+\n| a b | c d |\n+=====+=====+\n| e   | f g |\n+-----+-----+\n\n"
        "=====  =====\na b    c d\n=====  =====\ne      f g\n=====  =====\n\nAfter it.\n"
    ),
    "directives": (
        ".. note:: Look at this\n   with care.\n\n   And this.\n\n.. warning::\n\n   Never do *that*.\n\n"
        ".. code-block:: python\n   :linenos:\n\n   print('a b')\n\n"
        ".. image:: a.png\n   :alt: A picture of it\n   :width: 10\n\n"
        ".. figure:: b.png\n   :alt: Another one\n\n   The caption of it.\n\n   And a legend.\n\n"
        ".. topic:: A title here\n\n   Words in it.\n\n.. admonition:: And so on\n\n   More words.\n\n"
        ".. math:: a = b\n\n.. comment that nobody\n   sees\n\n..\n   another one\n\n"
        ".. raw:: html\n\n   <b>c d</b>\n\nThe end.\n"
    ),
    "implicit": "See `First part`_ for it.\n\nFirst part\n==========\n\nWords there.\n",
    "list table": (
        ".. list-table:: Of things\n   :header-rows: 1\n\n   * - One\n     - Two\n   * - Three words\n     - Four\n"
    ),
}


def tree(content):
    settings = {"report_level": 5, "halt_level": 6, "syntax_highlight": "none", "_disable_config": True}
    return _nested(docutils.core.publish_doctree(content, settings_overrides=settings))


_PROSE = ("paragraph", "title", "term", "line", "attribution", "caption", "emphasis", "strong", "reference")
_VERBATIM = ("literal", "literal_block", "doctest_block", "comment", "raw", "math", "math_block")
_NAMED = ("refuri", "refname", "uri", "width", "anonymous", "format", "enumtype", "bullet")


def _nested(node):
    inside = [_nested(one) for one in node.children if not isinstance(one, docutils.nodes.Text)]
    inside = [one for one in inside if one[0] != "target" and one[0] != "system_message"]
    if node.tagname in _PROSE:
        inside.sort(key=repr)
    kept = (
        node.astext()
        if node.tagname in ("literal", "literal_block", "doctest_block", "comment", "raw", "math")
        else ""
    )
    return (node.tagname, kept, [str(node.get(name)) for name in _NAMED if node.get(name)], inside)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_tree_stays(name):
    content = DOCUMENTS[name]
    found = units("rst", content)
    assert "".join(unit.raw for unit in found) == content
    assert through("rst", content, same) == content
    for translate in ADVERSARIES.values():
        done = translate_units(found, translate)
        assert not done.failed
        assert done.content != content
        assert tree(done.content) == tree(content), done.content


def test_what_is_translated():
    assert texts("rst", DOCUMENTS["directives"]) == [
        *["Look at this with care.", "And this.", "Never do <x1>that</x1>.", "A picture of it", "Another one"],
        *[
            "The caption of it.",
            "And a legend.",
            "A title here",
            "Words in it.",
            "And so on",
            "More words.",
            "The end.",
        ],
    ]
    content = "Call :py:func:`run` or :ref:`the guide <label>` [1]_, see `a page <x.html>`__ and |this|.\n"
    assert texts("rst", content) == ["Call <x1/> or <x2>the guide</x2> <x4></x4>, see <x6>a page</x6> and <x8/>."]


def test_code_in_an_admonition():
    content = ".. note:: Install it first::\n\n      pip install it\n\n   More words.\n"
    assert texts("rst", content) == ["Install it first", "More words."]


def test_the_line_under_a_title_is_as_long_as_the_title():
    assert through("rst", "A\n=\n\nB.\n", lambda found: ["much longer"] * len(found)) == (
        "much longer\n===========\n\nmuch longer\n"
    )


def test_a_link_to_a_title_leads_there_still():
    written = through("rst", DOCUMENTS["implicit"], lambda found: [text.replace("First", "Erster") for text in found])
    assert ".. _First part:\n\nErster part\n===========\n" in written


def test_markup_beside_letters():
    content = "The **word** here and ``code`` there.\n"
    written = through("rst", content, lambda found: ["a<x1>b</x1>c <x3/>d"])
    assert written == "a\\ **b**\\ c ``code``\\ d\n"
