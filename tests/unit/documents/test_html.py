import pytest

from dhyan.documents.batches import Failed, translate_units
from support.documents import texts, through, units


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<p class='a>b'>Hello</p>", "<p class='a>b'>[Hello]</p>"),
        ("<p>\n  Hello\n</p>", "<p>\n  [Hello]\n</p>"),
        ("<p>A <b>bold</b> word</p>", "<p>[A <b>bold</b> word]</p>"),
        ("<p><a href=x><b>All</b></a></p>", "<p><a href=x><b>[All]</b></a></p>"),
        ("<p>\n <b>All</b> \n</p>", "<p>\n <b>[All]</b> \n</p>"),
        ("<p><b>One</b> and <b>two</b></p>", "<p>[<b>One</b> and <b>two</b>]</p>"),
        ("<p><img src=a> Words<br>\nmore</p>", "<p><img src=a> [Words]<br>\n[more]</p>"),
        ("<ul><li>One<li>Two</ul>", "<ul><li>[One]<li>[Two]</ul>"),
        ("<html lang=en><title>T</title>", "<html lang=en><title>[T]</title>"),
        (
            "<p>Tom &amp; Ann&nbsp;&mdash; caf&eacute; &lt;b&gt;</p>",
            "<p>[Tom &amp; Ann&nbsp;&mdash; caf&eacute; &lt;b&gt;]</p>",
        ),
        ("<p>5 < 6, so there</p>", "<p>[5 &lt; 6, so there]</p>"),
        ("just text", "[just text]"),
    ],
)
def test_texts_change(content, expected):
    assert through("html", content) == expected


@pytest.mark.parametrize(
    "kept",
    [
        "<!DOCTYPE html>",
        "<!-- <p>words</p>\n words -->",
        "<?xml version='1.0'?>",
        "<script>let words = '<p>words</p>'\n</script>",
        "<STYLE>p::before { content: 'words' }</STYLE>",
        "<pre>words <b>words</b>\n</pre>",
        "<code>words</code>",
        "<textarea>words <p></textarea>",
        '<p translate="no">words <i>words</i></p>',
        "<div translate=no>words <div>words</div> words</div>",
        "<p title='words' alt=\"more\nwords\"></p>",
        "<p>&nbsp;&mdash; 42</p>",
        "<svg><text>words</text></svg>",
    ],
)
def test_what_is_no_prose_stays(kept):
    assert through("html", kept) == kept
    assert through("html", f"{kept}<p>Words</p>") == f"{kept}<p>[Words]</p>"


def test_code_inside_a_sentence_is_covered():
    content = "<p>Run <code>ls -l</code><!-- c --> as <span translate='no'>Ann</span> does</p>"
    assert texts("html", content) == ["Run <x1/> as <x2/> does"]
    assert through("html", content) == content.replace("Run", "[Run").replace("does", "does]")


def test_translators_see_characters_and_single_spaces():
    assert texts("html", "<p>Don&rsquo;t\n     <i>stop</i> &amp; go&#33;</p>") == ["Don’t <i>stop</i> & go!"]


def test_a_translation_that_loses_a_tag_is_refused():
    content = "<h1>Fine</h1>\n<p>\nA <b>bold</b> word</p>"
    done = translate_units(units("html", content), lambda found: ["lost"] * len(found))
    assert done.content == "<h1>lost</h1>\n<p>\nA <b>bold</b> word</p>"
    assert done.failed == [Failed(3, "The translation lost '<b>'.")]


def test_a_tag_that_never_ends_is_kept():
    assert through("html", "<p>Words</p><a href='x") == "<p>[Words]</p><a href='x"
