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
        "<p class='words' data-title=\"more\nwords\" id=words></p>",
        '<p translate="no" title="words"></p>',
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" title="words">',
        '<input type="text" name="words" value="words">',
        "<p>&nbsp;&mdash; 42</p>",
        "<svg><text>words</text></svg>",
        '<p class="big notranslate">words <i>words</i></p>',
        "<p class=notranslate>words</p>",
        '<p><span class="h-card"><a href="x" title="words">@<span>words</span></a></span> <a>#words</a></p>',
    ],
)
def test_what_is_no_prose_stays(kept):
    assert through("html", kept) == kept
    assert through("html", f"{kept}<p>Words</p>") == f"{kept}<p>[Words]</p>"


def test_links_that_are_names_are_covered_and_others_are_not():
    content = '<p>I like <a href="x">#<b>tea</b></a> and <a href="y">@a.b@c.d</a>, not <a>#tea or so</a></p>'
    assert texts("html", content) == ["I like <x1/> and <x2/>, not <a>#tea or so</a>"]
    assert through("html", content) == content.replace("I like", "[I like").replace("so</a>", "so</a>]")


def test_code_inside_a_sentence_is_covered():
    content = "<p>Run <code>ls -l</code><!-- c --> as <span translate='no'>Ann</span> does</p>"
    assert texts("html", content) == ["Run <x1/> as <x2/> does"]
    assert through("html", content) == content.replace("Run", "[Run").replace("does", "does]")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Press <kbd>Enter</kbd> <!-- c --><img src=a>", "Press <x1/>"),
        ("<!-- c --><code>f()</code> counts, as <b class=notranslate>Ann</b> said", "<x1/> counts, as <x2/> said"),
        ("Fine! <script>x</script> <a>#tea</a>", "Fine!"),
    ],
)
def test_code_at_the_edge_of_a_sentence_belongs_to_it_and_comments_do_not(content, expected):
    assert texts("html", f"<p>{content}</p>") == [expected]


def test_words_in_another_language_stay():
    content = '<html lang="fr"><p>Say <i lang="fr">bonjour</i> to <b lang="en-GB">all</b></p>'
    assert texts("html", content, source_language="en") == ['Say <x1/> to <b lang="en-GB">all</b>']
    assert "bonjour</i> to" in texts("html", content)[0]


def test_translators_see_characters_and_single_spaces():
    assert texts("html", "<p>Don&rsquo;t\n     <i>stop</i> &amp; go&#33;</p>") == ["Don’t <i>stop</i> & go!"]


def test_a_translation_that_loses_a_tag_is_refused():
    content = "<h1>Fine</h1>\n<p>\nA <b>bold</b> word</p>"
    done = translate_units(units("html", content), lambda found: ["lost"] * len(found))
    assert done.content == "<h1>lost</h1>\n<p>\nA <b>bold</b> word</p>"
    assert done.failed == [Failed(3, "The translation lost '<b>'.")]


def test_a_tag_that_never_ends_is_kept():
    assert through("html", "<p>Words</p><a href='x") == "<p>[Words]</p><a href='x"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<img src="a.png" alt="A dog">', '<img src="a.png" alt="[A dog]">'),
        ("<img alt='Ann&#39;s dog' title=Dog>", "<img alt='[Ann&#39;s dog]' title=\"[Dog]\">"),
        (
            '<input placeholder="Your name" aria-label="Name"/>',
            '<input placeholder="[Your name]" aria-label="[Name]"/>',
        ),
        ('<input type="submit" value="Send">', '<input type="submit" value="[Send]">'),
        ('<textarea placeholder="Words">words</textarea>', '<textarea placeholder="[Words]">words</textarea>'),
        ('<meta name="description" content="A page">', '<meta name="description" content="[A page]">'),
        ('<meta content="A page" property="og:title" />', '<meta content="[A page]" property="og:title" />'),
        ("<select><option>One<option label='Two'></select>", "<select><option>[One]<option label='[Two]'></select>"),
        ("<button title='Go'>Start</button>", "<button title='[Go]'>[Start]</button>"),
        ("<p><a href=x title='See it'>All</a></p>", "<p><a href=x title='[See it]'>[All]</a></p>"),
    ],
)
def test_attributes_that_people_read(content, expected):
    assert through("html", content) == expected


def test_attributes_within_a_sentence_follow_it():
    content = "<p>Click <img alt='the gear' src=g.png> or <a href='x' title='Help &amp; more'>here</a> now</p>"
    assert texts("html", content) == ["Click <x1/> or <x2>here</x2> now<p x4/>the gear<p x5/>Help & more"]
    written = through(
        "html", content, lambda found: [text.upper().replace("X", "x").replace("<P", "<p") for text in found]
    )
    assert (
        written == "<p>CLICK <img alt='THE GEAR' src=g.png> OR <a href='x' title='HELP &amp; MORE'>HERE</a> NOW</p>"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            '<html lang="en-GB"><p lang=en>Hi</p><p lang="fr">Hi</p>',
            '<html lang="hi"><p lang=hi>[Hi]</p><p lang="fr">[Hi]</p>',
        ),
        ("<html class='x'>", "<html lang=\"hi\" class='x'>"),
        ('<html xml:lang="en" lang="en">', '<html xml:lang="hi" lang="hi">'),
        ('<p>A <i lang="en">word</i> here</p>', '<p>[A <i lang="hi">word</i> here]</p>'),
        ('<link rel="alternate" hreflang="en" href="x">', '<link rel="alternate" hreflang="en" href="x">'),
    ],
)
def test_the_language_that_is_named(content, expected):
    assert through("html", content, source_language="en", target_language="hi") == expected
    assert "".join(unit.raw for unit in units("html", content)) == content  # not known: left as it is
