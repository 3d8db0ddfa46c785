"""Argos Translate itself, in a process of its own: it installs a package and translates with it."""

from pathlib import Path

from support.oracles import call_oracle

# Its model that finds sentences is downloaded, so that a text is one sentence here. It imports Stanza always, and
# needs it for packages of another kind.
_ARGOS = """
import os, sys, types
os.environ |= {name: payload["home"] for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
os.environ |= {"ARGOS_COMPUTE_TYPE": "float32", "ARGOS_INTRA_THREADS": "1"}
sys.modules["stanza"] = types.ModuleType("stanza")
from argostranslate import package, translate

class WholeText:
    def split_sentences(self, text):
        return [text]

package.install_from_path(payload["file"])
installed, = package.get_installed_packages()
languages = {one.code: one for one in translate.get_installed_languages()}
translation = languages[installed.from_code].get_translation(languages[installed.to_code])
translation.underlying.sentencizer = WholeText()
answer = [translation.translate(text) for text in payload["texts"]]
"""


def argos_translations(package: Path, texts: list[str], home: Path) -> list[str]:
    """home: where it keeps its files."""
    found: list[str] = call_oracle(_ARGOS, {"file": str(package), "home": str(home), "texts": texts})
    return found
