"""The access log goes on when its file is moved away, and says once what it cannot write."""

import json

import pytest

from dhyan.core.errors import DhyanError
from dhyan.server.operations.access_log import AccessLog


def test_a_moved_file_is_opened_anew(tmp_path):
    log = AccessLog(str(tmp_path / "access.jsonl"))
    log.write(route="/a", status=200)
    (tmp_path / "access.jsonl").rename(tmp_path / "access.1.jsonl")
    log.write(route="/100%s", status=404)
    log.close()
    (old,) = (tmp_path / "access.1.jsonl").read_text().splitlines()
    (new,) = (tmp_path / "access.jsonl").read_text().splitlines()
    assert json.loads(old)["route"] == "/a"
    assert json.loads(new) == {"time": json.loads(new)["time"], "route": "/100%s", "status": 404}


def test_what_cannot_be_written_is_said(tmp_path, capsys):
    with pytest.raises(DhyanError, match="cannot be written"):
        AccessLog(str(tmp_path / "nothing" / "access.jsonl"))
    log = AccessLog("/dev/full")
    log.write(route="/a")
    log.write(route="/a")
    assert capsys.readouterr().err.count("cannot be written") == 1
