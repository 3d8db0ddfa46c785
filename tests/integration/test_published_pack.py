"""A pack as a Python package: the example of docs/reference/packs.md is built, installed, and called by its name."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.hostile_files import STORED
from support.made_once import made_once

pytestmark = pytest.mark.long

(PAGE,) = (Path(__file__).parents[2] / "docs").rglob("packs.md")
EXAMPLE = PAGE.read_text(encoding="utf-8")
BOOBY_TRAP = "raise SystemExit('the package was imported')\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory, worker_id):
    """A folder of installed packages, with the example's; a copy, for a test breaks it for a while."""
    made = made_once(tmp_path_factory, worker_id, "published", install)
    return shutil.copytree(made / "site", tmp_path_factory.mktemp("published") / "site")


def install(place):
    module = place / "source" / "dhyan_pack_xyz"
    shutil.copytree(STORED / "writer", module)
    (module / "__init__.py").write_text(BOOBY_TRAP, encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```", EXAMPLE, flags=re.S | re.M)
    (place / "source" / "pyproject.toml").write_text(example, encoding="utf-8")
    pip(place, "wheel", "--no-deps", "--wheel-dir", "wheels", "./source")
    (wheel,) = (place / "wheels").iterdir()
    assert wheel.name == "dhyan_pack_xyz-1.0.0-py3-none-any.whl"
    pip(place, "install", "--no-deps", "--target", "site", wheel)


def pip(folder, *arguments):
    command = [sys.executable, "-m", "pip", "--quiet", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if "No matching distribution" in done.stderr:
        pytest.skip("pip reaches no package index.")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def dhyan(installed, tmp_path):
    """Runs a command where the package is installed."""
    own = {"DHYAN_HOME": str(tmp_path / "home"), "DHYAN_CACHE": str(tmp_path / "cache")}
    own["PYTHONPATH"] = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*arguments, expect=0):
        done = subprocess.run(
            [sys.executable, "-m", "dhyan.cli", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | own,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expect, done.stderr
        return done

    return run


def test_it_is_called_by_its_name(dhyan):
    same = dhyan("write", "the", "--model", STORED / "writer", "--max-length", 5).stdout
    assert dhyan("write", "the", "--model", "xyz", "--max-length", 5).stdout == same


def test_it_is_listed_and_stays(dhyan):
    (found,) = (one for one in json.loads(dhyan("models", "--json").stdout) if one["name"] == "xyz")
    assert found["where"] == "package dhyan-pack-xyz 1.0.0"
    assert "pip uninstall dhyan-pack-xyz" in dhyan("packs", "remove", "xyz", expect=2).stderr
    assert (
        "there is a pack 'xyz' already"
        in dhyan("packs", "install", STORED / "writer", "--name", "xyz", expect=2).stderr
    )


def test_ones_own_goes_before_it_and_can_be_handed_on(dhyan, tmp_path):
    printed = dhyan("packs", "bundle", "xyz", "xyz.tar.gz").stdout
    digest, name = printed.split()
    assert name == "xyz.tar.gz"
    said = dhyan("packs", "install", "xyz.tar.gz", "--replace", "--sha256", digest).stderr
    assert "xyz is installed (write; licence:" in said
    assert "is not used" in dhyan("packs", "list").stderr
    assert "is removed" in dhyan("packs", "remove", "xyz").stderr
    assert dhyan("packs", "list").stderr == ""
    assert "exists already" in dhyan("packs", "bundle", "xyz", "xyz.tar.gz", expect=2).stderr
    assert "must end in" in dhyan("packs", "bundle", "xyz", "xyz.zip", expect=2).stderr


def test_a_package_without_its_pack_harms_nobody(dhyan, installed):
    manifest = installed / "dhyan_pack_xyz" / "pack.json"
    content = manifest.read_bytes()
    manifest.unlink()
    try:
        assert "dhyan-pack-xyz 1.0.0 has no pack" in dhyan("packs", "list").stderr
        assert "there is no pack 'xyz'" in dhyan("write", "the", "--model", "xyz", expect=2).stderr
    finally:
        manifest.write_bytes(content)
