"""A pack → a package of Argos Translate, which LibreTranslate serves too.

One SentencePiece file cuts what is read and puts together what is written, so both sides have one unigram vocabulary.
"""

import json
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import BYTES, END, PAD, SPECIAL, START, UNK
from dhyan.engines.convert import Compute, convert_pack
from dhyan.interchange.charsmap_writer import charsmap, composition_rules
from dhyan.interchange.sentencepiece_file import Piece, PieceType, SentencePieceModel
from dhyan.interchange.sentencepiece_writer import sentencepiece_bytes
from dhyan.pack.pack import Pack
from dhyan.pack.repack import describe_export
from dhyan.text.language_id import UNKNOWN, language_name
from dhyan.text.tokenizer import Tokenizer

SPACE = "▁"
VERSION, OLDEST_ARGOS = "1.0", "1.9"  # of the package, and of the program that it needs
NEVER = -1e9  # the bias of a token that must not be written


def export(pack: Pack, folder: Path, compute: Compute) -> None:
    manifest = pack.manifest
    tokenizer = _shared_tokenizer(pack)
    source, target = manifest.source_language, manifest.target_language
    if not (source and target):
        raise DhyanError(
            f"{manifest.name} does not say its languages, by which Argos finds it; write it anew with `dhyan repack"
            " --source-language … --target-language …`, such as en and hi."
        )
    metadata = {
        "package_version": VERSION,
        "argos_version": OLDEST_ARGOS,
        "from_code": source,
        "from_name": _name(source),
        "to_code": target,
        "to_name": _name(target),
        "license": manifest.licence,
    }
    name = f"translate-{source}_{target}"
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as place:
        package = Path(place)
        model = package / "model"
        model.mkdir()
        convert_pack(_without_special(pack), model, compute)
        for file in model.glob("*vocabulary.json"):
            pieces = [_stored(piece) for piece in json.loads(file.read_text("utf-8"))]
            file.write_text(json.dumps(pieces, ensure_ascii=False), encoding="utf-8")
        (package / "sentencepiece.model").write_bytes(sentencepiece_bytes(sentencepiece_model(tokenizer)))
        (package / "metadata.json").write_text(json.dumps(metadata, ensure_ascii=False, indent=2), encoding="utf-8")
        describe_export(pack, package)
        with zipfile.ZipFile(folder / f"{name}.argosmodel", "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(path for path in package.rglob("*") if path.is_file()):
                archive.write(file, Path(name) / file.relative_to(package))
    describe_export(pack, folder)  # beside the package too, for whoever passes it on


def _shared_tokenizer(pack: Pack) -> Tokenizer:
    if pack.manifest.task != "translate":
        raise DhyanError(f"Argos runs translators, and {pack.manifest.name} is none; use --to onnx or ctranslate2.")
    reads, writes = pack.source_tokenizer, pack.target_tokenizer
    if reads is None or reads is not writes or type(reads) is not Tokenizer or _model(reads)["type"] != "Unigram":
        raise DhyanError(
            f"Argos needs one unigram vocabulary for both sides, and {pack.manifest.name} has others; train one with"
            " `dhyan train translate --shared --pieces unigram`, or use --to ctranslate2."
        )
    return reads


def sentencepiece_model(tokenizer: Tokenizer) -> SentencePieceModel:
    """The same pieces, scores and normalisation. A run of blanks is one, and those around a text are none."""
    types = {SPECIAL[UNK]: PieceType.UNKNOWN} | dict.fromkeys(BYTES, PieceType.BYTE)
    types = dict.fromkeys(SPECIAL, PieceType.CONTROL) | types
    pieces = [
        # A ▁ of a text is a blank to SentencePiece, so that such a piece is never met.
        Piece(_stored(text), score, PieceType.UNUSED if SPACE in text else types.get(text, PieceType.NORMAL))
        for text, score in _model(tokenizer)["vocab"]
    ]
    lowercase = tokenizer.normalised("A") == "a"
    return SentencePieceModel(
        tuple(pieces),
        "unigram",
        unk_id=UNK,
        bos_id=START,
        eos_id=END,
        pad_id=PAD,
        byte_fallback=True,
        precompiled_charsmap=charsmap(composition_rules(lowercase)),
    )


def _name(code: str) -> str:
    """What people call a language; its code where that is not known."""
    name = language_name(code)
    return code if name == language_name(UNKNOWN) else name


def _stored(piece: str) -> str:
    """A piece as SentencePiece spells it: a blank is ▁, so a ▁ is something else."""
    return piece.replace(SPACE, "<U+2581>").replace(" ", SPACE)


def _model(tokenizer: Tokenizer) -> dict[str, Any]:
    model: dict[str, Any] = json.loads(tokenizer.to_json())["model"]
    return model


def _without_special(pack: Pack) -> Pack:
    """The same translator, which never writes a special token: Argos has no list of those to leave out."""
    bias = pack.weights["dec.out.b"].copy()
    bias[list(pack.manifest.architecture.special.never_written)] = NEVER
    changed = replace(pack)
    vars(changed)["weights"] = {**pack.weights, "dec.out.b": bias}  # as if the pack had been read so
    return changed
