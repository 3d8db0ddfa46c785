"""The rows that an objective reads, and statistics of them: how many, how long, which labels."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.cleaning import Cleaner, CleaningSettings
from dhyan.data.corpus import Row, named_columns, read_lines, read_parallel, read_rows, read_text
from dhyan.data.labels import LABEL
from dhyan.data.text_pairs import FIRST, SECOND
from dhyan.training.label_decision import LabelCounts, LabelSettings, TrainingLabels
from dhyan.training.recipe import ObjectiveName

RowsRead = Callable[[int], None]

FIELDS: dict[ObjectiveName, tuple[str, ...]] = {  # of each objective's rows
    "translation": ("source", "target"),
    "classification": (LABEL, FIRST),
    "contrastive": ("text*",),
    "masked": ("text",),
}

SAMPLE_ROWS = 1_000_000  # enough to learn any vocabulary from, few enough to hold in memory
SAMPLE_CHARACTERS = 100_000_000


@dataclass(frozen=True)
class Corpus:
    """Rows of text for one objective, cleaned while they are read; reading again gives the same rows again."""

    objective: ObjectiveName
    files: Sequence[Path]
    target_files: Sequence[Path]
    columns: dict[str, str]
    cleaning: CleaningSettings
    languages: tuple[str, str] = ("", "")  # of a translation: its columns may be named by them
    labels: LabelSettings = field(default_factory=LabelSettings)

    def __post_init__(self) -> None:
        if self.target_files and self.objective != "translation":
            raise DhyanError("train_target and valid_target are for task translate: leave them out.")
        if self.target_files and len(self.target_files) != len(self.files):
            raise DhyanError(
                f"{len(self.files)} source and {len(self.target_files)} target files: parallel files go in pairs."
            )

    def rows(self, cleaner: Cleaner | None = None) -> Iterator[Row]:
        return (cleaner or self.cleaner())(self._raw_rows())

    def cleaner(self) -> Cleaner:
        text_columns = range(1, len(self.fields)) if self.objective == "classification" else None
        may_be_empty = self.labels.may_be_none
        return Cleaner(self.cleaning, self.objective == "translation", text_columns, may_be_empty)

    @property
    def fields(self) -> tuple[str, ...]:
        """Of labelled rows with a second text where there are pairs."""
        has_second = self.objective == "classification" and SECOND in self.columns
        return (*FIELDS[self.objective], *([SECOND] if has_second else []))

    def text(self, file: Path) -> Iterator[str]:
        """The text of one file in pieces, for language modelling, which has no rows."""
        return read_text([file])

    def columns_said(self) -> Iterator[str]:
        """Which columns are read from files that have names for them: "rows.csv: label from column 'tag', …"."""
        if self.objective in FIELDS and not self.target_files:
            for file in self.files:
                if said := named_columns(file, self.fields, self.columns, self.languages):
                    yield f"{file.name}: {said}."

    def _raw_rows(self) -> Iterator[Row]:
        if self.target_files:
            for pair in zip(self.files, self.target_files, strict=True):
                yield from read_parallel(pair)
        elif self.objective in ("masked", "next-token"):
            yield from read_lines(self.files, self.columns)
        else:
            yield from read_rows(self.files, self.fields, self.columns, self.languages)


@dataclass
class CorpusStats:
    """What one pass over the training data finds: enough to choose sizes and to train tokenizers."""

    rows: int = 0
    characters: list[int] = field(default_factory=list)  # of each text column
    words: list[int] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    decided: TrainingLabels = field(default_factory=TrainingLabels)  # what they are
    sample: list[tuple[str, ...]] = field(default_factory=list)  # texts only, a uniform sample
    dropped: list[tuple[str, int, str]] = field(default_factory=list)  # reason, rows, an example

    @property
    def tokens(self) -> int:
        """An estimate before there is a tokenizer: a token is about four characters."""
        return sum(self.characters) // 4

    def count(self, texts: Sequence[str]) -> None:
        self.rows += 1
        while len(self.characters) < len(texts):
            self.characters.append(0)
            self.words.append(0)
        for column, text in enumerate(texts):
            self.characters[column] += len(text)
            self.words[column] += text.count(" ") + 1


def corpus_stats(corpus: Corpus, update: RowsRead | None = None) -> CorpusStats:
    """Read the training data once; raise when nothing can be learnt from it."""
    stats = _stats_of_text(corpus) if corpus.objective == "next-token" else _stats_of_rows(corpus, update)
    if not stats.rows:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count, _ in stats.dropped) or "the files are empty"
        raise DhyanError(f"no training rows are left after cleaning ({reasons}); loosen the cleaning settings.")
    if corpus.objective == "classification" and stats.decided.kind == "one":
        _check_labels(corpus, stats)
    return stats


def read_through(corpus: Corpus) -> dict[str, Row]:
    """Read all validation data, so that every problem with it is found now. Returns each label cell's first row."""
    if corpus.objective == "next-token":
        for file in corpus.files:
            for _ in corpus.text(file):
                pass
        return {}
    first: dict[str, Row] = {}
    rows = 0
    for row in corpus.rows():
        rows += 1
        if corpus.objective == "classification":
            first.setdefault(row.columns[0], replace(row, columns=row.columns[:1]))
    if not rows:
        raise DhyanError("no validation rows are left after cleaning; check the validation files.")
    return first


def refuse_unknown_labels(first: dict[str, Row], known: Collection[str]) -> None:
    """A label that is only in the validation data could never be right."""
    for label, row in first.items():
        if label not in known:
            shown = ", ".join(sorted(known)[:10]) + (", …" if len(known) > 10 else "")
            raise DhyanError(
                f"{row.file}, line {row.line}: the label '{label}' is not in the training data ({shown});"
                " fix the row or add such rows to the training data."
            )


def _stats_of_rows(corpus: Corpus, update: RowsRead | None) -> CorpusStats:
    stats = CorpusStats()
    cleaner = corpus.cleaner()
    sample = Reservoir(SAMPLE_ROWS, SAMPLE_CHARACTERS)
    labels = LabelCounts(corpus.labels)
    for row in corpus.rows(cleaner):
        texts = row.columns
        if corpus.objective == "classification":
            labels.add(row)
            texts = texts[1:]
        stats.count(texts)
        sample.add(texts)
        if update is not None and stats.rows % 10_000 == 0:
            update(stats.rows)
    stats.dropped, stats.sample = cleaner.table(), sample.rows
    if labels.cells:
        stats.decided = labels.decided()
        stats.labels = stats.decided.names
    return stats


def _stats_of_text(corpus: Corpus) -> CorpusStats:
    stats = CorpusStats()
    sample = Reservoir(SAMPLE_ROWS, SAMPLE_CHARACTERS)
    for file in corpus.files:
        for text in corpus.text(file):
            stats.count([text])
            sample.add([text])
    stats.sample = sample.rows
    return stats


def _check_labels(corpus: Corpus, stats: CorpusStats) -> None:
    files = ", ".join(str(file) for file in corpus.files)
    if len(stats.labels) < 2:
        only = next(iter(stats.labels))
        raise DhyanError(f"{files}: every row has the label '{only}'; a classifier needs at least two.")
    if stats.rows >= 20 and len(stats.labels) > stats.rows / 2:
        raise DhyanError(
            f"{files}: {len(stats.labels):,} different labels in {stats.rows:,} rows; if the label is not the first"
            " column, say where it is, e.g. --columns label=2,text=1."
        )


class Reservoir:
    """Reservoir sampling: a uniform sample of rows that come one by one, however many, in bounded memory.

    Every row seen so far is in it with the same probability. Where rows are long it holds fewer of them.
    """

    def __init__(self, most_rows: int, most_characters: int, seed: int = 0) -> None:
        self.rows: list[tuple[str, ...]] = []
        self._capacity, self._most_characters = most_rows, most_characters
        self._characters = self._seen = 0
        self._random = random.Random(seed)

    def add(self, texts: Sequence[str]) -> None:
        self._seen += 1
        row = tuple(texts)
        if len(self.rows) < self._capacity:
            self.rows.append(row)
        elif (index := self._random.randrange(self._seen)) < self._capacity:
            self._characters -= sum(map(len, self.rows[index]))
            self.rows[index] = row
        else:
            return
        self._characters += sum(map(len, row))
        if self._characters > self._most_characters and len(self.rows) > 1:
            self._halve()

    def _halve(self) -> None:
        self._random.shuffle(self.rows)
        del self.rows[len(self.rows) // 2 :]
        self._capacity = len(self.rows)
        self._characters = sum(len(text) for row in self.rows for text in row)
