"""What all tests share: a small corpus, and one thread a process so that numbers and timings are steady."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from support.tiny import reversed_digits

os.environ.setdefault("OMP_NUM_THREADS", "1")
if shutil.which("nvidia-smi") is None:  # no GPU: our kernels run in Triton's interpreter, which has to know in time
    os.environ.setdefault("TRITON_INTERPRET", "1")

# Where Python is told to keep no bytecode, every process and every run would compile all modules and tests again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What the tests write is synced, as users' files are. In memory, where there is enough, no disk is waited for.
MEMORY = Path("/dev/shm")
if (
    MEMORY.is_dir()
    and os.access(MEMORY, os.W_OK)
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC  # some tests install what they then run
    and shutil.disk_usage(MEMORY).free > 4 << 30
):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

settings.register_profile("dhyan", deadline=None)  # a time limit for each example fails on a busy machine
settings.load_profile("dhyan")

LONGEST = (
    "test_pages.py",
    "test_translate_view.py",
    "test_bench.py",
    "test_light_install.py",
    "test_many_processes.py",
    "test_learning.py",
    "test_leak.py",
    "test_notebooks.py",
    "test_bulk_command.py",
)


def pytest_collection_modifyitems(items):
    """The longest first: at the end, other processes would wait for one."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture
def digits(tmp_path):
    """A corpus of digit strings and their reversals."""
    path = tmp_path / "digits.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in reversed_digits(300, seed=1)))
    return path
