"""The real command, in a process of its own."""

import os
import subprocess
import sys

ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"}


def dhyan(*arguments, folder, expect=0):
    """Run `dhyan …` in a folder and check its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "dhyan.cli", *map(str, arguments)],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expect, done.stderr
    return done


def start(*arguments, folder):
    """The same, left running."""
    return subprocess.Popen(
        [sys.executable, "-m", "dhyan.cli", *map(str, arguments)],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
