# ruff: noqa: E501  (texts and patterns are not wrapped)
"""Patterns of Python and what JavaScript is given for them find the same, place by place."""

import json
import re
import shutil
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dhyan.browser.javascript_regex import javascript_regex
from dhyan.browser.rules import MODULES, _module, _names

HERE = Path(__file__)
ROOT = HERE.parents[3]
SCRIPT = HERE.parents[2] / "support" / "regex_spans.mjs"

ODD = [
    "", " ", "\t", "a", "é", "e\u0301", "ﬁ ﬀ ß ẞ", "İstanbul ılık KELVIN \u212a ſ", "👩‍👩‍👧 🇮🇳 👍🏽 ❤️", "क्‍ष क्\u200cष ज़ ज\u093c",
    "नमस्ते, दुनिया! आप कैसे हैं?", "१२,३४,५६७ रुपये; ५:३० बजे", "a\u2028b\u2029c\x85d\x1ce\x1ff\x0bg\x0ch\r\ni\rj\n", "x\n", "\ufeffx",
    "1,234,567.89 and 12,34,567 and −5 and +3 and 3rd and 5kg and ₹500 and 25% and 10:30 and 2024-05-06", "₹500/-",
    "E = mc² and a_1 + b^2 <= √x, f(x) = ∑ x_i; H₂O → 2H+", "$x^2 + y$ \\alpha \\frac{1}{2} $$a$$ \\( b \\)", "a(n) f(t)",
    "https://example.org/a?b=c#d, www.x.in. mail me@x.org or @you #tag C:\\dir\\file.txt /usr/bin/env ./a.py ~/x",
    "`code` **bold** _em_ [link](http://a.b) ![i](j.png) <b class='x'>t</b> <br/> &amp; &#39; {{name}} {0} %s %(n)d ${v}",
    "Dr. Smith, U.S.A. and J. R. R. Tolkien met at 5 p.m. on Jan. 3. They left. e.g. this; i.e. that… \"Yes?\" 'No!'",
    "the the cat sat the cat sat , the cat sat ", " 5 kg 5 kg ha ha haaaaaaaaaaaaaaaa abababababababababababab ",
    "Save &As...\tCtrl+Shift+S", "_File &amp; Edit:", "Delete {1} items?", "• Open…  (Ctrl+O)", "&Not a file", "fooBarBaz menu_open",
    "- item\n  1. one\n> quote\n```py\nx = 1\n```\n# Head\n| a | b |\n|---|---|\n", "~~~", "   ", "\u00a0\u3000\u200b x",
    "中文，日本語。ひらがな！한국어 עברית العربية ไทย", "“Quoted words here.” «autre chose» ‘x’ „nein“", "en-hi hi-en-small abc",
    "dec.3.cross.h2 enc.0.self.h15.scores[0, 1:3] out.logits[-1]", "𝒳 𝟘 𐍈 a𝒳b \U0001f600x", "No. 5 not an item, not the file",
]  # fmt: skip


@cache
def lines() -> list[str]:
    """A few hundred lines of prose, code, tables and lists in both languages."""
    texts = [
        ROOT / "README.md",
        ROOT / "docs" / "guides" / "translating.md",
        ROOT / "src/dhyan/text/languages/hi.toml",
        HERE,
    ]
    written = [line for text in texts if text.exists() for line in text.read_text(encoding="utf-8").splitlines()]
    hindi = (ROOT / "src/dhyan/translation/ui_terms/en-hi.tsv").read_text(encoding="utf-8").splitlines()
    return [*ODD, *[line for line in written if line][:320:2], *hindi[::60]]


def units(text: str, offset: int) -> int:
    """An offset in code points as one in units of UTF-16."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def found_by_python(pattern: re.Pattern[str], line: str) -> list[Any]:
    return [
        [
            units(line, one.start()),
            units(line, one.end()),
            {k: v for k, v in one.groupdict().items() if v is not None},
        ]
        for one in pattern.finditer(line)
    ]


def found_by_javascript(patterns: list[re.Pattern[str]], texts: list[str]) -> list[list[Any]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node: install it to test the browser's modules (Debian: apt-get install nodejs)")
    written = [list(javascript_regex(pattern).values()) for pattern in patterns]
    question = json.dumps({"patterns": written, "lines": texts})
    done = subprocess.run(
        [node, str(SCRIPT)], input=question, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[list[Any]] = json.loads(done.stdout)
    return found


def assert_same(patterns: list[re.Pattern[str]], texts: list[str]) -> None:
    for pattern, of_pattern in zip(patterns, found_by_javascript(patterns, texts), strict=True):
        for text, there in zip(texts, of_pattern, strict=True):
            assert there == found_by_python(pattern, text), (pattern.pattern, text)


def exported_patterns() -> list[re.Pattern[str]]:
    modules = [_module(name) for name in (*_names(), *MODULES)]
    found = {one for module in modules for one in vars(module).values() if isinstance(one, re.Pattern)}
    return sorted(found, key=lambda pattern: pattern.pattern)


def test_every_exported_pattern_finds_the_same_in_hundreds_of_lines():
    assert len(exported_patterns()) > 40
    assert_same(exported_patterns(), lines())


@pytest.mark.parametrize("texts", [lines()], ids=["lines"])
def test_the_many_ways_to_write_a_pattern(texts):
    sources = [
        r"\w+", r"\W+", r"\d+", r"\D+", r"\s+", r"\S+", r"[^\W\d_]+", r"[\w-]+", r"[^\w\s]", r"[\W_]+", r"[^\W_]+", r"[^\Wa-f]+",
        r"\b\w", r"\w\b", r"\Ba", r"e\B", r"\bthe\b", r"\b", r"^\s*\S", r"\S\s*$", r"\A.", r".\Z", r"(?m)^.", r"(?m).$",
        r"(?s).{3}", r".{3}", r"(?i)the|straße|kelvin|s", r"(?i)[a-fK]+", r"(?i:IN) (?-i:the)", r"(?i)[^a-z ]+", r"(?a)\w+\b",
        r"(?x) a  # one\n | [ ] b", r"(?P<first>\w)(?P<second>\w)?(?P=first)", r"(\w)\1", r"(?<=\s)\w+(?=[,.])", r"(?<![\w.])\d",
        r"(?:\w++ )+", r"(?>a|ab)c|\w{2,3}+", r"\w+?(?=o)", r"a{2,}|b{1,3}?|[0-9]{4}", r"[\]\-^\\/]", r"[^\]]{2}", r"\.\.\.|\$|\{",
        r"[\U0001f600-\U0001f64f]|👍.", r"\u0915\u094d.", r"(?!)|x", r"[\u0900-\u0963]+", r"(a)|(b)|c",
    ]  # fmt: skip
    assert_same(list(map(re.compile, sources)), texts)


def test_classes_hold_the_same_characters_as_pythons():
    """Of those that both know: newer characters are letters for the one that is newer."""
    known = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    sample = [*known[:12_000], *known[12_000::37]]
    text = "".join(sample)
    patterns = list(map(re.compile, (r"\w", r"\d", r"\s", r"[^\W\d_]", r"(?i)[a-zß-ö]", r"(?i)[^α-ω]")))
    for pattern, [there] in zip(patterns, found_by_javascript(patterns, [text]), strict=True):
        assert [span[:2] for span in there] == [span[:2] for span in found_by_python_at_once(pattern, sample)]


def found_by_python_at_once(pattern: re.Pattern[str], characters: list[str]) -> list[list[int]]:
    spans, at = [], 0
    for character in characters:
        wide = 2 if ord(character) > 0xFFFF else 1
        if pattern.match(character):
            spans.append([at, at + wide])
        at += wide
    return spans


@pytest.mark.parametrize("source", [r"(?<=a++)b", r"(a)?(?(1)b|c)", r"x++(y)", r"(?i)(a)\1"])
def test_what_javascript_cannot_say_is_refused(source):
    try:
        pattern = re.compile(source)
    except re.error:
        pytest.skip("this Python does not know it either")
    with pytest.raises(ValueError, match="JavaScript does not have"):
        javascript_regex(pattern)
