"""Files of a program's messages: values change, keys and placeholders do not, whatever the translator says."""

import json
import re
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dhyan.core.errors import DhyanError
from dhyan.documents.batches import translate_units
from dhyan.documents.messages import PLACEHOLDER, is_identifier
from support.documents import same, texts, through, units


def contexts(format, content):
    return [unit.context for unit in units(format, content) if hasattr(unit, "context")]


def test_json_keeps_all_but_its_texts():
    content = '{ "a" : {"title": "Hello {name}", "on": true, "k": "save_button"},\n"l": ["One", "Two \\u0939"] }'
    assert through("json", content) == content.replace('"Hello {name}"', '"[Hello {name}]"').replace(
        '"One"', '"[One]"'
    ).replace('"Two \\u0939"', '"[Two \\u0939]"')
    assert contexts("json", content) == ["a.title", "l", "l"]
    assert texts("json", content, keys=["l"]) == ["One", "Two ह"]


def test_icu_messages_are_translated_inside():
    content = '{"n": "You have {n, plural, =0 {no files} one {# file of {who}} other {{n} files}} left, {who}."}'
    assert through("json", content) == (
        '{"n": "[You have] {n, plural, =0 {[no files]} one {[# file of {who}]} other {[{n} files]}} [left, {who}.]"}'
    )
    spoilt = translate_units(units("json", content), lambda found: [text.replace("#", "") for text in found])
    assert "lost the #" in spoilt.failed[0].message
    assert "one {# file of {who}}" in spoilt.content


ICU = "{n, plural, =0 {no files} one {<b>#</b> file} other {{n, number} 'quoted' files}}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("On {d, date, long} at {t, time}", ["On <x1/> at <x2/>"]),
        ("It''s '{'x'}' for {name}", ["It's <x1/>x<x2/> for {name}"]),
        ("See @:app.title and @.lower:(a b), me@x.org", ["See <x1/> and <x2/>, me@x.org"]),
        ("@:app.title", []),
        ("{n, plural, one {it''s '}'} other {# of '{}'}}", ["it's <x1/>", "# of <x1/>"]),
    ],
)
def test_what_only_a_program_understands_is_covered(value, expected):
    content = json.dumps({"a": value})
    assert texts("json", content) == expected
    assert through("json", content, same) == content
    shouted = through("json", content, lambda given: [text + " ह'" for text in given])
    assert shouted.count("'") == value.count("'") + len(expected) * (2 if "''" in value else 1)


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("json", '{"a": "\\u007b' + ICU[1:] + '"}'),
        ("yaml", "a: >-\n  " + ICU.replace("one", "\n  one") + "\n"),
        ("po", f'msgid "{ICU}"\nmsgstr ""\n'),
        ("xliff", f'<xliff version="1.2"><trans-unit id="a"><source>{ICU}</source></trans-unit></xliff>'),
    ],
)
def test_an_icu_message_that_is_not_written_plainly_is_one_text(format, content):
    assert texts(format, content) == ["no files\n\n<b>#</b> file\n\n<x1/> 'quoted' files"]
    found = through(format, content, lambda given: [text.replace("file", "paper") for text in given])
    choices = ICU.replace("file", "paper").removeprefix("{")
    assert "".join(choices.split()) in "".join(found.split())
    spoilt = translate_units(units(format, content), lambda given: ["one line" for _ in given])
    assert "more or fewer texts" in spoilt.failed[0].message


def test_arb_descriptions_are_contexts():
    content = '{"@@locale": "en", "hi": "Hi", "@hi": {"description": "A greeting"}}'
    assert contexts("arb", content) == ["hi; A greeting"]
    assert '"@@locale": "hi", "hi": "[Hi]", "@hi": {"description": "A greeting"}' in through(
        "arb", content, target_language="hi"
    )


def test_properties():
    content = "# Menu\nkey=Hello, \\\n   world\nother : It''s {0}\nq=It's\n"
    assert contexts("properties", content) == ["key; Menu", "other", "q"]
    found = through("properties", content, lambda given: [f"ह {text}" for text in given])
    assert found == "# Menu\nkey=\\u0939 Hello, world\nother : \\u0939 It''s {0}\nq=\\u0939 It's\n"


def test_apple_strings():
    content = '/* Title */\n"a b" = "Say \\"hi\\" to %@";\nc = "Bye\\n";\n'
    assert contexts("strings", content) == ["a b; Title", "c"]
    assert through("strings", content) == content.replace('"Say', '"[Say').replace("%@", "%@]").replace(
        "Bye", "[Bye]"
    )


def test_android_strings():
    content = (
        '<resources xmlns:xliff="urn:x">\n<!-- Greeting --><string name="a">Don\\\'t <b>stop</b> &amp; '
        '<xliff:g id="x">%1$s</xliff:g>\\n</string>\n<string name="b" translatable="false">No</string>\n'
        '<string-array name="l"><item>One</item></string-array><string name="d">@string/a</string>\n</resources>\n'
    )
    quoted = (
        '<resources><string name="q">"  Two <b>blanks</b>: "</string>'
        '<string name="c"><![CDATA[<a href="x">it\\\'s</a>]]></string></resources>'
    )
    assert texts("android", quoted) == ["Two <b>blanks</b>:", """<a href="x">it's</a>"""]
    assert through("android", quoted) == quoted.replace("Two", "[Two").replace(': "', ':] "').replace(
        "<a", "[<a"
    ).replace("/a>", "/a>]")
    assert texts("android", content) == ["Don't <b>stop</b> & <x1/>", "One"]
    assert contexts("android", content) == ["a; Greeting", "l"]
    assert '[Don\\\'t <b>stop</b> &amp; <xliff:g id="x">%1$s</xliff:g>]\\n</string>' in through("android", content)


def test_apple_plurals():
    plural = "<key>NSStringFormatValueTypeKey</key><string>d</string><key>one</key><string>%d &amp; file</string>"
    format = "<key>NSStringLocalizedFormatKey</key><string>{}%#@n@{}</string><key>n</key>"
    content = "<plist><dict><key>a b</key><dict>{}<dict>{}<key>other</key><string>%d files</string></dict></dict>"
    content = content.format(format.format("Keep ", ""), plural) + f"<key>c</key><dict>{format.format('', '')}"
    content += "<dict/></dict></dict></plist>\n"
    assert texts("stringsdict", content) == ["Keep <x1/>", "%d & file", "%d files"]
    assert contexts("stringsdict", content) == ["a b"] * 3
    assert through("stringsdict", content) == content.replace("Keep %#@n@", "[Keep %#@n@]").replace(
        "%d &amp; file", "[%d &amp; file]"
    ).replace("%d files", "[%d files]")


def test_string_catalogs_of_xcode():
    def unit(value, state="translated"):
        return {"stringUnit": {"state": state, "value": value}}

    plural = {"variations": {"plural": {"one": unit('%lld "file"'), "other": unit("%lld files")}}}
    strings = {
        "Bye": {"comment": "on leaving", "localizations": {"hi": unit("Bye", "new")}},
        "Done": {"localizations": {"hi": unit("हो गया")}},
        "No": {"shouldTranslate": False},
        "%@": {},
        "n": {"localizations": {"en": plural, "zh": unit("x")}},
    }
    catalog = {"sourceLanguage": "en", "strings": strings, "version": "1.0"}
    content = json.dumps(catalog, ensure_ascii=False, indent=2, separators=(",", " : ")) + "\n"
    assert texts("xcstrings", content, target_language="hi") == ["Bye", '%lld "file"', "%lld files"]
    found = through("xcstrings", content, lambda given: [f"ह {text}" for text in given], target_language="hi")
    new = {"one": unit('ह %lld "file"', "needs_review"), "other": unit("ह %lld files", "needs_review")}
    strings["Bye"]["localizations"]["hi"] = unit("ह Bye", "needs_review")
    strings["n"]["localizations"] = {"en": plural, "hi": {"variations": {"plural": new}}, "zh": unit("x")}
    assert found == json.dumps(catalog, ensure_ascii=False, indent=2, separators=(",", " : ")) + "\n"
    assert through("xcstrings", found, target_language="hi") == found
    for wrong in ("[]", '{"a": 1}', '{"strings": 3}', "{"):
        with pytest.raises(DhyanError, match="is not as string catalogs of Xcode are"):
            units("xcstrings", wrong, target_language="hi")


XLIFF = (
    '<xliff version="1.2"><file source-language="en"><body>\n  <trans-unit id="1">\n'
    '    <source>A <g id="1">b</g> &amp; '
    '<x id="2"/></source>\n    <note>small</note>\n  </trans-unit>\n<trans-unit id="2"><source>Yes</source><target>हाँ'
    '</target></trans-unit><trans-unit id="3"><source>No</source><target state="new"/></trans-unit>\n'
    '<trans-unit id="4" translate="no"><source>No</source></trans-unit></body></file></xliff>\n'
)


def test_xliff_gets_the_targets_that_it_lacks():
    assert contexts("xliff", XLIFF) == ["1; small", "3"]
    state = ' state="needs-review-translation"'
    assert through("xliff", XLIFF, target_language="hi") == XLIFF.replace(
        "</source>\n", f'</source>\n    <target{state}>[A <g id="1">b</g> &amp; <x id="2"/>]</target>\n'
    ).replace('<target state="new"/>', f"<target{state}>[No]</target>").replace(
        'source-language="en"', 'source-language="en" target-language="hi"'
    )
    copied = '<xliff version="1.2"><trans-unit id="a"><source>No</source><target state="{}">No</target></trans-unit>'
    copied += '<trans-unit id="b"><source>No</source><target></target></trans-unit></xliff>'
    for before in ("new", "needs-translation"):
        assert through("xliff", copied.format(before)) == copied.format("needs-review-translation").replace(
            ">No</target>", ">[No]</target>"
        ).replace("<target></target>", f"<target{state}>[No]</target>")
    two = '<xliff version="2.0"><file id="f"><unit id="u"><segment><source>Hi <pc id="1">a</pc>'
    two += "</source></segment></unit></file></xliff>"
    assert through("xliff", two) == two.replace("</source>", '</source><target>[Hi <pc id="1">a</pc>]</target>')


YAML = """# c
en:
  title: Hello world   # comment
  q: "Say: \\"hi\\""
  s: 'It''s {x}'
  n: 3
  yes: "true"
  list:
  - One
  - &a Two
  - *a
  text: |
    First line
    second.

  folded: >-
    This is
    folded
  flow: {a: One, b: [two]}
"""


def test_yaml_values_in_their_quotes():
    def hindi(found):
        return [f"ह {text}" for text in found]

    expected = (
        YAML.replace("Hello", "ह Hello").replace("Say", "ह Say").replace("It''s", "ह It''s").replace("One", "ह One")
    )
    expected = (
        expected.replace("Two", "ह Two")
        .replace("First", "ह First")
        .replace("two", "ह two")
        .replace('"true', '"ह true')
    )
    expected = expected.replace("This is\n    folded", "ह This is folded")
    assert through("yaml", YAML, hindi) == expected
    assert through("yaml", YAML, hindi, target_language="hi").startswith("# c\nhi:\n")
    assert contexts("yaml", YAML)[:2] == ["en.title", "en.q"]


def test_folded_yaml_with_indented_lines_keeps_its_line_breaks():
    content = "a: >-\n  Two\n  words:\n\n  below\n    set in\n  not\n"
    shouted = through("yaml", content, lambda given: [text.upper() for text in given])
    assert yaml.safe_load(shouted)["a"] == yaml.safe_load(content)["a"].upper()


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        ("json", '{"a": \n}', "the file, line 2 is not valid JSON"),
        ("yaml", 'a: "b\nc: d', "is not valid YAML"),
        ("xliff", "<xliff><a></xliff>", "line 1 is not well-formed XML"),
        ("xcstrings", '{"strings": {"Hi": {}}}', "needs the code of its new language"),
        ("strings", '"a" = b c {', "line 1 is not as .strings files are"),
    ],
)
def test_files_that_cannot_be_read(format, content, message):
    with pytest.raises(Exception, match=message):
        units(format, content)


def test_identifiers():
    for name in [
        "save_button",
        "a.b.c",
        "https://x.org",
        "a@b.org",
        "#fff",
        "SKU-12",
        "img/a.png",
        "camelCase",
        "MAX_SIZE",
    ]:
        assert is_identifier(name)
    for text in ["Save", "Log in", "e-mail", "well-known", "OK", "iPhone is", "हाँ", "Hello."]:
        assert not is_identifier(text)


# -- whatever the messages are, and whatever the translator says -----------------------------------------------

VALUE = st.text("abc {}\"'\\\n\t<>&%:#-@é ह", max_size=14) | st.sampled_from(
    [
        "Hello {name}",
        "%d files",
        "It's {0}",
        "{{x}} of <b>y</b>",
        "- a",
        "yes",
        "null",
        "a: b",
        "a #b",
        "100%",
        "@string/x",
    ]
)
NASTY = [
    '"',
    "'",
    "\\",
    "]]>",
    "</string>",
    "a: b",
    "# no",
    "- x",
    "{",
    "}}",
    "\n",
    "<b>",
    "&",
    "null",
    "%d",
    "\u2028",
    "''",
    "@x",
]


def nasty(seed):
    return lambda found: [
        NASTY[(seed + n) % len(NASTY)] + text + NASTY[(seed + 3 * n) % len(NASTY)] for n, text in enumerate(found)
    ]


def shapes(value, path=()):
    """Where strings stand, without saying what they are."""
    if isinstance(value, dict):
        return {key: shapes(one) for key, one in value.items()}
    return [shapes(one) for one in value] if isinstance(value, list) else str if isinstance(value, str) else value


def same_placeholders(before, after):
    def flat(value):
        if isinstance(value, dict):
            return [leaf for one in value.values() for leaf in flat(one)]
        return [leaf for one in value for leaf in flat(one)] if isinstance(value, list) else [value]

    for one, other in zip(flat(before), flat(after), strict=True):
        if isinstance(one, str) and "{" not in PLACEHOLDER.sub("", one):
            assert sorted(PLACEHOLDER.findall(one)) == sorted(PLACEHOLDER.findall(other)), (one, other)


FILES = st.dictionaries(
    st.sampled_from(["a", "b_c", "d"]), VALUE | st.lists(VALUE, max_size=2) | st.integers(0, 9) | st.none()
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(FILES, st.integers(0, 40), st.booleans())
def test_any_json_stays_json(whole, seed, wide):
    content = json.dumps(whole, ensure_ascii=False, indent=2 if wide else None)
    assert through("json", content, same) == content
    found = json.loads(translate_units(units("json", content), nasty(seed)).content)
    assert shapes(found) == shapes(whole)
    same_placeholders(whole, found)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(FILES, st.integers(0, 40), st.sampled_from([None, "'", '"', "|", ">"]))
def test_any_yaml_stays_yaml(whole, seed, style):
    content = yaml.safe_dump(whole, allow_unicode=True, default_style=style, sort_keys=False)
    assert through("yaml", content, same) == content
    found = yaml.safe_load(translate_units(units("yaml", content), nasty(seed)).content)
    assert shapes(found) == shapes(whole)
    same_placeholders(whole, found)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(VALUE, max_size=4), st.integers(0, 40))
def test_any_properties_keep_their_keys(values, seed):
    def line(n, value):
        value = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        return f"key{n} = {value}\n"

    content = "".join(line(n, value) for n, value in enumerate(values))
    assert through_leniently("properties", content, same) == content
    found = translate_units(units("properties", content), nasty(seed)).content
    assert re.findall(r"^key\d+ = ?", found, re.MULTILINE) == [f"key{n} = " for n in range(len(values))]
    assert found.count("\n") == len(values)


def through_leniently(format, content, translate):
    return translate_units(units(format, content), translate).content


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(VALUE, max_size=4), st.integers(0, 40))
def test_any_apple_strings_keep_their_keys(values, seed):
    content = "".join(f'"key{n}" = {json.dumps(value, ensure_ascii=False)};\n' for n, value in enumerate(values))
    assert through_leniently("strings", content, same) == content
    again = translate_units(units("strings", content), nasty(seed)).content
    pairs = re.findall(r'^"(key\d+)" = "((?:[^"\\]|\\.)*)";$', again, re.MULTILINE)
    assert [key for key, _ in pairs] == [f"key{n}" for n in range(len(values))]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(VALUE, max_size=4), st.integers(0, 40))
@pytest.mark.parametrize("format", ["android", "xliff"])
def test_any_xml_stays_xml(format, values, seed):
    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    if format == "android":
        inside = "".join(f'<string name="s{n}">{escaped(value)}</string>\n' for n, value in enumerate(values))
        content = f"<resources>\n{inside}</resources>\n"
        assert through_leniently(format, content, same) == content
    else:
        inside = "".join(
            f'<trans-unit id="s{n}"><source>{escaped(value)}</source></trans-unit>\n'
            for n, value in enumerate(values)
        )
        content = f'<xliff version="1.2"><file><body>{inside}</body></file></xliff>\n'
    found = ElementTree.fromstring(translate_units(units(format, content), nasty(seed)).content)
    before = ElementTree.fromstring(content)
    kept = ("string", "trans-unit", "source")
    assert [(one.tag, one.attrib) for one in found.iter() if one.tag in kept] == [
        (one.tag, one.attrib) for one in before.iter() if one.tag in kept
    ]
