"""Word2Vec vectors, fitted once on a text and kept in the user's cache, as converted packs are."""

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
from dhyan.core.extras import missing_extra
from dhyan.core.paths import cache_folder
from dhyan.core.progress import Progress
from dhyan.text.words import words_of
from dhyan.vectors.arrays import unit_rows

TRAINING_VERSION = 1  # raised when the same text would give other vectors


@dataclass(frozen=True)
class Word2Vec:
    """One vector per word, whatever its sentence."""

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
        return unit_rows(found)


def fitted_word2vec(texts: Sequence[str], progress: Progress) -> Word2Vec:
    """Fitted on these texts: from the cache, or trained now, which needs PyTorch."""
    content = hashlib.blake2b(f"{TRAINING_VERSION}".encode(), digest_size=8)
    for text in texts:
        content.update(text.encode("utf-8", "surrogatepass") + b"\n")
    file = cache_folder() / f"word2vec-{content.hexdigest()}.safetensors"
    if file.is_file() and (known := _read(file)) is not None:
        return known
    table = _train(texts, progress)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, _to_bytes(table))
    except OSError:
        progress.say(f"Note: {file.parent} cannot be written to, so the word vectors are not kept.")
    return table


def _train(texts: Sequence[str], progress: Progress) -> Word2Vec:
    try:
        from dhyan.core.device import find_device
        from dhyan.vectors.word2vec_training import train_word2vec
    except ModuleNotFoundError as error:
        raise missing_extra("training word vectors", error.name, "train") from None
    words, vectors = train_word2vec(map(words_of, texts), progress, find_device("auto"))
    return Word2Vec(words, unit_rows(vectors))


def _to_bytes(table: Word2Vec) -> bytes:
    names = np.frombuffer("\n".join(table.words).encode(), dtype=np.uint8)
    return save({"words": names, "vectors": np.ascontiguousarray(table.vectors)})


def _read(file: Path) -> Word2Vec | None:
    """None where the file is damaged: it is then made again."""
    try:
        found = load(file.read_bytes())
        return Word2Vec(found["words"].tobytes().decode().split("\n"), found["vectors"])
    except (SafetensorError, KeyError, UnicodeDecodeError):
        return None
