"""What to install when an optional part of Dhyan is used and its packages are not there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution

from dhyan.core.errors import DhyanError

EXTRAS = {  # extra → the packages that it brings
    "train": ("torch", "sacrebleu", "matplotlib", "tensorboard"),
    "documents": ("pypdf",),
    "parquet": ("pyarrow",),
    "ray": ("ray", "pyarrow"),
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
    """pip's command: from the place that Dhyan itself was installed from, where that is known."""
    try:
        recorded = distribution("dhyan").read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    url = json.loads(recorded).get("url") if recorded else None
    return f'pip install "dhyan[{extra}] @ {url}"' if url else f'pip install "dhyan[{extra}]"'
