"""Programs in JavaScript, with packages from npm: fetched once, and kept beside pytest's own cache."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

CACHE = Path(__file__).parents[2] / ".pytest_cache" / "npm"


CLIENTS = ("deepl-node@1.28.0", "libretranslate@1.0.1", "openai@6.49.0", "translate@3.1.0")


def node_folder(packages=CLIENTS):
    """A folder in which these packages (`name@version`) can be imported; the test is skipped where npm has none."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip(f"npm is not here: {', '.join(packages)} cannot be had.")
    folder = CACHE / hashlib.sha256(" ".join(packages).encode()).hexdigest()[:16]
    ready = folder / "ready"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):  # several test processes may want it
        if not ready.exists():
            command = ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", *packages]
            done = subprocess.run(command, capture_output=True, check=False, timeout=300)
            if done.returncode:
                pytest.skip(f"npm could not fetch {', '.join(packages)}.")
            ready.touch()
    return folder


def run_node(folder, script, *arguments):
    """What a module prints, as JSON."""
    command = ["node", "--input-type=module", "-e", script, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
