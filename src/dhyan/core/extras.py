"""What to install when an optional part of Dhyan is used and its packages are not there."""

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dhyan.core.errors import DhyanError

EXTRAS = {  # extra → the packages that it brings
    "train": ("torch", "sacrebleu", "matplotlib", "tensorboard"),
    "documents": ("pypdf",),
    "parquet": ("pyarrow",),
    "ray": ("ray", "pyarrow"),
    "onnx": ("onnx",),
}


@contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """Around an import that `what` needs: a missing package of the extra becomes one sentence that says so."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRAS[extra]:
            raise
        raise missing_extra(what, error.name, extra) from None


def missing_extra(what: str, package: str | None, extra: str) -> DhyanError:
    return DhyanError(f"{what} needs {package}, which is not installed: {install_command(extra)}.")


def install_command(extra: str) -> str:
    """What adds an extra to this installation: by the program that made it, from where Dhyan came."""
    from_where, editable = _origin()
    what = f"{from_where}[{extra}]" if editable else f"dhyan[{extra}]{f' @ {from_where}' if from_where else ''}"
    environment = Path(sys.prefix)
    if (environment / "pipx_metadata.json").is_file():
        program, edit = "pipx install --force", "--editable "
    elif (environment / "uv-receipt.toml").is_file():
        program, edit = "uv tool install --force", "--editable "
    elif _made_by_uv(environment):
        program, edit = f"uv pip install --python {_quoted(sys.prefix)}", "-e "
    else:
        program, edit = f"{_pip()} install", "-e "
    return f'{program} {edit if editable else ""}"{what}"'


def _origin() -> tuple[str, bool]:
    """The folder, archive or repository that Dhyan was installed from, and whether it runs from there.

    Nothing where it came from an index. What was not installed at all runs from its source.
    """
    from importlib.metadata import PackageNotFoundError, distribution  # these take a moment
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        recorded = json.loads(distribution("dhyan").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        source = Path(__file__).parents[3]
        return (str(source), True) if (source / "pyproject.toml").is_file() else ("", False)
    url = recorded.get("url", "")
    if recorded.get("dir_info", {}).get("editable"):
        return url2pathname(urlsplit(url).path), True
    if vcs := recorded.get("vcs_info"):
        return f"{vcs['vcs']}+{url}@{vcs['commit_id']}", False
    return url, False


def _made_by_uv(environment: Path) -> bool:
    """uv notes itself in the environments that it makes, and puts no pip there."""
    config = environment / "pyvenv.cfg"
    return config.is_file() and any(line.startswith("uv =") for line in config.read_text("utf-8").splitlines())


def _pip() -> str:
    """`pip` where that is this environment's, else this Python's."""
    found = shutil.which("pip")
    return (
        "pip" if found and Path(found).parent == Path(sys.executable).parent else f"{_quoted(sys.executable)} -m pip"
    )


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path
