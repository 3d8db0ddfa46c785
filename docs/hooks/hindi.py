"""Pages below hi/ say that they are Hindi, so that they are read out, hyphenated and searched as such."""

from typing import Any


def on_post_page(output: str, page: Any, **_: Any) -> str:
    return output.replace('<html lang="en"', '<html lang="hi"', 1) if page.file.src_uri.startswith("hi/") else output
