"""What a page of the documentation tells its reader to type, block by block, and marks for how a test may do it.

A mark is an HTML comment on the line before a block, or two lines before; readers of the page do not see it:

    <!-- not run: it takes a GPU -->    the commands are checked (they and their flags exist) and not run
    <!-- with: --steps 2 -->            added to every `dhyan train` of the block, so that it is over soon
    <!-- server -->                     the block is run while a server answers at its port 8080
    <!-- file: mix.toml -->             the block is a file of that name, for the commands that follow

A block of ``bash`` or ``python`` without a mark is run as it stands. A block of ``text`` behind one is what it
prints.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^>]*?) -->\n+)?^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.M | re.S,
)
SHELL = set("|&;<>()$`*?")  # in a bare word: this line needs a shell
INSTALLS = ("pip install", "python3 -m venv", ". ~/")  # installing has tests of its own


@dataclass
class Block:
    line: int
    language: str
    text: str
    mark: str  # "", "not run", "with", "server" or "file"
    told: str  # what stands behind the mark's colon
    prints: str  # the block of text behind it


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    found_end = 0
    for match in BLOCK.finditer(text):
        mark, _, told = (match["mark"] or "").partition(": ")
        if match["language"] == "text" and found and not text[found_end : match.start()].strip():
            found[-1].prints = match["text"]
        line = text.count("\n", 0, match.start("language")) + 1
        found.append(Block(line, match["language"], match["text"], mark, told, ""))
        found_end = match.end()
    return found


def commands_of(block: Block) -> list[str]:
    """The logical lines of a shell block: comments left out, continued lines joined, a quoted line break kept."""
    commands: list[str] = []
    open_line = ""
    for line in block.text.replace("\\\n", " ").splitlines():
        open_line = f"{open_line}\n{line}" if open_line else line
        try:
            words = shlex.split(open_line, comments=True)
        except ValueError:  # a quotation goes on in the next line
            continue
        if words and not open_line.lstrip().startswith(INSTALLS):
            commands.append(open_line)
        open_line = ""
    return commands


def plain_words(command: str) -> list[str] | None:
    """The words of a command that needs no shell; None for one that does."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words = list(lexer)
    bare = shlex.shlex(command, posix=False, punctuation_chars=True)
    bare.whitespace_split = True
    needs_shell = any(word[0] not in "'\"" and SHELL & set(word.split("=")[0]) for word in bare if word)
    return None if needs_shell or "=" in words[0] else words


def dhyan_calls(command: str) -> list[list[str]]:
    """The arguments of every `dhyan …` in a line, also behind a pipe or `&&`."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    calls: list[list[str]] = []
    current: list[str] | None = None
    begins = True
    for word in lexer:
        if set(word) <= set("|&;()<>"):
            current, begins = None, set(word) <= set("|&;(")
        elif begins and "=" in word and not word.startswith("-"):
            continue  # a variable in front of the command
        elif begins and word == "dhyan":
            calls.append(current := [])
            begins = False
        else:
            begins = False
            if current is not None:
                current.append(word)
    return calls
