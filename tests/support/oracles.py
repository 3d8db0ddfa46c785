"""Other programs that ours is compared with: they run in a process of their own, beside newer libraries."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(sys.prefix) / "oracles"
_FRAME = """
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    payload = json.load(file)
exec(compile(open(sys.argv[2], encoding="utf-8").read(), sys.argv[2], "exec"))
with open(sys.argv[3], "w", encoding="utf-8") as file:
    json.dump(answer, file)
"""


def call_oracle(script: str | Path, payload: Any = None, timeout: float = 300) -> Any:
    """What a script leaves in `answer`, given `payload`; both are JSON. Skips the test where no oracle is installed.

    script: its text, or its path.
    """
    if not FOLDER.is_dir():
        pytest.skip(f"No oracles: pip install --no-deps --target {FOLDER} -r tests/oracles.txt.")
    text = script.read_text(encoding="utf-8") if isinstance(script, Path) else script
    quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}
    with tempfile.TemporaryDirectory() as name:
        asked, code, answered = (Path(name) / file for file in ("asked.json", "script.py", "answered.json"))
        asked.write_text(json.dumps(payload), encoding="utf-8")
        code.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", _FRAME, asked, code, answered],
            env=os.environ | quiet | {"PYTHONPATH": str(FOLDER)},
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(answered.read_text(encoding="utf-8"))
