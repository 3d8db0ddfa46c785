"""Tokenizers of other programs that lie; and a process that opens them, in little time and memory."""

import base64
import copy
import json
import random
import signal
import sys
from pathlib import Path

from support.foreign_tokenizers import charsmap, documents
from support.hostile_files import damaged, mutated

SECONDS, MEGABYTES = 1.0, 600


def _replace(content, pattern=None):
    return {"type": "Replace", "pattern": pattern or {"String": "e"}, "content": content}


def _split(pattern):
    return {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}


def _precompiled(data):
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()}


def _broken_charsmap(place, value):
    data = bytearray(charsmap())
    data[place : place + 4] = value.to_bytes(4, "little")
    return bytes(data)


# What is changed, and a word that the sentence about it must hold.
REFUSED = [
    ({"normalizer": {"type": "Nmt"}}, "normalizer Nmt"),
    ({"normalizer": {"type": "ByteLevel"}}, "normalizer ByteLevel"),
    ({"normalizer": _replace("x" * 10_000)}, "normalizer Replace"),
    ({"normalizer": _replace("x", {"Regex": ""})}, "normalizer Replace"),
    ({"normalizer": _replace("x", {"Regex": "(e|e.|.e)*z"})}, "normalizer Replace"),
    ({"normalizer": _replace("x", {"String": ""})}, "normalizer Replace"),
    ({"normalizer": {"type": "Sequence", "normalizers": [_replace("eeeeeeee")] * 6}}, "64 times"),
    ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 100}}, "normalizer"),
    ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Sequence", "normalizers": []}]}}, "Sequence"),
    ({"normalizer": {"type": "Sequence", "normalizers": None}}, "normalizer"),
    ({"normalizer": {"type": "Prepend", "prepend": "x" * 10_000_000}}, "Prepend"),
    ({"normalizer": {"type": "BertNormalizer", "lowercase": "yes"}}, "BertNormalizer has lowercase"),
    ({"normalizer": {"type": "Lowercase", "more": 1}}, "Lowercase has a setting"),
    ({"normalizer": ["NFC"]}, "normalizer has no type"),
    ({"normalizer": _precompiled(b"")}, "table of characters"),
    ({"normalizer": _precompiled(charsmap()[:-1])}, "table of characters"),
    ({"normalizer": _precompiled(charsmap(value="x" * 100))}, "64 times"),
    ({"normalizer": _precompiled(_broken_charsmap(0, 2**31))}, "table of characters"),
    ({"normalizer": _precompiled(_broken_charsmap(4, 0x7FFFFFFF))}, "leads out of itself"),
    ({"normalizer": _precompiled(_broken_charsmap(4 + 4 * (0x141 ^ 0x80), 2**31 + 99))}, "leads out of itself"),
    ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "%"}}, "base64"),
    ({"pre_tokenizer": _split({"Regex": "(e|e.|.e)*z"})}, "pre_tokenizer Split"),
    ({"pre_tokenizer": {"type": "CharDelimiterSplit", "delimiter": "e"}}, "CharDelimiterSplit"),
    ({"pre_tokenizer": {"type": "UnicodeScripts"}}, "UnicodeScripts"),
    ({"pre_tokenizer": {"type": "Metaspace", "replacement": "ab"}}, "Metaspace has replacement"),
    ({"decoder": {"type": "Strip", "content": "e", "start": 10**9, "stop": 0}}, "decoder Strip"),
    ({"decoder": {"type": "CTC", "pad_token": "", "word_delimiter_token": "", "cleanup": True}}, "decoder CTC"),
    ({"decoder": {"type": "BPEDecoder", "suffix": "x" * 10**6}}, "BPEDecoder"),
    ({"decoder": _replace("x" * 9)}, "decoder Replace"),
    ({"added_tokens": [{"id": 10**9, "content": "e", "special": True}]}, "added tokens"),
    ({"added_tokens": [{"id": 5, "content": "", "special": False}]}, "added token"),
    ({"added_tokens": [{"id": 5, "content": "e"}, {"id": 6, "content": "e"}]}, "twice"),
    ({"added_tokens": {"e": 1}}, "added tokens"),
    ({"more": 1}, "more"),
    ({"model": None}, "no model"),
    ({"model": {"type": "WordLevel", "vocab": {"e": 0}, "unk_token": "e"}}, "WordLevel"),
    ({"model": {"type": "BPE", "vocab": {"e": 0}, "merges": [], "dropout": 0.5}}, "dropout"),
    ({"model": {"type": "BPE", "vocab": {"e": 0}, "merges": [], "continuing_subword_prefix": "नन"}}, "continuing"),
    ({"model": {"type": "BPE", "vocab": {"e": 0}, "merges": [], "end_of_word_suffix": "é"}}, "end_of_word"),
    ({"model": {"type": "BPE", "vocab": {"e": 0}, "merges": [["e", "e"]]}}, "vocabulary"),
    ({"model": {"type": "BPE", "vocab": {"e": 0}, "merges": ["e"]}}, "merges"),
    ({"model": {"type": "BPE", "vocab": {"e": 0}, "merges": [], "unk_token": "none"}}, "unknown text"),
    ({"model": {"type": "BPE", "vocab": {"e": 10**9}, "merges": []}}, "id in its vocabulary"),
    ({"model": {"type": "BPE", "vocab": {"e": 0, "f": 0}, "merges": []}}, "twice"),
    ({"model": {"type": "BPE", "vocab": {"e": 0, "\uffffe": 1}, "merges": []}}, "twice"),
    ({"model": {"type": "BPE", "vocab": {}, "merges": []}}, "empty"),
    ({"model": {"type": "WordPiece", "vocab": {"e": 0}, "unk_token": "none"}}, "unknown text"),
    (
        {"model": {"type": "WordPiece", "vocab": {"e": 0}, "unk_token": "e", "max_input_chars_per_word": 10**9}},
        "max_input_chars",
    ),
    ({"model": {"type": "Unigram", "vocab": [["e", 0.0]], "unk_id": 7}}, "unknown text"),
    ({"model": {"type": "Unigram", "vocab": [["e", 0.0]]}}, "unknown text"),
    ({"model": {"type": "Unigram", "vocab": [["e", 1e300]], "unk_id": 0}}, "log-probability"),
    ({"model": {"type": "Unigram", "vocab": [["e", 0.0], ["e", 0.0]], "unk_id": 0}}, "twice"),
    ({"model": {"type": "Unigram", "vocab": {"e": 0}, "unk_id": 0}}, "scores"),
]


def lies(count, seed=1):
    """Texts of tokenizer.json files, each with one thing changed by chance or a few bytes lost."""
    draw = random.Random(seed)
    kinds = list(documents().values())
    llama = copy.deepcopy(kinds[1])
    llama["normalizer"] = {"type": "Sequence", "normalizers": [_precompiled(charsmap()), _replace("▁")]}
    llama["decoder"] = {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteFallback"}]}
    for _ in range(count):
        document = draw.choice([*kinds, llama])
        if draw.random() < 0.2:
            yield damaged(json.dumps(document).encode(), draw).decode(errors="replace")
        else:
            yield mutated(document, draw, () if draw.random() < 0.3 else ("vocab", "merges"))


def open_them_all(path):
    """Each line of a file is one text as JSON; what came of it is printed. What takes too long kills the process."""
    from dhyan.core.errors import DhyanError
    from dhyan.text.tokenizer import Tokenizer

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    import resource

    most = pages * resource.getpagesize() + MEGABYTES * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # also inside a library
    text = "Three trees, तीन पेड़ A \u00a0 <s> [SEP]\n" * 20
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines()):
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            tokenizer = Tokenizer.from_json(json.loads(line), where=f"file {number}")
            ids = tokenizer.encode(text)
            tokenizer.decode(ids)
            tokenizer.spans(text)
            pieces = {tokenizer.shown_piece(one) for one in ids}
            outcome = "ok" if len(ids) < 100_000 and pieces else "RAISED: it grew"
        except DhyanError as error:
            outcome = str(error)
        except BaseException as error:
            outcome = f"RAISED {type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps([number, outcome]), flush=True)


if __name__ == "__main__":
    open_them_all(sys.argv[1])
