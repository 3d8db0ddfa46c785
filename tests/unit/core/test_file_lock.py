import subprocess
import sys

import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.file_lock import file_lock, is_locked


def test_a_lock_is_held_once_and_can_be_taken_again(tmp_path):
    path = tmp_path / ".lock"
    with (
        file_lock(path, busy="somebody else is here"),
        pytest.raises(DhyanError, match="somebody else is here"),
        file_lock(path, busy="somebody else is here"),
    ):
        pass
    with file_lock(path, busy="free", remove=True):
        assert is_locked(path)
    assert not path.exists()


def test_a_lock_goes_away_with_its_process(tmp_path):
    path = tmp_path / ".lock"
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom dhyan.core.file_lock import file_lock\n"
        "with file_lock(Path(sys.argv[1]), busy=''):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        assert is_locked(path)
        process.kill()
    assert not is_locked(path)
