"""Whether what `make dist` has built can be given away: all of the tree is in it, and it works where nothing else is.

    python tests/release/check.py DIST PYTHON…

Each Python gets an empty environment with the wheel alone, and translates a sentence in it. One that is not on this
machine is named and left out; at least one must be there.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_BYTES = 100_000_000  # what PyPI takes without being asked
PACKS = {"en-hi", "english", "hi-en", "sentiment", "writer"}
NOT_IN_WHEEL = ("src/dhyan/browser/js/kernels/kernels.wat",)  # the source of the WebAssembly beside it
NOT_IN_SDIST = (".ci/", ".github/", ".gitignore", ".dockerignore")  # of the repository, not of the program
ADDED_TO_SDIST = {"PKG-INFO", "setup.cfg"}


def main(dist: Path, pythons: list[str]) -> None:
    (wheel,) = dist.glob("*.whl")
    (sdist,) = dist.glob("*.tar.gz")
    tracked = _tracked()
    for file in (wheel, sdist):
        size = file.stat().st_size
        print(f"{file.name}: {size / 1e6:.1f} MB", flush=True)
        assert size < MOST_BYTES, f"{file} is larger than {MOST_BYTES / 1e6:.0f} MB"
    _compare(wheel.name, _in_wheel(wheel), {f for f in tracked if f.startswith("src/") and f not in NOT_IN_WHEEL})
    _compare(sdist.name, _in_sdist(sdist), {f for f in tracked if not f.startswith(NOT_IN_SDIST)})
    tried = [version for python in pythons if (version := _try(wheel, python))]
    assert tried, f"none of {' '.join(pythons)} is here, so nothing was tried"
    print(f"Installed and used with Python {', '.join(tried)}.")


def _tracked() -> set[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).exists()}


def _in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as file:
        return {f"src/{name}" for name in file.namelist() if ".dist-info/" not in name}


def _in_sdist(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as file:
        names = {member.name.partition("/")[2] for member in file if member.isfile()}
    return {name for name in names - ADDED_TO_SDIST if ".egg-info/" not in name}


def _compare(what: str, found: set[str], expected: set[str]) -> None:
    lacks, besides = sorted(expected - found), sorted(found - expected)
    assert not lacks, f"{what} lacks {', '.join(lacks)}: see pyproject.toml (package-data) and MANIFEST.in"
    assert not besides, f"{what} holds what git does not know: {', '.join(besides)}"


def _try(wheel: Path, python: str) -> str:
    """The version of a Python that the wheel works with; empty where it is not here."""
    try:
        code = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
        version = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        print(f"{python}: not here, so not tried")
        return ""
    with tempfile.TemporaryDirectory(prefix="dhyan-dist-") as folder:
        place = Path(folder)
        subprocess.run([python, "-m", "venv", place / "venv"], check=True)
        _use(wheel.resolve(), place)
    print(f"Python {version}: installed, translated", flush=True)
    return version


def _use(wheel: Path, place: Path) -> None:
    programs = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own = {"DHYAN_HOME": str(place / "home"), "DHYAN_CACHE": str(place / "cache"), "PYTHONUTF8": "1"}

    def run(program: str, *arguments: str | Path) -> str:
        done = subprocess.run(
            [programs / program, *arguments],
            cwd=place,
            env=kept | own,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{program} {' '.join(map(str, arguments))}: {done.stderr}"
        return done.stdout

    run("python", "-m", "pip", "install", "--quiet", wheel)
    run("python", "-m", "pip", "check")
    assert run("dhyan", "--version").split()[1] == wheel.name.split("-")[1]
    assert run("dhyan", "translate", "How are you?") == "आप कैसे हैं?\n"
    assert {pack["name"] for pack in json.loads(run("dhyan", "models", "--json"))} == PACKS
    code = (
        "import dhyan; print(dhyan.load('sentiment')('A warm and funny film.'), len(dhyan.load('english')('a dog')))"
    )
    assert run("python", "-c", code) == "positive 384\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
