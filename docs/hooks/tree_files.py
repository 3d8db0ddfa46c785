"""Files of the tree that a page links to (source, recipes, cards) become pages of the site: nothing leads out of it.

In Markdown such a link is an ordinary relative one, which also works where the repository is read as it is.
"""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(\[(?:[^\]\[]|\[[^\]]*\])*\]\()((?:\.\./)+[^)\s#]+)(?=[#)\s])")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LANGUAGES = {
    ".py": "python",
    ".js": "javascript",
    ".ts": "typescript",
    ".sh": "bash",
    ".toml": "toml",
    ".yaml": "yaml",
}
SHOWN = 200_000  # bytes; what is larger is data, of which the beginning is enough
LOGO = ROOT / "src/dhyan/server/page/icon.svg"


def target_in_tree(src_uri: str, link: str) -> Path | None:
    """The file outside docs/ that a page's link names, relative to the tree's root."""
    joined = os.path.normpath(ROOT / "docs" / Path(src_uri).parent / link)
    path = Path(joined)
    outside = path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "docs")
    return path.relative_to(ROOT) if outside and path.exists() else None


def page_of(path: Path) -> str:
    """Where the page of a tree's file lies among the pages: tree/src/dhyan/model/layers.py.md"""
    return f"tree/{path.as_posix()}.md"


def shown(path: Path) -> str:
    """The Markdown of a file's page. Markdown stays what it is, a folder is a list, all else is code."""
    here = ROOT / path
    head = f"---\ntitle: {path}\nsearch:\n  exclude: true\n---\n"
    if here.is_dir():
        names = sorted(one.name for one in here.iterdir() if not one.name.startswith(("__", ".")))
        return f"{head}# {path}/\n\n" + "".join(f"- `{name}`\n" for name in names)
    text = here.read_bytes()[:SHOWN].decode("utf-8", errors="ignore")
    if path.suffix == ".md":
        return head + re.sub(
            r"(?<!\!)\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
        )
    return f'{head}# `{path}`\n\n``````{LANGUAGES.get(path.suffix, "text")} linenums="1"\n{text}\n``````\n'


def outside_fences(change: Any, markdown: str) -> str:
    """Apply a change to a page's prose and leave its code blocks."""
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [change(markdown[end : fence.start()]), fence.group()]
        end = fence.end()
    return "".join([*parts, change(markdown[end:])])


def on_files(files: Files, config: Any) -> Files:
    wanted = set()
    for file in list(files.documentation_pages()):
        for _, link in LINK.findall(file.content_string):
            if path := target_in_tree(file.src_uri, link):
                wanted.add(path)
    for path in sorted(wanted | {Path("CHANGELOG.md"), Path("CONTRIBUTING.md")}):
        files.append(File.generated(config, page_of(path), content=shown(path)))
    files.append(File.generated(config, "logo.svg", content=LOGO.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    def to_page(found: re.Match[str]) -> str:
        path = target_in_tree(page.file.src_uri, found[2])
        if path is None:
            return found[0]
        return found[1] + os.path.relpath(page_of(path), Path(page.file.src_uri).parent)

    return outside_fences(lambda text: LINK.sub(to_page, text), markdown)
