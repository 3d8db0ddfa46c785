"""The parts of another program's tokenizer that Dhyan knows, each with what may be set about it.

What is not here is refused: the library has parts that multiply text, search without end, or panic.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from dhyan.core.errors import shortened
from dhyan.text.charsmap import longest_replacement

Check = Callable[[Any], bool]

HIDDEN = "\uffff"  # no character of any text; a piece whose name begins with it is found in none
GPT2_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA_TAIL = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA_HEAD = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
LLAMA3_WORDS = _LLAMA_HEAD + "{1,3}" + _LLAMA_TAIL
QWEN2_WORDS = _LLAMA_HEAD + _LLAMA_TAIL
SPACE_RUNS, OUTER_SPACES = " {2,}", "^ +| +$"
_EXPRESSIONS = {GPT2_WORDS, LLAMA3_WORDS, QWEN2_WORDS, SPACE_RUNS, OUTER_SPACES, r"\s+"}

_MOST_PARTS, _LONGEST, _MOST_GROWTH = 16, 8, 64


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_flag_or_none(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _is_short(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST and HIDDEN not in value


def _is_character(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 1 and value != HIDDEN


def _is_none(value: Any) -> bool:
    return not value and value in (None, "")


def _is_pattern(value: Any) -> bool:
    match value:
        case {"String": str(text)} if len(value) == 1:
            return 0 < len(text) <= _LONGEST
        case {"Regex": str(text)} if len(value) == 1:
            return text in _EXPRESSIONS
    return False


def _is_count(value: Any, most: int = _LONGEST) -> bool:
    return type(value) is int and 0 <= value <= most


def _is_charsmap(value: Any) -> bool:
    return isinstance(value, str) and longest_replacement(value) >= 0


def _one_of(*names: str) -> Check:
    return lambda value: isinstance(value, str) and value in names


_BEHAVIOR = _one_of("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_REPLACE: dict[str, Check] = {"pattern": _is_pattern, "content": _is_short}
_BYTE_LEVEL: dict[str, Check] = dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), _is_flag)
_METASPACE: dict[str, Check] = {
    "replacement": _is_character,
    "str_rep": _is_character,
    "add_prefix_space": _is_flag,
    "prepend_scheme": _one_of("always", "first", "never"),
    "split": _is_flag,
}

NORMALIZERS: dict[str, dict[str, Check]] = {
    "BertNormalizer": {
        "clean_text": _is_flag,
        "handle_chinese_chars": _is_flag,
        "strip_accents": _is_flag_or_none,
        "lowercase": _is_flag,
    },
    **{name: {} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents")},
    "Replace": _REPLACE,
    "Prepend": {"prepend": _is_short},
    "Precompiled": {"precompiled_charsmap": _is_charsmap},
    "Strip": {"strip_left": _is_flag, "strip_right": _is_flag},
}
PRE_TOKENIZERS: dict[str, dict[str, Check]] = {
    "BertPreTokenizer": {},
    "ByteLevel": _BYTE_LEVEL,
    "Metaspace": _METASPACE,
    "Digits": {"individual_digits": _is_flag},
    "Punctuation": {"behavior": _BEHAVIOR},
    "Whitespace": {},
    "WhitespaceSplit": {},
    "Split": {"pattern": _is_pattern, "behavior": _BEHAVIOR, "invert": _is_flag},
}
DECODERS: dict[str, dict[str, Check]] = {
    "WordPiece": {"prefix": _is_short, "cleanup": _is_flag},
    "ByteLevel": _BYTE_LEVEL,
    "Metaspace": _METASPACE,
    "ByteFallback": {},
    "Fuse": {},
    "Strip": {"content": _is_character, "start": _is_count, "stop": _is_count},
    "Replace": _REPLACE,
}
MODELS: dict[str, dict[str, Check]] = {
    "WordPiece": {
        "unk_token": lambda value: isinstance(value, str),
        "continuing_subword_prefix": _is_short,
        "max_input_chars_per_word": lambda value: _is_count(value, most=1000),
    },
    "BPE": {
        "dropout": _is_none,
        "unk_token": lambda value: value is None or isinstance(value, str),
        "continuing_subword_prefix": _is_none,
        "end_of_word_suffix": _is_none,
        "fuse_unk": _is_flag,
        "byte_fallback": _is_flag,
        "ignore_merges": _is_flag,
    },
    "Unigram": {"unk_id": lambda value: _is_count(value, most=10**9), "byte_fallback": _is_flag},
}
_TABLES = {
    "normalizer": (NORMALIZERS, "normalizers"),
    "pre_tokenizer": (PRE_TOKENIZERS, "pretokenizers"),
    "decoder": (DECODERS, "decoders"),
}


def check_component(kind: str, component: Any) -> None:
    """ValueError that names the part, if the normalizer, pre_tokenizer or decoder is not one that Dhyan knows."""
    known, inner = _TABLES[kind]
    parts = parts_of(component)
    if not isinstance(parts, list) or len(parts) > _MOST_PARTS:
        raise ValueError(f"its {kind} is not one part or up to {_MOST_PARTS} in order")
    if len(parts) != 1 or parts[0] is not component:
        check_settings(kind, component, {"Sequence": {inner: lambda value: True}})
    for part in parts:
        check_settings(kind, part, known)
    # What is put in for one character, one part after the other: a text must not grow without bound.
    if prod(_growth(part) for part in parts) > _MOST_GROWTH:
        raise ValueError(f"its {kind} makes texts more than {_MOST_GROWTH} times as long")


def parts_of(component: Any) -> Any:
    """The parts that run one after the other, whether there are several or one."""
    if not isinstance(component, dict) or component.get("type") != "Sequence":
        return [component]
    return next((component[inner] for _, inner in _TABLES.values() if inner in component), None)


def check_settings(kind: str, part: Any, known: Mapping[str, Mapping[str, Check]]) -> None:
    """ValueError if a part is none of the known, or one of its settings is not as it may be."""
    name = part.get("type") if isinstance(part, dict) else None
    if not isinstance(name, str):
        raise ValueError(f"its {kind} has no type")
    if name not in known:
        raise ValueError(f"its {kind} {shortened(name)} is none of {', '.join(known)}")
    for setting, value in part.items():
        if setting == "type":
            continue
        if setting not in known[name]:
            raise ValueError(f"its {kind} {name} has a setting that Dhyan does not know: {shortened(setting)}")
        if not known[name][setting](value):
            said = shortened(str(value), 60)
            raise ValueError(f"its {kind} {name} has {setting} {said}, which Dhyan does not take")


def _growth(part: Mapping[str, Any]) -> int:
    if part["type"] == "Replace":
        return max(1, len(part.get("content", "")))
    return longest_replacement(part["precompiled_charsmap"]) if part["type"] == "Precompiled" else 1
