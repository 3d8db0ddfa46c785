"""What to install when packages are missing: the command that fits how Dhyan was installed."""

import json
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import dhyan
from dhyan.core.extras import install_command

INDEX = None
FOLDER = {"url": "file:///somewhere/dhyan", "dir_info": {}}
EDITABLE = {"url": "file:///some%20where/dhyan", "dir_info": {"editable": True}}
WHEEL = {"url": "file:///tmp/dhyan-1-py3-none-any.whl", "archive_info": {}}
GIT = {"url": "https://example.org/dhyan", "vcs_info": {"vcs": "git", "commit_id": "abc"}}


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An environment of which only what is looked at is there."""

    def make(recorded, **files):
        class Distribution:
            def read_text(self, name):
                return recorded and json.dumps(recorded)

        for name, text in files.items():
            (tmp_path / name.replace("_toml", ".toml").replace("_json", ".json").replace("_cfg", ".cfg")).write_text(
                text
            )
        monkeypatch.setattr("importlib.metadata.distribution", lambda name: Distribution())
        monkeypatch.setattr(sys, "prefix", str(tmp_path))
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
        (tmp_path / "bin").mkdir()
        pip = tmp_path / "bin" / "pip"
        pip.touch(mode=0o755)
        monkeypatch.setenv("PATH", str(pip.parent))
        return install_command("train")

    return make


@pytest.mark.parametrize(
    ("recorded", "told"),
    [
        (INDEX, 'pip install "dhyan[train]"'),
        (FOLDER, 'pip install "dhyan[train] @ file:///somewhere/dhyan"'),
        (WHEEL, 'pip install "dhyan[train] @ file:///tmp/dhyan-1-py3-none-any.whl"'),
        (EDITABLE, 'pip install -e "/some where/dhyan[train]"'),
        (GIT, 'pip install "dhyan[train] @ git+https://example.org/dhyan@abc"'),
    ],
)
def test_from_where_it_came(recorded, told, installed):
    assert installed(recorded) == told


def test_by_pipx(installed):
    assert installed(INDEX, pipx_metadata_json="{}") == 'pipx install --force "dhyan[train]"'


def test_by_uv_as_a_tool(installed):
    told = installed(EDITABLE, **{"uv-receipt_toml": "", "pyvenv_cfg": "uv = 0.9\n"})
    assert told == 'uv tool install --force --editable "/some where/dhyan[train]"'


def test_into_an_environment_of_uv(installed, tmp_path):
    told = installed(INDEX, pyvenv_cfg="home = /usr\nuv = 0.9\n")
    assert told == f'uv pip install --python {tmp_path} "dhyan[train]"'


def test_with_this_python_where_pip_is_anothers(installed, tmp_path, monkeypatch):
    installed(INDEX)
    (tmp_path / "bin" / "pip").unlink()
    assert install_command("train") == f'{tmp_path / "bin" / "python"} -m pip install "dhyan[train]"'


def test_from_its_source_where_it_was_not_installed(installed, monkeypatch):
    installed(INDEX)

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", missing)
    root = Path(dhyan.__file__).parents[2]
    assert install_command("train") == f'pip install -e "{root}[train]"'
