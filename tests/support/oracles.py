"""Other programs that ours is compared with: they run in processes of their own, beside newer libraries."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(sys.prefix) / "oracles"

# Importing PyTorch and Transformers takes longer than most answers. So one process imports them, and does nothing but
# divide for every question.
_SERVER = """
import json, os, sys, traceback
import torch
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

def answered(asked, code, place):
    names = {"__name__": "__main__"}
    with open(asked, encoding="utf-8") as file:
        names["payload"] = json.load(file)
    with open(code, encoding="utf-8") as file:
        exec(compile(file.read(), code, "exec"), names)
    with open(place, "w", encoding="utf-8") as file:
        json.dump(names["answer"], file)

for line in sys.stdin:
    *files, said = json.loads(line)
    child = os.fork()
    if child == 0:
        number = os.open(said, os.O_WRONLY | os.O_CREAT)
        os.dup2(number, 1)
        os.dup2(number, 2)
        try:
            answered(*files)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@cache
def _server() -> subprocess.Popen[str]:
    quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        env=os.environ | quiet | {"PYTHONPATH": str(FOLDER)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.kill)
    return server


def call_oracle(script: str | Path, payload: Any = None) -> Any:
    """What a script leaves in `answer`, given `payload`; both are JSON. Skips the test where no oracle is installed.

    script: its text, or its path.
    """
    if not FOLDER.is_dir():
        pytest.skip(f"No oracles: pip install --no-deps --target {FOLDER} -r tests/oracles.txt.")
    text = script.read_text(encoding="utf-8") if isinstance(script, Path) else script
    with tempfile.TemporaryDirectory() as name:
        asked, code, answered, said = (Path(name) / file for file in ("asked.json", "script.py", "answered", "said"))
        asked.write_text(json.dumps(payload), encoding="utf-8")
        code.write_text(text, encoding="utf-8")
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        print(json.dumps([str(asked), str(code), str(answered), str(said)]), file=server.stdin, flush=True)
        exit_code = server.stdout.readline()
        assert exit_code.strip() == "0", said.read_text(encoding="utf-8")[-3000:] if said.exists() else exit_code
        return json.loads(answered.read_text(encoding="utf-8"))
