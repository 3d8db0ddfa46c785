"""Formulas in LaTeX, between $` and `$ or in a block of $$, become MathML, which browsers draw without scripts."""

import re
import sys
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

sys.path.insert(0, str(Path(__file__).parent))
from tree_files import outside_fences

BLOCK = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"\$`([^`]+)`\$")


def on_page_markdown(markdown: str, **_: Any) -> str:
    def drawn(text: str) -> str:
        text = BLOCK.sub(lambda found: f'<div class="formula">{convert(found[1], display="block")}</div>', text)
        return INLINE.sub(lambda found: convert(found[1]), text)

    return outside_fences(drawn, markdown)
