"""The user's folders: packs, results of the lab, cache. DHYAN_HOME and DHYAN_CACHE put them elsewhere."""

import os
from pathlib import Path

from platformdirs import user_cache_path, user_data_path


def home_folder() -> Path:
    """DHYAN_HOME, or the system's folder for a program's data (~/.local/share/dhyan on Linux)."""
    home = os.environ.get("DHYAN_HOME")
    return Path(home) if home else user_data_path("dhyan", appauthor=False)


def user_packs() -> Path:
    """Packs in this folder are found by their names."""
    return home_folder() / "packs"


def lab_folder() -> Path:
    """Where the lab keeps its measurements and results."""
    return home_folder() / "lab"


def cache_folder() -> Path:
    """DHYAN_CACHE, or the system's folder for caches (~/.cache/dhyan on Linux); all in it can be made again."""
    cache = os.environ.get("DHYAN_CACHE")
    return Path(cache) if cache else user_cache_path("dhyan", appauthor=False)
