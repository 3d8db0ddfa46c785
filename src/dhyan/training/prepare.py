"""Prepare a training: train tokenizers, encode the corpus into ids on disk, hold a part out for validation."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from dhyan.core.atomic import atomic_folder, write_atomic
from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.core.progress import Progress
from dhyan.core.settings import to_toml
from dhyan.data.corpus import Row
from dhyan.data.id_store import IdStore, IdStoreWriter
from dhyan.model.architecture import Architecture
from dhyan.pack.inherited import Inherited, origins_of
from dhyan.pack.manifest import NumberScale
from dhyan.pack.training_folder import ABOUT, DATA, RECIPE
from dhyan.text.bpe_dropout import BpeDropout
from dhyan.text.likeness import on_one_line
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.assessment.labelled_texts import TextsWriter
from dhyan.training.dataset import Corpus, CorpusStats
from dhyan.training.label_decision import LabelSettings
from dhyan.training.recipe import Recipe
from dhyan.training.vocabularies import Tokenizers

ROWS_AT_ONCE = 10_000
CUT_AGAIN = 4  # times that a row stands among the training rows once more, cut by BPE dropout
REPLAY = Path("replayed general text")  # where rows come from that are of no file
KEPT = {"masked_transform", "pooling", "classifier_hidden"}  # of a fine-tuned pack: nobody sets these
EncodeColumn = Callable[[list[str]], list[list[int]]]
EncodePairs = Callable[[list[tuple[str, ...]]], list[list[int]]]


@dataclass(frozen=True)
class Plan:
    """Everything that is decided before anything is written: checked and complete."""

    recipe: Recipe
    stats: CorpusStats
    tokenizers: Tokenizers
    architecture: Architecture
    inherited: Inherited | None = None  # from the pack that is fine-tuned

    @property
    def labels(self) -> list[str]:
        return sorted(self.stats.labels)


@dataclass(frozen=True)
class Prepared:
    """A training's data on disk: ids, tokenizers, labels, and the architecture that goes with them."""

    recipe: Recipe
    architecture: Architecture
    tokenizers: Tokenizers
    labels: list[str]
    train: IdStore
    valid: IdStore
    validates_on_train: bool  # there was too little to hold anything out
    inherited: Inherited | None = None  # from the pack that is fine-tuned
    written_by: tuple[str, ...] = ()  # packs whose work is in the data: teachers
    label_kind: LabelKind = "one"
    number: NumberScale | None = None  # of the training rows, where the labels are numbers


def make_architecture(
    recipe: Recipe,
    stats: CorpusStats,
    tokenizers: Tokenizers,
    start_from: Architecture | None = None,
    vocabulary_of: Architecture | None = None,
) -> Architecture:
    """Raises where the settings contradict each other.

    start_from: that of the pack to fine-tune. vocabulary_of: that of the pack whose tokenizers are used: special
    tokens and templates go with them.
    """
    kept = start_from.model_dump(include=KEPT) if start_from is not None else {}
    if vocabulary_of is not None:
        kept["special"] = vocabulary_of.special
    size = {side: tokenizer.size for side, tokenizer in tokenizers.by_side.items()}
    values = (
        kept
        | recipe.model.model_dump()
        | {
            "shape": recipe.shape,
            "source_vocabulary": size.get("source", 0),
            "target_vocabulary": size.get("target", 0),
            "labels": len(stats.labels),
            "masked_head": recipe.training.objective == "masked",
        }
    )
    return Architecture.checked(values, "the model")


def prepare(plan: Plan, progress: Progress, replay: Sequence[tuple[str, str]] = ()) -> None:
    """Write the training's folder: recipe, tokenizers, ids. It appears complete or not at all.

    replay: pairs to learn from besides the corpus.
    """
    with atomic_folder(plan.recipe.folder, replace=False) as part:
        data = part / DATA
        data.mkdir()
        for file, tokenizer in plan.tokenizers.by_file.items():
            tokenizer.save(data / file)
        is_text = plan.recipe.training.objective == "next-token"
        held_out = _store_text(plan, data, progress) if is_text else _store_rows(plan, data, progress, replay)
        about = {
            "architecture": plan.architecture.model_dump(mode="json"),
            "tokenizers": plan.tokenizers.file_by_side,
            "labels": plan.labels,
            "label kind": plan.stats.decided.kind,
            "number": plan.stats.decided.number.model_dump() if plan.stats.decided.number else None,
            "validates_on_train": not held_out,
            "inherited": plan.inherited.model_dump(mode="json") if plan.inherited else None,
            "written by": origins_of(plan.recipe.data.train),
        }
        write_atomic(data / ABOUT, json.dumps(about, ensure_ascii=False, indent=1))
        write_atomic(part / RECIPE, to_toml(plan.recipe))


def corpora(recipe: Recipe) -> tuple[Corpus, Corpus | None]:
    """The training corpus, and the validation corpus if one is named."""
    data, objective = recipe.data, recipe.training.objective
    languages = (recipe.source_language, recipe.target_language)
    named = data.columns.get("label", "")
    labels = LabelSettings(recipe.training.labels, data.label_separator, "" if named.isdigit() else named)
    how = (data.columns, recipe.cleaning, languages, labels)
    train = Corpus(objective, data.train, data.train_target, *how)
    valid = Corpus(objective, data.valid, data.valid_target, *how)
    return train, valid if data.valid else None


# -- rows ----------------------------------------------------------------------------------------------------


def _store_rows(plan: Plan, data: Path, progress: Progress, replay: Sequence[tuple[str, str]]) -> bool:
    """Encode the training rows, holding some out; then the validation rows. Returns whether any are held out."""
    recipe, stats = plan.recipe, plan.stats
    counts: Counter[str] = Counter()
    columns = _columns(plan, counts)
    cut_by_chance = _columns(plan, counts, recipe.training.bpe_dropout) if recipe.training.bpe_dropout else {}
    keeps_texts = recipe.training.objective == "classification"
    train_texts, valid_texts = TextsWriter(data, "train"), TextsWriter(data, "valid")
    sizes = [_ids_in(column, plan) for column in columns]
    train, valid = corpora(recipe)
    generator = random.Random(recipe.training.seed)

    def is_held_out(row: Row) -> bool:
        return recipe.data.held_out > 0 and generator.random() < recipe.data.held_out

    with (
        IdStoreWriter(data / "train", list(columns), [*recipe.data.train, REPLAY], sizes) as to_train,
        IdStoreWriter(data / "valid", list(columns), recipe.data.valid or recipe.data.train, sizes) as to_valid,
        progress.working("encoding", stats.rows) as update,
    ):
        for batch in _in_batches(train.rows()):
            chosen = [is_held_out(row) for row in batch]
            if stats.rows == sum(chosen):  # never hold everything out
                chosen[0] = False
            kept = [row for row, out in zip(batch, chosen, strict=True) if not out]
            held_out = [row for row, out in zip(batch, chosen, strict=True) if out]
            counts["train"] += _append(to_train, kept, columns, plan, counts)
            for _ in range(CUT_AGAIN * bool(cut_by_chance)):
                _append(to_train, kept, cut_by_chance, plan, Counter())
            counts["valid"] += _append(to_valid, held_out, columns, plan, counts)
            if keeps_texts:
                train_texts.append([on_one_line(row.columns[1:]) for row in kept])
                valid_texts.append([on_one_line(row.columns[1:]) for row in held_out])
            update(counts["train"] + counts["valid"])
        again = [Row(pair, REPLAY, line) for line, pair in enumerate(replay, start=1)]
        _append(to_train, again, columns, plan, Counter())
        if valid is not None:
            for batch in _in_batches(valid.rows()):
                counts["valid"] += _append(to_valid, batch, columns, plan, counts)
                if keeps_texts:
                    valid_texts.append([on_one_line(row.columns[1:]) for row in batch])
    _report_lengths(recipe, counts, progress)
    if not counts["train"]:
        raise DhyanError(
            f"every training row is longer than max_positions = {recipe.model.max_positions} tokens; raise it."
        )
    if valid is not None and not counts["valid"]:
        raise DhyanError(
            f"every validation row is longer than max_positions = {recipe.model.max_positions} tokens; raise it."
        )
    return counts["valid"] > 0


def _columns(plan: Plan, counts: Counter[str], bpe_dropout: float = 0.0) -> dict[str, Any]:
    """The columns of the id store, in the order of the rows' columns, each with the function that encodes it.

    counts: of texts that are cut there.
    """

    special = plan.architecture.special

    def encoder(side: str) -> EncodeColumn:
        known = plan.tokenizers[side]
        tokenizer = BpeDropout(known, bpe_dropout, plan.recipe.training.seed) if bpe_dropout else known
        if side == "target":
            front, end = special.target_prefix, special.end
            return lambda texts: [[*front, *ids, end] for ids in tokenizer.encode_batch(texts)]
        return lambda texts: [special.around(ids) for ids in tokenizer.encode_batch(texts)]

    objective = plan.recipe.training.objective
    if objective == "translation":
        return {"source": encoder("source"), "target": encoder("target")}
    if objective == "classification":
        text = _pair_encoder(plan, counts) if plan.recipe.reads_pairs else encoder("source")
        return {"label": plan.stats.decided.encoder(), "text": text}
    if objective == "contrastive":
        encode = encoder("source")

        def encode_some(texts: list[str]) -> list[list[int]]:  # a row with fewer paraphrases has empty ones
            return [ids if text else [] for text, ids in zip(texts, encode(texts), strict=True)]

        return {f"text{number}": encode_some for number in range(1, len(plan.stats.characters) + 1)}
    return {"text": encoder("source")}


def _pair_encoder(plan: Plan, counts: Counter[str]) -> EncodePairs:
    special, tokenizer, most = plan.architecture.special, plan.tokenizers["source"], plan.recipe.model.max_positions

    def encode(pairs: list[tuple[str, ...]]) -> list[list[int]]:
        sides = [tokenizer.encode_batch([pair[side] for pair in pairs]) for side in (0, 1)]
        rows = [special.around(special.pair(first, second, most)) for first, second in zip(*sides, strict=True)]
        around = len(special.around(special.between))
        counts["cut"] += sum(
            len(row) < len(first) + len(second) + around for row, first, second in zip(rows, *sides, strict=True)
        )
        return rows

    return encode


def _ids_in(column: str, plan: Plan) -> int:
    """How many different ids a column may hold."""
    if column == "label":
        return plan.stats.decided.ids
    side = "target" if column == "target" else "source"
    return plan.tokenizers[side].size


def _append(writer: IdStoreWriter, rows: list[Row], columns: dict[str, Any], plan: Plan, counts: Counter[str]) -> int:
    """Encode rows and store those that fit into max_positions; count those that do not."""
    if not rows:
        return 0
    width = len(columns)
    texts: list[list[Any]] = [[*row.columns[:width], *[""] * (width - len(row.columns))] for row in rows]
    if plan.recipe.reads_pairs:
        texts = [[row.columns[0], row.columns[1:]] for row in rows]
    encoded = [encode([text[number] for text in texts]) for number, encode in enumerate(columns.values())]
    most = plan.recipe.model.max_positions
    fits = [all(len(column[row]) <= most for column in encoded) for row in range(len(rows))]
    if plan.recipe.task == "translate":  # a part of a sentence has no translation
        counts["too long"] += fits.count(False)
        keep = [row for row, fit in enumerate(fits) if fit]
        encoded = [[column[row] for row in keep] for column in encoded]
        rows = [rows[row] for row in keep]
    else:  # the beginning of a text is still a text
        counts["cut"] += fits.count(False)
        behind = plan.architecture.special.source_suffix
        room = most - len(behind)
        encoded = [[ids if len(ids) <= most else [*ids[:room], *behind] for ids in column] for column in encoded]
    writer.append(encoded, [(row.file, row.line) for row in rows])
    return len(rows)


def _report_lengths(recipe: Recipe, counts: Counter[str], progress: Progress) -> None:
    most = recipe.model.max_positions
    if counts["too long"]:
        progress.say(f"{counts['too long']:,} rows are longer than max_positions = {most} tokens: left out.")
    if counts["cut"]:
        progress.say(f"{counts['cut']:,} rows are longer than max_positions = {most} tokens: cut to their beginning.")


def _in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, ROWS_AT_ONCE)):
        yield batch


# -- running text --------------------------------------------------------------------------------------------


def _store_text(plan: Plan, data: Path, progress: Progress) -> bool:
    """The text as one long sequence of ids; its end is held out."""
    recipe, stats = plan.recipe, plan.stats
    tokenizer = plan.tokenizers["target"]
    train, valid = corpora(recipe)
    boundary = round(stats.characters[0] * (1 - recipe.data.held_out))
    seen = 0
    with (
        IdStoreWriter(data / "train", ["text"], recipe.data.train, [tokenizer.size]) as to_train,
        IdStoreWriter(data / "valid", ["text"], recipe.data.valid or recipe.data.train, [tokenizer.size]) as to_valid,
        progress.working("encoding", stats.characters[0]) as update,
    ):

        def store(writer: IdStoreWriter, text: str, file: Path) -> None:
            if text:
                writer.append([tokenizer.encode_batch([text])], [(file, 1)])

        for file in train.files:
            for text in train.text(file):
                cut = max(0, boundary - seen)
                store(to_train, text[:cut], file)
                store(to_valid, text[cut:], file)
                seen += len(text)
                update(seen)
            (to_train if seen < boundary else to_valid if boundary < seen else to_train).append(
                [[[plan.architecture.special.end]]], [(file, 1)]
            )
        if valid is not None:
            for file in valid.files:
                for text in valid.text(file):
                    store(to_valid, text, file)
    return valid is not None or boundary < seen


# -- reading it back -----------------------------------------------------------------------------------------


def open_prepared(folder: Path, recipe: Recipe) -> Prepared:
    """Read what `prepare` has written; the original files are not needed any more."""
    path = folder / DATA / ABOUT
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise DhyanError(f"{path} cannot be read, so {folder} cannot be resumed; remove it, train again.") from None
    on_train = bool(about["validates_on_train"])
    inherited, number = about.get("inherited"), about.get("number")
    train = IdStore(folder / DATA / "train")
    files = dict.fromkeys(about["tokenizers"].values())
    return Prepared(
        recipe=recipe,
        architecture=Architecture.checked(about["architecture"], str(path), quiet=True),
        tokenizers=Tokenizers(about["tokenizers"], {file: Tokenizer.load(folder / DATA / file) for file in files}),
        labels=about["labels"],
        train=train,
        valid=train if on_train else IdStore(folder / DATA / "valid"),
        validates_on_train=on_train,
        inherited=Inherited.checked(inherited, str(path), quiet=True) if inherited else None,
        written_by=tuple(about.get("written by", ())),
        label_kind=about.get("label kind", "one"),
        number=NumberScale.checked(number, str(path), quiet=True) if number else None,
    )
