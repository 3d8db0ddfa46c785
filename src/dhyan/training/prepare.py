"""Corpus → ids on disk: vocabularies are learnt, rows encoded and stored, a part held out for validation."""

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
from dhyan.data.id_store import IdStoreWriter
from dhyan.model.architecture import Architecture
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.dataset import Corpus, Survey
from dhyan.training.prepared import ABOUT, DATA
from dhyan.training.recipe import Recipe

ROWS_AT_ONCE = 10_000
Encoder = Callable[[list[str]], list[list[int]]]
Vocabularies = dict[str, Tokenizer]  # file → vocabulary


@dataclass(frozen=True)
class Plan:
    """Everything that is decided before anything is written."""

    recipe: Recipe
    found: Survey
    pack: Pack | None  # the one to fine-tune
    sides: dict[str, str]  # side → file of its vocabulary
    learnt: Vocabularies

    @property
    def labels(self) -> list[str]:
        return sorted(self.found.labels)

    def architecture(self) -> Architecture:
        """Raises where the parts do not fit."""
        size = {side: self.learnt[file].size for side, file in self.sides.items()}
        values = self.recipe.model.model_dump() | {
            "shape": self.recipe.shape,
            "source_vocabulary": size.get("source", 0),
            "target_vocabulary": size.get("target", 0),
            "labels": len(self.labels),
            "masked_head": self.recipe.training.objective == "masked",
        }
        return Architecture.checked(values, "the model")


def vocabularies(
    recipe: Recipe, found: Survey, pack: Pack | None, asked: int | None
) -> tuple[dict[str, str], Vocabularies]:
    """Side → file, and file → vocabulary. `asked` is the size that the user wants, if they said one."""
    if pack is not None:
        return _from_pack(recipe, pack)
    if recipe.task != "translate":
        sides = {"source" if recipe.shape == "encoder" else "target": "text.tokenizer.json"}
        texts = {"text.tokenizer.json": [text for texts in found.sample for text in texts]}
    elif recipe.text.shared:
        sides = dict.fromkeys(("source", "target"), "shared.tokenizer.json")
        texts = {"shared.tokenizer.json": [text for texts in found.sample for text in texts]}
    else:
        sides = {"source": "source.tokenizer.json", "target": "target.tokenizer.json"}
        texts = {file: [texts[column] for texts in found.sample] for column, file in enumerate(sides.values())}
    most = asked or recipe.text.vocabulary or 1_000_000
    learnt = {file: Tokenizer.train(some, recipe.text, most, exact=False) for file, some in texts.items()}
    largest = max(tokenizer.size for tokenizer in learnt.values())
    if asked is not None and largest < asked:
        raise DhyanError(
            f"vocabulary = {asked:,} is larger than the data allows: at most {largest:,} entries can be learnt;"
            f" set --vocabulary {largest} or leave it out."
        )
    recipe.text.vocabulary = largest
    return sides, learnt


def prepare(plan: Plan, reporter: Progress) -> None:
    """Fill the training's folder: the recipe, the vocabularies, the ids. It appears whole or not at all."""
    with atomic_folder(plan.recipe.folder, replace=False) as part:
        data = part / DATA
        data.mkdir()
        for file, tokenizer in plan.learnt.items():
            tokenizer.save(data / file)
        store = _store_text if plan.recipe.training.objective == "next-token" else _store_rows
        held_out = store(plan, data, reporter)
        about = {
            "architecture": plan.architecture().model_dump(mode="json"),
            "tokenizers": plan.sides,
            "labels": plan.labels,
            "validates_on_train": not held_out,
        }
        write_atomic(data / ABOUT, json.dumps(about, ensure_ascii=False, indent=1))
        write_atomic(part / "recipe.toml", to_toml(plan.recipe))


def corpora(recipe: Recipe) -> tuple[Corpus, Corpus | None]:
    """The training corpus, and the validation corpus if one is named."""
    data, objective = recipe.data, recipe.training.objective
    train = Corpus(objective, data.train, data.train_target, data.columns, recipe.cleaning)
    valid = Corpus(objective, data.valid, data.valid_target, data.columns, recipe.cleaning)
    return train, valid if data.valid else None


# -- rows ----------------------------------------------------------------------------------------------------


def _store_rows(plan: Plan, data: Path, reporter: Progress) -> bool:
    """Encode the training rows, holding some out; then the validation rows. Returns whether any are apart."""
    recipe, found = plan.recipe, plan.found
    columns = _columns(plan)
    sizes = [_ids_in(column, plan) for column in columns]
    train, valid = corpora(recipe)
    counts: Counter[str] = Counter()
    draw = random.Random(recipe.training.seed)

    def apart(row: Row) -> bool:
        return recipe.data.held_out > 0 and draw.random() < recipe.data.held_out

    with (
        IdStoreWriter(data / "train", list(columns), recipe.data.train, sizes) as to_train,
        IdStoreWriter(data / "valid", list(columns), recipe.data.valid or recipe.data.train, sizes) as to_valid,
        reporter.working("encoding", found.rows) as progress,
    ):
        for batch in _in_batches(train.rows()):
            chosen = [apart(row) for row in batch]
            if found.rows == sum(chosen):  # never give everything away
                chosen[0] = False
            kept = [row for row, away in zip(batch, chosen, strict=True) if not away]
            given = [row for row, away in zip(batch, chosen, strict=True) if away]
            counts["train"] += _append(to_train, kept, columns, recipe, counts)
            counts["valid"] += _append(to_valid, given, columns, recipe, counts)
            progress(counts["train"] + counts["valid"])
        if valid is not None:
            for batch in _in_batches(valid.rows()):
                counts["valid"] += _append(to_valid, batch, columns, recipe, counts)
    _say_lengths(recipe, counts, reporter)
    if not counts["train"]:
        raise DhyanError(
            f"every training row is longer than max_positions = {recipe.model.max_positions} tokens; raise it."
        )
    if valid is not None and not counts["valid"]:
        raise DhyanError(
            f"every validation row is longer than max_positions = {recipe.model.max_positions} tokens; raise it."
        )
    return counts["valid"] > 0


def _columns(plan: Plan) -> dict[str, Encoder]:
    """The columns of the store, in the order of the rows' columns, each with what turns text into ids."""

    def encoder(side: str) -> Encoder:
        tokenizer = plan.learnt[plan.sides[side]]
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

        return {f"text{number}": encode_some for number in range(1, len(plan.found.characters) + 1)}
    return {"text": encoder("source")}


def _ids_in(column: str, plan: Plan) -> int:
    """How many different ids a column may hold."""
    if column == "label":
        return len(plan.labels)
    side = "target" if column == "target" else "source"
    return plan.learnt[plan.sides[side]].size


def _append(
    writer: IdStoreWriter, rows: list[Row], columns: dict[str, Encoder], recipe: Recipe, counts: Counter[str]
) -> int:
    """Encode rows and store those that fit the model's longest sequence; count what does not."""
    if not rows:
        return 0
    width = len(columns)
    texts = [[*row.columns[:width], *[""] * (width - len(row.columns))] for row in rows]
    encoded = [encode([text[number] for text in texts]) for number, encode in enumerate(columns.values())]
    most = recipe.model.max_positions
    fits = [all(len(column[row]) <= most for column in encoded) for row in range(len(rows))]
    if recipe.task == "translate":  # half a sentence has no translation
        counts["too long"] += fits.count(False)
        keep = [row for row, fit in enumerate(fits) if fit]
        encoded = [[column[row] for row in keep] for column in encoded]
        rows = [rows[row] for row in keep]
    else:  # the beginning of a text is still a text
        counts["cut"] += fits.count(False)
        encoded = [[ids if len(ids) <= most else [*ids[: most - 1], END] for ids in column] for column in encoded]
    writer.append(encoded, [(row.file, row.line) for row in rows])
    return len(rows)


def _say_lengths(recipe: Recipe, counts: Counter[str], reporter: Progress) -> None:
    most = recipe.model.max_positions
    if counts["too long"]:
        reporter.say(f"{counts['too long']:,} rows are longer than max_positions = {most} tokens: left out.")
    if counts["cut"]:
        reporter.say(f"{counts['cut']:,} rows are longer than max_positions = {most} tokens: cut to their beginning.")


def _in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, ROWS_AT_ONCE)):
        yield batch


# -- running text --------------------------------------------------------------------------------------------


def _store_text(plan: Plan, data: Path, reporter: Progress) -> bool:
    """The text as one long row of ids; what is held out is its end, which training never reads."""
    recipe, found = plan.recipe, plan.found
    tokenizer = plan.learnt[plan.sides["target"]]
    train, valid = corpora(recipe)
    boundary = round(found.characters[0] * (1 - recipe.data.held_out))
    seen = 0
    with (
        IdStoreWriter(data / "train", ["text"], recipe.data.train, [tokenizer.size]) as to_train,
        IdStoreWriter(data / "valid", ["text"], recipe.data.valid or recipe.data.train, [tokenizer.size]) as to_valid,
        reporter.working("encoding", found.characters[0]) as progress,
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
                progress(seen)
            (to_train if seen < boundary else to_valid if boundary < seen else to_train).append(
                [[[END]]], [(file, 1)]
            )
        if valid is not None:
            for file in valid.files:
                for text in valid.text(file):
                    store(to_valid, text, file)
    return valid is not None or boundary < seen


def _from_pack(recipe: Recipe, pack: Pack) -> tuple[dict[str, str], Vocabularies]:
    needed = {"encoder-decoder": ("source", "target"), "encoder": ("source",), "decoder": ("target",)}[recipe.shape]
    missing = [side for side in needed if side not in pack.manifest.tokenizers]
    if missing:
        raise DhyanError(
            f"{pack.folder} is {pack.manifest.architecture.shape}: it has no {missing[0]} side to start"
            f" task {recipe.task} from; name another pack or leave start_from out."
        )
    sides = {side: pack.manifest.tokenizers[side] for side in needed}
    return sides, {file: pack.tokenizers[side] for side, file in sides.items()}
