"""What the server and the translator say to people is there in Hindi: the sentences are those of the code."""

import ast
import io
import json
import re

import pytest

from dhyan.core.errors import DhyanError
from dhyan.documents.line_reader import LONGEST_LINE, LineReader
from dhyan.server.app import PAGE
from dhyan.server.file_translation import UnknownFormat
from dhyan.server.served_packs import how_to_get
from dhyan.server.workers import FULL, NOT_BEGUN, NOT_DONE
from dhyan.translation.attempt import LOOP_CUT, MORE_DIGITS, VERY_LONG
from dhyan.translation.attempts import IN_PARTS, NOTHING_CAME
from dhyan.translation.source_language import in_part

TABLE = {
    json.loads(english if english[0] == '"' else f'"{english}"'): json.loads(hindi)
    for english, hindi in re.findall(
        r'^  ("(?:[^"\\]|\\.)*"|\w+):\s+("(?:[^"\\]|\\.)*"),$',
        "".join(
            (PAGE / "parts" / f"i18n-hi-{one}.js").read_text(encoding="utf-8") for one in ("server", "documents")
        ),
        re.MULTILINE,
    )
}
PATTERNS = [re.compile(re.sub(r"\\{\w+\\}", "(.+?)", re.escape(english))) for english in TABLE]
ERRORS = ("HttpError", "DhyanError", "busy")
SAY_ERRORS = [
    "explain/explainer.py",
    "explain/trace.py",
    "explain/address.py",
    "explain/token_view.py",
    "explain/read_edits.py",
    "explain/edits.py",
    "explain/numpy_model.py",
    "explain/views/stages.py",
    "explain/analyses/occlusion.py",
    "explain/analyses/word_in_context.py",
    "explain/analyses/meaning_map.py",
    "server/http_errors.py",
    "server/admission.py",
    "documents/zipped/container.py",
    "documents/zipped/epub.py",
    "documents/zipped/open_document.py",
    "documents/zipped/open_packaging.py",
    "documents/zipped/xml_tokens.py",
    "documents/pdf/pdf_document.py",
    "documents/json_file.py",
]
SAY_NOTES = ["named", "times", "amounts", "negation", "changes", "leftovers", "doubling"]
HINTS = re.compile(r"did_you_mean|hint|nearest|minus|more|_LEFT")  # what may be there or not
FOR_PROGRAMS = re.compile(  # what the page never asks for
    r"a target and|writes nothing|takes a number or an array|could be|is a part|decoder alone reads|--overwrite"
)


def sample(node):
    """A string of the code as it may be said."""
    if isinstance(node, ast.Constant):
        return node.value
    return "".join(
        part.value if isinstance(part, ast.Constant) else "" if HINTS.search(ast.unparse(part)) else "X"
        for part in node.values
    )


def strings(path, wanted):
    tree = ast.parse((PAGE.parents[1] / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        yield from (sample(one) for one in wanted(node) if isinstance(one, ast.JoinedStr | ast.Constant))


def in_errors(node):
    is_error = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS
    return [one for one in node.args if not isinstance(getattr(one, "value", ""), int)] if is_error else []


def in_notes(node):
    is_said = isinstance(node, ast.JoinedStr) and any(
        isinstance(part, ast.Constant) and re.search(r" (may|is|not|denies) ", f"{part.value} ")
        for part in node.values
    )
    return [node] if is_said else []


def known(said):
    return any(pattern.fullmatch(said) for pattern in PATTERNS)


@pytest.mark.parametrize("path", SAY_ERRORS)
def test_errors(path):
    said = [one for one in strings(path, in_errors) if not FOR_PROGRAMS.search(one)]
    assert said
    assert not [one for one in said if not known(one)]


@pytest.mark.parametrize("name", SAY_NOTES)
def test_notes(name):
    said = list(strings(f"translation/checks/{name}.py", in_notes))
    assert said
    assert not [one for one in said if not known(one)]


def test_what_is_said_in_one_piece():
    language = "this looks like French, not English; it is left as it is"
    notes = [LOOP_CUT, MORE_DIGITS, VERY_LONG, IN_PARTS, NOTHING_CAME, language, in_part(language)]
    sentences = [
        how_to_get("translate"),
        str(UnknownFormat(".xyz")),
        FULL,
        NOT_BEGUN.format(seconds=3),
        NOT_DONE.format(seconds=3),
    ]
    assert not [one for one in [*notes, *sentences] if not known(one)]


@pytest.mark.parametrize("line", [b"\0", b"\xff\xfea\0", b"\xe0", b"x" * (LONGEST_LINE + 1)])
def test_what_is_no_text(line):
    with pytest.raises(DhyanError) as refused:
        list(LineReader("notes.txt", io.BytesIO(b"one\n" + line if line[0] != 0xFF else line)))
    assert known(str(refused.value))


def test_what_stands_in_braces_is_the_same_in_both():
    for english, hindi in TABLE.items():
        assert sorted(re.findall(r"{(\w+)}", english)) == sorted(re.findall(r"{(\w+)}", hindi)), english
        assert re.search("[\u0900-\u097f]", hindi), english
