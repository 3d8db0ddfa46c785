"""Where a pack is opened up NumPy has one thread, unless whoever starts the command says otherwise."""

import os
import subprocess
import sys

import pytest

ASKS = "import sys; sys.argv[1:] = {argv}; import dhyan.cli, os; print(os.environ.get('OPENBLAS_NUM_THREADS'))"


@pytest.mark.parametrize(
    ("argv", "given", "found"),
    [(["serve"], None, "1"), (["translate"], None, "1"), (["explain", "x"], "3", "3"), (["embed"], None, "None")],
)
def test_one_thread_where_a_pack_is_opened_up(argv, given, found):
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if given:
        environment["OPENBLAS_NUM_THREADS"] = given
    command = [sys.executable, "-c", ASKS.format(argv=argv)]
    assert subprocess.run(command, env=environment, capture_output=True, text=True).stdout.strip() == found


def test_nothing_imports_numpy_before_it(tmp_path):
    asks = "import dhyan.cli.blas_threads, sys; sys.exit('numpy' in sys.modules)"
    early = "import sys; sys.modules['dhyan.cli.app'] = __import__('types').SimpleNamespace(main=None); "
    assert subprocess.run([sys.executable, "-c", early + asks], capture_output=True).returncode == 0
