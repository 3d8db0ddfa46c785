"""Whatever stands in a document, a translator that changes nothing gives back the same bytes."""

import contextlib
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dhyan.core.errors import DhyanError
from dhyan.documents.formats import TEXT_FORMATS
from dhyan.documents.translate_file import translate_file
from support.documents import same, through, units

EXAMPLES = {
    "txt": "One line.\n\n  Two, indented.\t \n--- 42 ---\nहिन्दी भी।\n",
    "md": (
        "---\ntitle: Kept\n---\n\n# Title #\n\nSome *long* text with `code`\nover two lines, [a link](to/it.md).\n\n"
        "```python\nprint('kept')\n```\n\n- item\n  - [ ] task\n\n      code in the item\n\n> quoted\n> text\n\n"
        "| a | b |\n|---|:-:|\n| one | two \\| three |\n\n<div>\nkept\n</div>\n\n"
        "[ref]: http://x.y 'title'\n\n    code\n"
    ),
    "html": (
        "<!DOCTYPE html>\n<html lang=en><head><title>A &amp; B</title><script>if (a<b) { x('</p>') }</script>\n"
        "<style>p > a {}</style></head>\n<body><!-- a\n comment --><p class='x'>Some <b>bold</b>\n   text&nbsp;here "
        "<code>ls -l</code>.</p><pre>kept <b>too</b></pre>\n<ul><li>One<li>Two</ul>5 < 6 & 7 > 3 <br/>end"
    ),
    "rst": (
        "Title\n=====\n\nSome *long* text with ``code``\nover two lines, `a link <to/it>`_.\n\nSo::\n\n    kept\n\n"
        ".. note:: Look\n   here\n\n- item\n\n.. _x: y\n"
    ),
    "srt": "1\n00:00:01,000 --> 00:00:02,000\nHello there,\n<i>my friend.</i>\n\n"
    "2\n00:00:03,000 --> 00:00:04,000\n- Hi!\n- Ho!\n",
    "vtt": "WEBVTT - title\n\nNOTE not\nspoken\n\nSTYLE\n::cue { color: red }\n\n"
    "id 1\n00:01.000 --> 00:02.000 align:start\nHello.\n",
    "ass": (
        "[Script Info]\nTitle: Kept\n\n[Events]\nFormat: Layer, Start, End, Style, Text\nComment: 0,1,2,x,kept\n"
        "Dialogue: 0,0:00:01.00,0:00:02.00,Default,{\\an8}Hello, {\\fnA B}my\\Nfriend{\\r}\n"
    ),
    "csv": 'id,text,"note"\n1,Hello,"a ""quoted"", cell"\n2,"two\nlines",\n3, "padded, cell" ,x\n',
    "tsv": 'id\ttext\n1\tHello "you\n2\t\n',
    "jsonl": '{"id": 1.50, "text": "Hello \\u0939 \\/ \\n", "n": [1e400, "x"]}\n\n'
    '{ "text" : "Two" , "text":"Three" }\n',
    "po": (
        'msgid ""\nmsgstr ""\n"Language: hi\\n"\n\n#: a.c:1\n#, c-format\nmsgid "%d file"\nmsgid_plural "%d files"\n'
        'msgstr[0] "x %d"\nmsgstr[1] "y %d"\n\n#~ msgid "old"\n#~ msgstr ""\n\nmsgctxt "menu"\nmsgid ""\n"Open\\t"\n'
        'msgstr "kept"\n'
    ),
}

EXAMPLES |= {
    "json": '{\n  "a": {"title": "Hello {name}\\n", "n": 1e5, "k": "save_button"},\n'
    '  "icu": "{n, plural, one {# file} other {# files}}", "list": ["One", "\\u0939 two"]\n}\n',
    "arb": '{"@@locale": "en", "hello": "Hello", "@hello": {"description": "A greeting"}}\n',
    "yaml": (
        "# c\nen:\n  title: Hello world   # comment\n  q: \"Say: \\\"hi\\\"\"\n  s: 'It''s {x}'\n  n: 3\n"
        "  list:\n  - One\n"
        "  - &a Two\n  - *a\n  text: |\n    First line\n    second.\n\n  folded: >-\n    This is\n    folded\n"
        "  multi: a plain\n    scalar\n  flow: {a: One, b: [two]}\n"
    ),
    "xliff": (
        '<?xml version="1.0"?>\n<xliff version="1.2"><file source-language="en"><body>\n'
        '<trans-unit id="1" approved="yes">'
        '<source>Hello <g id="1">you</g></source>\n<target>नमस्ते</target><note>n</note>'
        "</trans-unit></body></file></xliff>\n"
    ),
    "android": (
        '<?xml version="1.0"?>\n<resources>\n  <!-- c -->\n'
        '  <string name="a">Don\\\'t <b>stop</b> &amp; go\\n</string>\n'
        '  <string name="b" translatable="false">No</string>\n  <plurals name="p"><item quantity="one">%d file</item>'
        '</plurals>\n  <string name="c"><![CDATA[<b>Hi</b> you]]></string><string name="d">@string/a</string>\n'
        "</resources>\n"
    ),
    "strings": '/* Title */\n"key" = "Say \\"hi\\" to %@";\n// c\nkey2 = "Bye\\n";\n',
    "stringsdict": (
        '<?xml version="1.0"?>\n<plist version="1.0"><dict>\n<key>n</key><dict><key>NSStringLocalizedFormatKey</key>'
        "<string>%#@n@ &amp; more</string>\n<key>n</key><dict><key>one</key><string>%d file</string></dict></dict>\n"
        "</dict></plist>\n"
    ),
    "xcstrings": (
        '{\n  "sourceLanguage" : "en",\n  "strings" : {\n    "%@" : {\n\n    },\n    "App" : '
        '{"shouldTranslate" : false}\n  }\n}\n'
    ),
    "properties": "# c\nkey=Hello, \\\n   world\nother : It''s {0}\n empty=\n\nu=caf\\u00e9\n! c\n",
}


def test_there_is_an_example_of_every_format_of_text():
    assert set(EXAMPLES) == set(TEXT_FORMATS)


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("end", ["", "\n"], ids=["cut", "ended"])
@pytest.mark.parametrize("format", TEXT_FORMATS)
def test_bytes_come_back(tmp_path, format, end, newline, mark):
    content = (mark + EXAMPLES[format].rstrip("\n") + end).replace("\n", newline).encode("utf-8")
    source, target = tmp_path / f"a.{format}", tmp_path / f"b.{format}"
    source.write_bytes(content)
    report = translate_file(source, target, same, batch=2)
    assert target.read_bytes() == content
    assert not report.failed
    # Only in these catalogues is everything translated already.
    assert report.texts > 0 or format in ("po", "xliff", "xcstrings")


@pytest.mark.parametrize("format", TEXT_FORMATS)
def test_an_empty_file_stays_empty(tmp_path, format):
    (tmp_path / f"a.{format}").touch()
    assert translate_file(tmp_path / f"a.{format}", tmp_path / f"b.{format}", same).texts == 0
    assert (tmp_path / f"b.{format}").read_bytes() == b""


SNIPPETS = [
    *"ab \t\n\n\n\r.-*_#>|<>&;:,\"'`~[](){}!\\/=%0123456789é ह\u2028\x0b",
    *[
        "\r\n",
        "```",
        "~~~",
        "    ",
        "---",
        "| a | b |\n|---|---|",
        "[x](y)",
        "![x](y)",
        "[r]: z",
        "**b**",
        "<!--",
        "-->",
    ],
    *["::", ".. ", ".. note:: ", "====", ":a: ", "`x`_", "1. "],
    *["<p title='", '<img alt="', "<input placeholder="],
    *["<b>", "</b>", "<p>", "</p>", "<script>", "</script>", "<code>", "</code>", "&amp;", "&nbsp;"],
    *["[Events]\n", "Dialogue: ", "{\\i1}", "\\N", ",,,,,,,,,", "...", "♪"],
    *["00:00:01,000 --> 00:00:02,000\n", "WEBVTT", 'msgid "', 'msgstr ""', 'msgstr "', "msgid_plural", '""', "word"],
]
documents = st.lists(st.sampled_from(SNIPPETS), max_size=40).map("".join)


@pytest.mark.parametrize("format", ["txt", "md", "html", "rst", "srt", "vtt", "ass", "tsv"])
@settings(max_examples=150, deadline=None)
@given(content=documents)
@example("\ufeff")
@example("a\rb\n")
@example("\x1ca\x1c")
def test_any_document_comes_back(format, content):
    assert through(format, content, same) == content
    assert "".join(unit.raw for unit in units(format, content)) == content


@pytest.mark.parametrize("format", ["csv", "po"])
@settings(max_examples=200, deadline=None)
@given(content=documents)
@example('a,"b""c"d\n')
def test_any_table_or_catalogue_is_kept_in_its_units(format, content):
    with contextlib.suppress(DhyanError):  # a quote that nothing closes
        assert "".join(unit.raw for unit in units(format, content)) == content


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(value=st.dictionaries(st.text(max_size=4), json_values, max_size=4), ascii=st.booleans(), indent=st.booleans())
def test_any_json_object_comes_back(value, ascii, indent):
    line = json.dumps(value, ensure_ascii=ascii, separators=(" , ", " : ") if indent else None)
    assert through("jsonl", line, same, keys=["*"]) == line
    # With every text replaced, only texts change: the object has the same shape.
    changed = json.loads(through("jsonl", line, lambda texts: ['"\\\n' for _ in texts], keys=["*"]))

    def replaced(part):
        if isinstance(part, str):
            return '"\\\n' if any(character.isalpha() for character in part) else part
        if isinstance(part, list):
            return [replaced(one) for one in part]
        return {key: replaced(one) for key, one in part.items()} if isinstance(part, dict) else part

    assert changed == replaced(value)
