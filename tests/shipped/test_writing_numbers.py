"""The example of docs/guides/explain.md, "Write a number": what it prints is what stands beside it."""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "guides" / "explain.md"


def test_a_brother_becomes_a_sister():
    section = DOCS.read_text(encoding="utf-8").split("## Write a number")[1]
    block = re.search(r"^```python\n(.*?)^```", section, flags=re.S | re.M)[1]
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=True)
    promised = re.findall(r"^print\(\w+\.text\)  # ([^:\n]+)", block, flags=re.M)
    *texts, change = done.stdout.splitlines()
    assert texts == promised
    assert len(set(texts)) == 3
    assert float(change) < -5
