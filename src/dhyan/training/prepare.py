"""Prepare a training: train tokenizers, encode the corpus into ids on disk, hold a part out for validation."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from dhyan.core.atomic import atomic_folder, write_atomic
from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.core.settings import to_toml
from dhyan.core.special_tokens import END
from dhyan.data.corpus import Row
from dhyan.data.id_store import IdStore, IdStoreWriter
from dhyan.model.architecture import Architecture
from dhyan.pack.inherited import Inherited, origins_of
from dhyan.pack.pack import Pack
from dhyan.pack.training_folder import ABOUT, DATA, RECIPE
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.dataset import Corpus, CorpusStats
from dhyan.training.recipe import Recipe

ROWS_AT_ONCE = 10_000
EncodeColumn = Callable[[list[str]], list[list[int]]]


@dataclass(frozen=True)
class Tokenizers:
    """The tokenizers of a training; the sides may share one."""

    file_by_side: dict[str, str]  # source, target → file
    by_file: dict[str, Tokenizer]

    def __getitem__(self, side: str) -> Tokenizer:
        return self.by_file[self.file_by_side[side]]

    @property
    def by_side(self) -> dict[str, Tokenizer]:
        return {side: self[side] for side in self.file_by_side}

    @property
    def largest(self) -> int:
        return max(tokenizer.size for tokenizer in self.by_file.values())


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


def make_architecture(recipe: Recipe, stats: CorpusStats, tokenizers: Tokenizers) -> Architecture:
    """Raises where the settings contradict each other."""
    size = {side: tokenizer.size for side, tokenizer in tokenizers.by_side.items()}
    values = recipe.model.model_dump() | {
        "shape": recipe.shape,
        "source_vocabulary": size.get("source", 0),
        "target_vocabulary": size.get("target", 0),
        "labels": len(stats.labels),
        "masked_head": recipe.training.objective == "masked",
    }
    return Architecture.checked(values, "the model")


def train_tokenizers(recipe: Recipe, stats: CorpusStats, requested: int | None) -> Tokenizers:
    """requested: the vocabulary size that the user has set, if they have."""
    if recipe.task != "translate":
        sides = {"source" if recipe.shape == "encoder" else "target": "text.tokenizer.json"}
        texts = {"text.tokenizer.json": [text for texts in stats.sample for text in texts]}
    elif recipe.text.shared:
        sides = dict.fromkeys(("source", "target"), "shared.tokenizer.json")
        texts = {"shared.tokenizer.json": [text for texts in stats.sample for text in texts]}
    else:
        sides = {"source": "source.tokenizer.json", "target": "target.tokenizer.json"}
        texts = {file: [texts[column] for texts in stats.sample] for column, file in enumerate(sides.values())}
    most = requested or recipe.text.vocabulary or 1_000_000
    trained = {file: Tokenizer.train(some, recipe.text, most, exact=False) for file, some in texts.items()}
    tokenizers = Tokenizers(sides, trained)
    if requested is not None and tokenizers.largest < requested:
        raise DhyanError(
            f"vocabulary = {requested:,} is larger than the data allows: at most {tokenizers.largest:,} entries"
            f" can be learnt; set --vocabulary {tokenizers.largest} or leave it out."
        )
    return tokenizers


def tokenizers_of_pack(recipe: Recipe, pack: Pack) -> Tokenizers:
    needed = {"encoder-decoder": ("source", "target"), "encoder": ("source",), "decoder": ("target",)}[recipe.shape]
    missing = [side for side in needed if side not in pack.manifest.tokenizers]
    if missing:
        raise DhyanError(
            f"{pack.folder} is {pack.manifest.architecture.shape}: it has no {missing[0]} side to start"
            f" task {recipe.task} from; name another pack or leave start_from out."
        )
    sides = {side: pack.manifest.tokenizers[side] for side in needed}
    return Tokenizers(sides, {file: pack.tokenizers[side] for side, file in sides.items()})


def prepare(plan: Plan, progress: Progress) -> None:
    """Write the training's folder: recipe, tokenizers, ids. It appears complete or not at all."""
    with atomic_folder(plan.recipe.folder, replace=False) as part:
        data = part / DATA
        data.mkdir()
        for file, tokenizer in plan.tokenizers.by_file.items():
            tokenizer.save(data / file)
        store = _store_text if plan.recipe.training.objective == "next-token" else _store_rows
        held_out = store(plan, data, progress)
        about = {
            "architecture": plan.architecture.model_dump(mode="json"),
            "tokenizers": plan.tokenizers.file_by_side,
            "labels": plan.labels,
            "validates_on_train": not held_out,
            "inherited": plan.inherited.model_dump(mode="json") if plan.inherited else None,
            "written by": origins_of(plan.recipe.data.train),
        }
        write_atomic(data / ABOUT, json.dumps(about, ensure_ascii=False, indent=1))
        write_atomic(part / RECIPE, to_toml(plan.recipe))


def corpora(recipe: Recipe) -> tuple[Corpus, Corpus | None]:
    """The training corpus, and the validation corpus if one is named."""
    data, objective = recipe.data, recipe.training.objective
    train = Corpus(objective, data.train, data.train_target, data.columns, recipe.cleaning)
    valid = Corpus(objective, data.valid, data.valid_target, data.columns, recipe.cleaning)
    return train, valid if data.valid else None


# -- rows ----------------------------------------------------------------------------------------------------


def _store_rows(plan: Plan, data: Path, progress: Progress) -> bool:
    """Encode the training rows, holding some out; then the validation rows. Returns whether any are held out."""
    recipe, stats = plan.recipe, plan.stats
    columns = _columns(plan)
    sizes = [_ids_in(column, plan) for column in columns]
    train, valid = corpora(recipe)
    counts: Counter[str] = Counter()
    generator = random.Random(recipe.training.seed)

    def is_held_out(row: Row) -> bool:
        return recipe.data.held_out > 0 and generator.random() < recipe.data.held_out

    with (
        IdStoreWriter(data / "train", list(columns), recipe.data.train, sizes) as to_train,
        IdStoreWriter(data / "valid", list(columns), recipe.data.valid or recipe.data.train, sizes) as to_valid,
        progress.working("encoding", stats.rows) as update,
    ):
        for batch in _in_batches(train.rows()):
            chosen = [is_held_out(row) for row in batch]
            if stats.rows == sum(chosen):  # never hold everything out
                chosen[0] = False
            kept = [row for row, out in zip(batch, chosen, strict=True) if not out]
            held_out = [row for row, out in zip(batch, chosen, strict=True) if out]
            counts["train"] += _append(to_train, kept, columns, recipe, counts)
            counts["valid"] += _append(to_valid, held_out, columns, recipe, counts)
            update(counts["train"] + counts["valid"])
        if valid is not None:
            for batch in _in_batches(valid.rows()):
                counts["valid"] += _append(to_valid, batch, columns, recipe, counts)
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


def _columns(plan: Plan) -> dict[str, EncodeColumn]:
    """The columns of the id store, in the order of the rows' columns, each with the function that encodes it."""

    def encoder(side: str) -> EncodeColumn:
        tokenizer = plan.tokenizers[side]
        return lambda texts: [[*ids, END] for ids in tokenizer.encode_batch(texts)]

    objective = plan.recipe.training.objective
    if objective == "translation":
        return {"source": encoder("source"), "target": encoder("target")}
    if objective == "classification":
        number = {label: index for index, label in enumerate(plan.labels)}
        return {"label": lambda texts: [[number[text]] for text in texts], "text": encoder("source")}
    if objective == "contrastive":
        encode = encoder("source")

        def encode_some(texts: list[str]) -> list[list[int]]:  # a row with fewer paraphrases has empty ones
            return [ids if text else [] for text, ids in zip(texts, encode(texts), strict=True)]

        return {f"text{number}": encode_some for number in range(1, len(plan.stats.characters) + 1)}
    return {"text": encoder("source")}


def _ids_in(column: str, plan: Plan) -> int:
    """How many different ids a column may hold."""
    if column == "label":
        return len(plan.labels)
    side = "target" if column == "target" else "source"
    return plan.tokenizers[side].size


def _append(
    writer: IdStoreWriter, rows: list[Row], columns: dict[str, EncodeColumn], recipe: Recipe, counts: Counter[str]
) -> int:
    """Encode rows and store those that fit into max_positions; count those that do not."""
    if not rows:
        return 0
    width = len(columns)
    texts = [[*row.columns[:width], *[""] * (width - len(row.columns))] for row in rows]
    encoded = [encode([text[number] for text in texts]) for number, encode in enumerate(columns.values())]
    most = recipe.model.max_positions
    fits = [all(len(column[row]) <= most for column in encoded) for row in range(len(rows))]
    if recipe.task == "translate":  # a part of a sentence has no translation
        counts["too long"] += fits.count(False)
        keep = [row for row, fit in enumerate(fits) if fit]
        encoded = [[column[row] for row in keep] for column in encoded]
        rows = [rows[row] for row in keep]
    else:  # the beginning of a text is still a text
        counts["cut"] += fits.count(False)
        encoded = [[ids if len(ids) <= most else [*ids[: most - 1], END] for ids in column] for column in encoded]
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
                [[[END]]], [(file, 1)]
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
    inherited = about.get("inherited")
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
    )
