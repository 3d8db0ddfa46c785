"""Which sense a word has in a sentence, by the vectors of sentences where the sense is known."""

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.core.metrics import label_scores
from dhyan.core.progress import Progress
from dhyan.data.corpus import Row, read_rows
from dhyan.text.words import WordSpan
from dhyan.vectors.arrays import Embed, Vectors, cosines, unit_rows
from dhyan.vectors.word_embedder import WordEmbedder

SENSE_COLUMNS = ("word", "sense", "index", "text")
BATCH = 512


def sense_scores(
    embed: Embed | WordEmbedder,
    train: Path,
    test: Path,
    columns: Mapping[str, str],
    neighbours: int,
    progress: Progress,
) -> dict[str, Any]:
    """The sense whose training rows have the nearest mean, or for which most of so many nearest neighbours vote.

    F1 is the mean over a word's senses, then over the words. Vectors are the word's own in its sentence, or where
    there are none, the sentence's.
    """
    known, asked = (_sense_rows(file, columns) for file in (train, test))
    in_training = {row.columns[:2] for row in known}
    for row in asked:
        if row.columns[:2] not in in_training:
            word, sense = row.columns[:2]
            raise DhyanError(
                f"{row.file}, line {row.line}: the sense '{sense}' of '{word}' was not in {train}; mend the row, or"
                " add training rows."
            )
    known_vectors, vectors = (_row_vectors(embed, rows, progress) for rows in (known, asked))
    outputs = [""] * len(asked)
    by_word: dict[str, float] = {}
    for word in dict.fromkeys(row.columns[0] for row in asked):
        mine, rows = (
            np.array([n for n, row in enumerate(some) if row.columns[0] == word]) for some in (known, asked)
        )
        names = list(dict.fromkeys(known[number].columns[1] for number in mine))
        senses = np.array([names.index(known[number].columns[1]) for number in mine])
        found = nearest_sense(vectors[rows], known_vectors[mine], senses, neighbours).tolist()
        right = [names.index(asked[number].columns[1]) for number in rows]
        by_word[word] = label_scores(found, right, names)["f1"]
        for number, sense_id in zip(rows, found, strict=True):
            outputs[number] = names[sense_id]
    hits = sum(said == row.columns[1] for said, row in zip(outputs, asked, strict=True))
    return {
        "rows": len(asked),
        "f1": float(np.mean(list(by_word.values()))),
        "accuracy": hits / len(asked),
        "words": by_word,
        "outputs": outputs,
    }


def nearest_sense(asked: Vectors, known: Vectors, senses: NDArray[np.intp], neighbours: int) -> NDArray[np.intp]:
    """(asked,): the number of each one's sense. senses: (known,), that of each known vector; all have length 1."""
    members = np.eye(senses.max() + 1, dtype=np.float32)[senses]  # (known, senses): 1 where it belongs
    if not neighbours:
        centres = unit_rows(np.asarray(known.T @ members).T)  # (senses, width): a sum points where the mean does
        return np.asarray((asked @ centres.T).argmax(axis=1))
    cosine = cosines(asked, known)  # (asked, known)
    nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :neighbours]
    votes = np.take_along_axis(cosine, nearest, axis=1)  # the nearer, the more a vote counts
    return np.asarray(np.einsum("an,ans->as", votes, members[nearest]).argmax(axis=1))


def _sense_rows(file: Path, columns: Mapping[str, str]) -> list[Row]:
    rows = []
    for row in read_rows([file], SENSE_COLUMNS, columns):
        word, sense, index, text = row.columns
        if not index.isdigit() or int(index) >= len(text.split(" ")):
            raise DhyanError(
                f"{row.file}, line {row.line}: '{index}' is not the index of a word in the sentence, the first being"
                " 0; the columns are word, sense, index, sentence."
            )
        rows.append(Row((word, sense, index, unicodedata.normalize("NFC", text)), row.file, row.line))
    return rows


def _row_vectors(embed: Embed | WordEmbedder, rows: Sequence[Row], progress: Progress) -> Vectors:
    if not isinstance(embed, WordEmbedder):
        return embed([row.columns[3] for row in rows])
    parts, left = [], iter(rows)
    with progress.working("embedding words", len(rows)) as update:
        while batch := list(islice(left, BATCH)):
            parts.append(embed([row.columns[3] for row in batch], [_span(row) for row in batch]))
            update(sum(map(len, parts)))
    return np.concatenate(parts)


def _span(row: Row) -> WordSpan:
    """Where the word begins and ends in its sentence."""
    tokens = row.columns[3].split(" ")
    index = int(row.columns[2])
    begin = sum(len(token) + 1 for token in tokens[:index])
    return begin, begin + len(tokens[index])
