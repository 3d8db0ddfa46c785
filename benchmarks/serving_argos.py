"""A pack as LibreTranslate takes one, an Argos package: the same weights, and nearly the same tokens.

An Argos package has one SentencePiece model; a pack has two tokenizers of the `tokenizers` library. Their merges, in
their order, become the scores of a SentencePiece BPE model. It is the source's: of the target's pieces SentencePiece
only joins the text, which needs no model. Sentences are split by rules (a blank spaCy pipeline), for the network that
LibreTranslate splits by otherwise is downloaded at the first start; rules cost less, so this is to its advantage.
"""

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

from dhyan.core.special_tokens import SPECIAL, UNK
from dhyan.engines.convert import convert_pack
from dhyan.pack.pack import find_pack, read_pack
from serving_systems import LIBRETRANSLATE, Server, environment

NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # kinds of pieces in SentencePiece's format
BPE = 2  # its model_type
SPACE = "▁"  # stands for a space in its pieces


def libretranslate_server(venv: Path, pack: str, work: Path) -> Server:
    """LibreTranslate as it starts by default, offline, with this pack as its only package."""
    python = venv / "bin" / "python"
    home = work / "libretranslate"
    write_package(pack, home / "packages" / "translate-en_hi-1_0", python)
    cached = home / "cache" / "argos-translate" / "spacy" / "senter"  # else it would look for one to download
    cached.mkdir(parents=True)
    (cached / "model").touch()
    folders = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"}
    settings = {name: str(home / folder) for name, folder in folders.items()}
    settings |= {"ARGOS_PACKAGES_DIR": str(home / "packages"), "ARGOS_CHUNK_TYPE": "SPACY"}
    command = [str(venv / "bin" / "libretranslate"), "--host", "127.0.0.1", "--port", "{port}"]
    log = work / "libretranslate.log"
    return Server("LibreTranslate", command, LIBRETRANSLATE, log, environment(**settings), home)


def write_package(pack: str, folder: Path, python: Path) -> None:
    """python: of the environment that has spaCy."""
    opened = read_pack(find_pack(pack))
    model = folder / "model"
    model.mkdir(parents=True)
    convert_pack(opened, model, "int8")
    for file in model.glob("*_vocabulary.json"):
        pieces = json.loads(file.read_text(encoding="utf-8"))
        named = [piece.replace(" ", SPACE) for piece in pieces]
        file.write_text(json.dumps(named, ensure_ascii=False), encoding="utf-8")
    described = {"package_version": "1.0", "argos_version": "1.9", "type": "translate", "from_code": "en"}
    described |= {"from_name": "English", "to_code": "hi", "to_name": "Hindi"}
    (folder / "metadata.json").write_text(json.dumps(described), encoding="utf-8")
    tokenizer = find_pack(pack) / opened.manifest.tokenizers["source"]
    (folder / "sentencepiece.model").write_bytes(sentencepiece_model(json.loads(tokenizer.read_text("utf-8"))))
    blank = "import spacy, sys; spacy.blank('en').to_disk(sys.argv[1])"
    subprocess.run([python, "-W", "ignore", "-c", blank, folder / "spacy"], check=True, stderr=sys.stderr)


def sentencepiece_model(tokenizer: dict[str, Any]) -> bytes:
    """A BPE tokenizer in SentencePiece's format, a protocol buffer. The best score is merged first."""
    vocabulary, merges = tokenizer["model"]["vocab"], tokenizer["model"]["merges"]
    rank = {"".join(pair): number for number, pair in reversed(list(enumerate(merges)))}
    written = b""
    for piece in sorted(vocabulary, key=vocabulary.__getitem__):
        kind = NORMAL
        if piece in SPECIAL:
            kind = UNKNOWN if piece == SPECIAL[UNK] else CONTROL
        elif piece.startswith("<0x"):
            kind = BYTE
        score = -rank.get(piece, len(merges))
        name = piece.replace(" ", SPACE)
        written += _field(1, _field(1, name.encode()) + _float_field(2, score) + _field(3, kind))
    byte_fallback, unknown, start, end, pad = 35, 40, 41, 42, 43
    none = (1 << 64) - 1  # -1: there is no such piece, so none is added
    training = _field(3, BPE) + _field(byte_fallback, 1) + _field(unknown, UNK)
    training += b"".join(_field(number, none) for number in (start, end, pad))
    begins_with_space, removes_spaces, marks_spaces = 3, 4, 5
    normalizing = _field(1, b"identity") + _field(begins_with_space, 1) + _field(removes_spaces, 1)
    return written + _field(2, training) + _field(3, normalizing + _field(marks_spaces, 1))


def _field(number: int, value: bytes | int) -> bytes:
    """One field of a protocol buffer: a message or text, or a whole number."""
    if isinstance(value, bytes):
        return _varint(number << 3 | 2) + _varint(len(value)) + value
    return _varint(number << 3) + _varint(value)


def _float_field(number: int, value: float) -> bytes:
    return _varint(number << 3 | 5) + struct.pack("<f", value)


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
