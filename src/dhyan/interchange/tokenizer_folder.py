"""The tokenizers of a Hugging Face folder, in whichever of its files they are."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.core.json_object import parse_json_object, read_bounded_text, read_json_object
from dhyan.interchange.gguf_tokenizer import byte_level
from dhyan.interchange.sentencepiece_file import PieceType, read_sentencepiece
from dhyan.interchange.sentencepiece_tokenizer import sentencepiece_tokenizer
from dhyan.text.imported_tokenizer import ImportedTokenizer
from dhyan.text.tokenizer_file import MAX_BYTES

_ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_MORE = ("additional_special_tokens", "extra_special_tokens")
_BERT = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
_FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")  # the first ids of what fairseq trained
_LANGUAGE_CODE = re.compile(">>.+<<")  # the target language, in front of a text for several of them

# M2M100 gives its languages the ids behind its vocabulary, and no file of it names them all.
_M2M100_LANGUAGES = (
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu "
    "hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt "
    "ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"
)


def read_tokenizers(folder: Path) -> dict[str, ImportedTokenizer]:
    """Side (source, target) → tokenizer, twice the same where there is one; DhyanError if there is none."""
    for files, read in _READERS.items():
        if all((folder / file).is_file() for file in files):
            try:
                return read(folder)
            except (OSError, ValueError) as error:
                named = " and ".join(files)
                raise DhyanError(f"{folder}: the tokenizer in {named} cannot be used: {error}.") from None
    looked_for = "; ".join(" with ".join(files) for files in _READERS)
    raise DhyanError(f"{folder} has no tokenizer: none of {looked_for} is there; copy the folder whole.")


def folder_special(folder: Path, tokenizer: ImportedTokenizer | None = None) -> dict[str, int]:
    """The special tokens' texts and ids, as the folder's files state them and its tokenizer numbers them."""
    tokenizer = tokenizer or read_tokenizers(folder)["source"]
    found = {name: tokenizer.id_of(name) for name in _special_names(folder)}
    named = {name: number for name, number in found.items() if number is not None}
    return {tokenizer.piece(number): number for number in sorted(tokenizer.special_ids)} | named


def special_roles(folder: Path) -> dict[str, str]:
    """Role (`eos_token`, `pad_token`, …) → text, for the roles that the folder's files name."""
    stated = _read(folder, "special_tokens_map.json") | _read(folder, "tokenizer_config.json")
    texts = {role: _text_of(stated.get(role)) for role in _ROLES}
    return {role: text for role, text in texts.items() if text}


# -- what the files beside the vocabulary say -----------------------------------------------------------------------


def _read(folder: Path, file: str) -> dict[str, Any]:
    """An object, empty where there is no such file."""
    path = folder / file
    if not path.is_file():
        return {}
    try:
        return read_json_object(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        raise DhyanError(f"{path} cannot be read: {error}; copy it again.") from None


def _text_of(token: Any) -> str | None:
    """A token is written as its text, or as an object with it."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) and text else None


def _special_names(folder: Path) -> list[str]:
    names = list(special_roles(folder).values()) + _more_special(folder)
    names += [token["content"] for token in _added_tokens(folder) if token["special"]]
    return list(dict.fromkeys(names))


def _more_special(folder: Path) -> list[str]:
    """Those without a role, in the order of the file."""
    names: list[str] = []
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        stated = _read(folder, file)
        for tokens in (stated.get(key) for key in _MORE):
            names += [text for token in tokens if (text := _text_of(token))] if isinstance(tokens, list) else []
    return list(dict.fromkeys(names))


def _added_tokens(folder: Path) -> list[dict[str, Any]]:
    """Tokens with ids that stand beside the vocabulary."""
    special = {*special_roles(folder).values(), *_more_special(folder)}
    stated = _read(folder, "tokenizer_config.json").get("added_tokens_decoder")
    found: dict[str, dict[str, Any]] = {}
    for number, token in stated.items() if isinstance(stated, dict) else ():
        text = _text_of(token)
        if text and number.isdecimal():
            found[text] = {"special": text in special, **token, "id": int(number), "content": text}
    for text, number in _vocabulary(folder, "added_tokens.json").items():
        found.setdefault(text, {"id": number, "content": text, "special": text in special})
    return list(found.values())


# -- each set of files ----------------------------------------------------------------------------------------------


def _both(tokenizer: ImportedTokenizer) -> dict[str, ImportedTokenizer]:
    return {"source": tokenizer, "target": tokenizer}


def _tokenizer_json(folder: Path) -> dict[str, ImportedTokenizer]:
    document = parse_json_object(read_bounded_text(folder / "tokenizer.json", MAX_BYTES))
    return _both(ImportedTokenizer.from_document(document, _special_names(folder)))


def _marian(folder: Path) -> dict[str, ImportedTokenizer]:
    source = _vocabulary(folder, "vocab.json")
    separate = (folder / "target_vocab.json").is_file()
    target = _vocabulary(folder, "target_vocab.json") if separate else source
    special = _special_names(folder) or ["</s>", "<unk>", "<pad>"]
    codes = [piece for piece in source if _LANGUAGE_CODE.fullmatch(piece)]
    return {
        "source": sentencepiece_tokenizer(read_sentencepiece(folder / "source.spm"), source, special, added=codes),
        "target": sentencepiece_tokenizer(read_sentencepiece(folder / "target.spm"), target, special),
    }


def _m2m100(folder: Path) -> dict[str, ImportedTokenizer]:
    vocabulary = _vocabulary(folder, "vocab.json")
    languages = [name for name in _more_special(folder) if re.fullmatch("__.+__", name)]
    languages = languages or [f"__{code}__" for code in _M2M100_LANGUAGES.split()]
    _put_behind(vocabulary, languages)
    special = [*_FAIRSEQ, *_special_names(folder), *languages]
    model = read_sentencepiece(folder / "sentencepiece.bpe.model")
    return _both(sentencepiece_tokenizer(model, vocabulary, special))


def _fairseq(folder: Path) -> dict[str, ImportedTokenizer]:
    """XLM-RoBERTa, mBART and NLLB: four special tokens in fairseq's order, the pieces, then the special tokens."""
    model = read_sentencepiece(folder / "sentencepiece.bpe.model")
    pieces = [piece.text for piece in model.pieces if piece.type not in (PieceType.CONTROL, PieceType.UNKNOWN)]
    vocabulary = {piece: number for number, piece in enumerate((*_FAIRSEQ, *pieces))}
    mask = special_roles(folder).get("mask_token", "<mask>")
    last = [name for name in _more_special(folder) if name != mask]
    _put_behind(vocabulary, [*last, mask])
    return _both(sentencepiece_tokenizer(model, vocabulary, [*_FAIRSEQ, *_special_names(folder), mask]))


def _sentencepiece(folder: Path) -> dict[str, ImportedTokenizer]:
    model = read_sentencepiece(folder / "tokenizer.model")
    vocabulary = {piece.text: number for number, piece in enumerate(model.pieces)}
    added = sorted((token for token in _added_tokens(folder) if token["content"] not in vocabulary), key=_id)
    _put_behind(vocabulary, [token["content"] for token in added])
    if any(vocabulary[token["content"]] != token["id"] for token in added):
        raise ValueError("the ids of its added tokens do not follow those of its vocabulary")
    typed = [token["content"] for token in added if not token["special"]]
    return _both(sentencepiece_tokenizer(model, vocabulary, _special_names(folder), added=typed))


def _byte_level_bpe(folder: Path) -> dict[str, ImportedTokenizer]:
    vocabulary = _vocabulary(folder, "vocab.json")
    lines = read_bounded_text(folder / "merges.txt", MAX_BYTES).splitlines()
    usual = [name for name in ("<|endoftext|>", *_FAIRSEQ, "<mask>") if name in vocabulary]
    cuts = byte_level(add_prefix_space=_read(folder, "tokenizer_config.json").get("add_prefix_space") is True)
    document = {
        "model": {
            "type": "BPE",
            "vocab": vocabulary,
            "merges": [line for line in lines if line and not line.startswith("#version")],
        },
        "pre_tokenizer": cuts,
        "decoder": byte_level(),
        "added_tokens": _added_tokens(folder),
    }
    return _both(ImportedTokenizer.from_document(document, _special_names(folder) or usual))


def _word_piece(folder: Path) -> dict[str, ImportedTokenizer]:
    lines = read_bounded_text(folder / "vocab.txt", MAX_BYTES).replace("\r\n", "\n").split("\n")
    settings = _read(folder, "tokenizer_config.json")
    roles = _BERT | special_roles(folder)
    document = {
        "model": {
            "type": "WordPiece",
            "unk_token": roles["unk_token"],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {line: number for number, line in enumerate(lines) if line},
        },
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": settings.get("tokenize_chinese_chars", True),
            "strip_accents": settings.get("strip_accents"),
            "lowercase": settings.get("do_lower_case", True),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "added_tokens": _added_tokens(folder),
    }
    return _both(ImportedTokenizer.from_document(document, {*roles.values(), *_special_names(folder)}))


def _vocabulary(folder: Path, file: str) -> dict[str, int]:
    vocabulary = _read(folder, file)
    if not all(type(number) is int for number in vocabulary.values()):
        raise DhyanError(f"{folder / file} is not pieces with their ids; copy it again.")
    return vocabulary


def _put_behind(vocabulary: dict[str, int], pieces: Iterable[str]) -> None:
    for piece in pieces:
        vocabulary.setdefault(piece, len(vocabulary))


def _id(token: Mapping[str, Any]) -> int:
    number: int = token["id"]
    return number


# The first set of files that is there. A Marian folder may have a tokenizer.json too, but for its source alone.
_READERS: dict[tuple[str, ...], Callable[[Path], dict[str, ImportedTokenizer]]] = {
    ("source.spm", "target.spm", "vocab.json"): _marian,
    ("tokenizer.json",): _tokenizer_json,
    ("vocab.json", "sentencepiece.bpe.model"): _m2m100,
    ("sentencepiece.bpe.model",): _fairseq,
    ("tokenizer.model",): _sentencepiece,
    ("vocab.json", "merges.txt"): _byte_level_bpe,
    ("vocab.txt",): _word_piece,
}
