"""A pack's two languages: what it says goes before what its name and its scripts suggest."""

from dataclasses import replace

import pytest

from dhyan.pack.pack import BUILT_IN, open_pack
from dhyan.translation.pack_languages import pack_languages
from support.packs import random_pack


@pytest.fixture(scope="module")
def shipped():
    return open_pack(BUILT_IN / "hi-en")


def saying(pack, **values):
    return replace(pack, manifest=pack.manifest.model_copy(update=values))


def test_it_says_so(shipped):
    assert pack_languages(shipped) == ("hi", "en")
    assert pack_languages(saying(shipped, source_language="mr", name="en-hi")) == ("mr", "en")


def test_else_its_name_tells(shipped):
    unsaid = {"source_language": "", "target_language": ""}
    assert pack_languages(saying(shipped, **unsaid, name="de-fr-small")) == ("de", "fr")


def test_else_its_scripts_tell(shipped):
    assert pack_languages(saying(shipped, source_language="", target_language="", name="mine")) == ("hi", "en")


def test_else_they_are_unknown(tmp_path):
    assert pack_languages(random_pack(tmp_path / "mixed", "encoder-decoder")) is None
    assert pack_languages(random_pack(tmp_path / "writes", "decoder")) is None
