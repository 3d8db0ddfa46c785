"""A function's source by its name: pages show the code of the tree as it is today.

    [`attention`](../../src/dhyan/explain/formulas.py "code")

alone on a line becomes that function's source, under a link to its file. Where the repository is read as it is,
the line is
a link. A name that the file does not define stops the build. `Class.method` names a method.
"""

import ast
import re
import textwrap
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
LINE = re.compile(r'^\[`([\w.]+)`\]\(([^)\s]+\.py) "code"\)$', re.MULTILINE)
Named = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


def source_of(path: Path, name: str) -> tuple[int, str]:
    """The first line's number and the text of what `name` defines in a file, decorators included."""
    text = path.read_text(encoding="utf-8")
    node: Any = ast.parse(text)
    for part in name.split("."):
        node = next((one for one in node.body if part in names_of(one)), None)
        if node is None:
            raise LookupError(f"{path} defines no {name}")
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    lines = text.splitlines()[first - 1 : node.end_lineno]
    return first, textwrap.dedent("\n".join(lines))


def names_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = (
        node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    )
    return [target.id for target in targets if isinstance(target, ast.Name)]


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    folder = (DOCS / page.file.src_uri).parent

    def shown(found: re.Match[str]) -> str:
        name, link = found[1], found[2]
        path = (folder / link).resolve()
        first, source = source_of(path, name)
        where = link[link.index("src/") :]
        return (
            f'```python title="{where}, line {first}"\n{source}\n```\n\n[All of `{path.name}`]({link}){{ .all-of }}'
        )

    markdown = LINE.sub(shown, markdown)
    if '.py "code")' in markdown:
        raise LookupError(f'{page.file.src_uri}: a link with the title "code" must be alone on its line')
    return markdown
