"""A table of word vectors learnt once from a text and kept in the user's cache, as converted packs are."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError
from dhyan.core.paths import cache_folder
from dhyan.core.progress import Progress
from dhyan.text.words import words_of

LEARNER = 1  # raised when the same text would give other vectors


@dataclass(frozen=True)
class WordVectors:
    """One vector a word, whatever its sentence."""

    words: list[str]
    vectors: NDArray[np.float32]  # (words, d), each of length 1

    @cached_property
    def number(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @property
    def width(self) -> int:
        return int(self.vectors.shape[1])

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts, d): the mean of each text's words, of length 1; zeros where no word is known."""
        found = np.zeros((len(texts), self.width), dtype=np.float32)
        for row, text in zip(found, texts, strict=True):
            known = [self.number[word] for word in words_of(text) if word in self.number]
            if known:
                row += self.vectors[known].mean(axis=0)
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))


def learnt_from(texts: Sequence[str], reporter: Progress) -> WordVectors:
    """The vectors that these texts teach: from the cache, or learnt now, which needs PyTorch."""
    content = hashlib.blake2b(f"{LEARNER}".encode(), digest_size=8)
    for text in texts:
        content.update(text.encode("utf-8", "surrogatepass") + b"\n")
    place = cache_folder() / f"word2vec-{content.hexdigest()}.safetensors"
    if place.is_file() and (known := _read(place)) is not None:
        return known
    table = _learn(texts, reporter)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, _bytes(table))
    except OSError:
        reporter.say(f"Note: {place.parent} cannot be written to, so the word vectors are not kept.")
    return table


def _learn(texts: Sequence[str], reporter: Progress) -> WordVectors:
    try:
        from dhyan.model.device import find_device
        from dhyan.vectors.word2vec_training import learn_word_vectors
    except ModuleNotFoundError as error:
        raise DhyanError(
            f'learning word vectors needs {error.name}, which is not installed: pip install "dhyan[train]".'
        ) from None
    words, vectors = learn_word_vectors(map(words_of, texts), reporter, find_device("auto"))
    return WordVectors(words, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _bytes(table: WordVectors) -> bytes:
    names = np.frombuffer("\n".join(table.words).encode(), dtype=np.uint8)
    return save({"words": names, "vectors": np.ascontiguousarray(table.vectors)})


def _read(place: Path) -> WordVectors | None:
    """None where the file is not whole: it is then made anew."""
    try:
        found = load(place.read_bytes())
        return WordVectors(found["words"].tobytes().decode().split("\n"), found["vectors"])
    except (SafetensorError, KeyError, UnicodeDecodeError):
        return None
