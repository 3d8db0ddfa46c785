"""Reference pages that are made anew at every build, from what the program itself goes by."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).parent))
import made_from_commands
import made_from_errors
import made_from_openapi
import made_from_settings

PAGES = {
    "reference/commands.md": made_from_commands.page,
    "reference/recipes.md": made_from_settings.recipes_page,
    "reference/mixes.md": made_from_settings.mixes_page,
    "reference/server-settings.md": made_from_settings.server_page,
    "reference/http.md": made_from_openapi.page,
    "reference/errors.md": made_from_errors.page,
}


def on_files(files: Files, config: Any) -> Files:
    for src_uri, made in PAGES.items():
        files.append(File.generated(config, src_uri, content=made()))
    return files
