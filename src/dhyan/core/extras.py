"""What to install when an optional part of Dhyan is asked for and its packages are not there."""

import json
from importlib.metadata import PackageNotFoundError, distribution

from dhyan.core.errors import DhyanError


def missing_extra(what: str, package: str | None, extra: str) -> DhyanError:
    """`what` was asked for; `package` is not installed; `extra` brings it."""
    return DhyanError(f"{what} needs {package}, which is not installed: {install_command(extra)}.")


def install_command(extra: str) -> str:
    """pip's command: from the place that Dhyan itself was installed from, where that is known."""
    try:
        recorded = distribution("dhyan").read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    url = json.loads(recorded).get("url") if recorded else None
    return f'pip install "dhyan[{extra}] @ {url}"' if url else f'pip install "dhyan[{extra}]"'
