"""Every error message in the source, with the place that gives it: the message itself says what to do."""

import ast
import re
from pathlib import Path

from made_from_commands import line

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dhyan"
HEAD = """# Error messages

Every mistake that a user can make gets one sentence: what is wrong, and what to do. On the command line the
exit code is then 2, and no
traceback is shown. In Python it is a `dhyan.DhyanError`; over HTTP it is an answer with a status from 400 on.

This page lists the messages from the source, sorted by the part of Dhyan that gives them. `…` stands for what
the message fills in: a name, a
number, a file. Search the page (or the site) for the words that do not change. [Troubleshooting](../faq.md)
goes further into the
commonest ones.

{count} messages. Those that are put together from several parts at run time are not listed: they follow the
same pattern.
"""
ROOMS = {
    "core": "Settings, files, locks",
    "text": "Text and tokenizers",
    "data": "Training data and mixes",
    "model": "The model",
    "pack": "Packs",
    "training": "Training",
    "explain": "Explaining",
    "engines": "Running packs",
    "translation": "Translating",
    "vectors": "Embedding, classifying, clustering",
    "interchange": "Import and export",
    "documents": "Documents",
    "bulk": "Folders too big for one machine",
    "evaluation": "Evaluating",
    "lab": "The lab",
    "server": "The server",
    "browser": "The site without a server",
    "cli": "The command line",
}


def page() -> str:
    kinds = error_kinds()
    by_room: dict[str, dict[str, str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for number, message in messages(path, kinds):
            by_room.setdefault(room, {}).setdefault(message, f"{path.relative_to(ROOT)}:{number}")
    count = sum(len(found) for found in by_room.values())
    parts = [HEAD.format(count=count)]
    for room, title in (ROOMS | {room: room for room in by_room if room not in ROOMS}).items():
        if found := by_room.get(room):
            parts.append(f"\n## {title}\n\n| message | from |\n|---|---|\n")
            parts += [f"| {escaped(message)} | `{place}` |\n" for message, place in found.items()]
    return "".join(parts)


def error_kinds() -> set[str]:
    """DhyanError and every class below it, by name."""
    bases: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
    kinds = {"DhyanError"}
    while more := {name for name, above in bases.items() if above & kinds} - kinds:
        kinds |= more
    return kinds


def messages(path: Path, kinds: set[str]) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds:
            said = max((template(one) for one in node.args), key=len, default="")
            if len(re.findall(r"\w{2,}", said.replace("…", ""))) >= 3:  # less is put together elsewhere
                found.append((node.lineno, said))
    return found


def template(node: ast.expr) -> str:
    """A message with … for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(template(one) for one in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return template(node.left) + template(node.right)
    return "…" if isinstance(node, ast.expr) else ""


def escaped(message: str) -> str:
    return re.sub(r"([*_`\[\]{}$\\])", r"\\\1", line(message).replace("\\|", "|")).replace("|", "\\|")
