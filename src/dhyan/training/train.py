"""A training from beginning to end: plan, prepare, train, write the pack."""

import errno
import os
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dhyan.core.atomic import recover_folder
from dhyan.core.errors import DhyanError
from dhyan.core.file_lock import file_lock
from dhyan.core.progress import Progress
from dhyan.pack.inherited import Inherited
from dhyan.pack.pack import MANIFEST as PACK
from dhyan.pack.pack import Pack, find_pack, read_pack
from dhyan.pack.parameter_shapes import parameter_shapes
from dhyan.pack.training_folder import RECIPE, SUFFIX
from dhyan.training.assessment.assess import Assessor, with_head
from dhyan.training.auto_config import complete, draft, settings_of_packs, with_pairs
from dhyan.training.checkpoint import read_state
from dhyan.training.dataset import corpus_stats, read_through, refuse_unknown_labels
from dhyan.training.distributed.group import Group, join_group
from dhyan.training.label_decision import check_valid_labels
from dhyan.training.new_vocabulary import prepared_embeddings
from dhyan.training.number_units import standardised
from dhyan.training.precision import uses_bfloat16
from dhyan.training.prepare import Plan, Prepared, corpora, make_architecture, open_prepared, prepare
from dhyan.training.recipe import CHANGEABLE, Recipe, merge, read_recipe, refuse_changes
from dhyan.training.recipe_summary import labels_alike, recipe_summary
from dhyan.training.replay import to_replay
from dhyan.training.signals import resumable
from dhyan.training.starting_point import starting_point
from dhyan.training.teacher import check_teacher, check_teacher_length
from dhyan.training.trainer import Trainer
from dhyan.training.transfer_vocabulary import transfer_vocabulary
from dhyan.training.untrainable import refuse_untrainable
from dhyan.training.vocabularies import tokenizers_of_pack, train_tokenizers, with_new_vocabulary
from dhyan.training.write_trained_pack import write_trained_pack

SILENT = Progress()


@dataclass(frozen=True)
class Draft:
    """What is known before the data is read: checked settings, and the packs that they name, each read once."""

    values: dict[str, Any]  # what the user has set
    where: str  # they come from: a file, or the command line
    recipe: Recipe  # with a stand-in for whatever depends on the data
    start_from: Pack | None
    vocabulary: Pack | None  # whose tokenizers are used
    teacher: Pack | None
    said: str = ""  # where the weights come from, where nobody has said

    @classmethod
    def of(cls, values: dict[str, Any], where: str) -> "Draft":
        """Raises where settings are wrong, so that nobody waits minutes for the data to be read."""
        if not values.get("data", {}).get("train"):
            raise DhyanError(f"{where}: no training data; name it with --train FILE (data.train in a recipe).")
        values = with_pairs(values)
        recipe = draft(values, where)
        start = starting_point(values, recipe)
        if start is not None and start.pack is not None:
            values = merge(values, {"start_from": Path(start.pack), "new_vocabulary": start.new_vocabulary})
            recipe = draft(values, where)
        start_from, teacher = _read_pack(recipe.start_from), _read_pack(recipe.teacher)
        vocabulary = _read_pack(recipe.vocabulary_of) or start_from or teacher
        settings_of_packs(values, start_from, vocabulary)  # raises where they contradict each other
        if teacher is not None and vocabulary is not None:
            check_teacher(teacher, vocabulary.tokenizers)
        if vocabulary is not None:
            tokenizers_of_pack(recipe, vocabulary)  # raises where it lacks a side
        refuse_untrainable(recipe, start_from, vocabulary, teacher)
        said = "" if start is None else start.said
        return cls(values, where, recipe, start_from, vocabulary, teacher, said)


def train(values: dict[str, Any], progress: Progress = SILENT, where: str = "settings") -> Path:
    """Train with the given settings, the rest chosen from the data. Returns the pack's folder.

    In distributed training every process calls this; the main process prepares the data for all.
    """
    began = time.monotonic()
    with join_group() as group:
        group.on_main(lambda: _check_out(values, where))
        begun = Draft.of(values, where)
        uses_bfloat16(begun.recipe.training, group.find_device(begun.recipe.training.device))  # raises if it cannot
        recipe = group.on_main(lambda: _prepare(begun, progress).recipe)
        with resumable(recipe.folder):
            prepared = open_prepared(recipe.folder, recipe)
            _train(group, prepared, begun.start_from, begun.teacher, progress, began)
    return recipe.out


def prepare_only(values: dict[str, Any], progress: Progress = SILENT, where: str = "settings") -> Plan:
    """Everything before the first step. `resume` continues from here, on another machine if need be."""
    _check_out(values, where)
    return _prepare(Draft.of(values, where), progress)


def plan(values: dict[str, Any], progress: Progress = SILENT, where: str = "settings") -> Plan:
    """Read the data once and decide everything. Nothing is written."""
    return _plan(Draft.of(values, where), progress)


def _prepare(begun: Draft, progress: Progress) -> Plan:
    planned = _plan(begun, progress)
    if begun.said:
        progress.say(begun.said)
    recipe, stats, dropped = planned.recipe, planned.stats, planned.stats.dropped
    progress.table("Left out", ["why", "rows", "for example"], [(w, f"{n:,}", e) for w, n, e in dropped])
    progress.table("Recipe", ["setting", "value"], recipe_summary(recipe, stats))
    if alike := labels_alike(stats.labels):
        progress.say(alike)
    if recipe.training.warmup >= recipe.training.steps:
        progress.say(
            f"Note: the warm-up ({recipe.training.warmup:,} steps) is as long as the training"
            f" ({recipe.training.steps:,} steps) or longer, so the learning rate never reaches its peak;"
            " lower --warmup or raise --steps."
        )
    replay: list[tuple[str, str]] = []
    if recipe.data.replay and begun.start_from is not None:
        with progress.working("general text, in the pack's own translation", 0):
            replay = to_replay(begun.start_from, recipe.data.replay)
    prepare(planned, progress, replay)
    much = f"{sum(stats.characters):,} characters" if recipe.task == "write" else f"{stats.rows:,} rows"
    progress.say(f"Prepared {much} in {recipe.folder}")
    return planned


def _plan(begun: Draft, progress: Progress) -> Plan:
    values, pack, vocabulary = begun.values, begun.start_from, begun.vocabulary
    train_corpus, valid_corpus = corpora(begun.recipe)
    for corpus in filter(None, (train_corpus, valid_corpus)):
        for columns in corpus.columns_said():
            progress.say(columns)
    labels = read_through(valid_corpus) if valid_corpus is not None else {}
    with progress.working("reading", 0) as update:
        stats = corpus_stats(train_corpus, update)
    refuse_unknown_labels(check_valid_labels(labels, stats.decided), stats.labels)
    if stats.decided.said:
        progress.say(stats.decided.said)
    if begun.recipe.reads_pairs:
        progress.say("Each row is a pair of texts (column text2), read as one with a separator between them.")
    recipe = complete(values, stats, pack, begun.where, vocabulary)
    if begun.teacher is not None:
        check_teacher_length(begun.teacher, recipe.model.max_positions)
    if vocabulary is not None:
        tokenizers = tokenizers_of_pack(recipe, vocabulary)
    else:
        tokenizers = train_tokenizers(recipe, stats, requested=values.get("text", {}).get("vocabulary"))
    if recipe.new_vocabulary:
        tokenizers = with_new_vocabulary(recipe.new_vocabulary, recipe, tokenizers, stats)
    if vocabulary is None or recipe.new_vocabulary:
        text = recipe.text.model_copy(update={"vocabulary": tokenizers.largest})
        recipe = recipe.model_copy(update={"text": text})
    stats.sample.clear()  # up to a million rows, needed no more
    known = (None if one is None else one.manifest.architecture for one in (pack, vocabulary))
    architecture = make_architecture(recipe, stats, tokenizers, *known)
    return Plan(recipe, stats, tokenizers, architecture, Inherited.of(pack) if pack is not None else None)


def resume(folder: Path, changes: dict[str, Any], progress: Progress = SILENT) -> Path:
    """Continue from the last checkpoint. changes: settings that may differ from before.

    The number of processes may differ, too: a checkpoint is not sharded, however many processes have written it.
    """
    began = time.monotonic()
    with join_group() as group:
        recipe, has_checkpoint = group.on_main(lambda: _resumed_recipe(folder, changes))
        group.find_device(recipe.training.device)
        pack = _pack_to_resume_from(recipe, has_checkpoint)
        prepared = open_prepared(recipe.folder, recipe)
        teacher = _read_pack(recipe.teacher)
        if teacher is not None:
            check_teacher(teacher, prepared.tokenizers.by_side)
        with resumable(recipe.folder):
            _train(group, prepared, pack, teacher, progress, began, resumed=True)
    return recipe.out


def _pack_to_resume_from(recipe: Recipe, has_checkpoint: bool) -> Pack | None:
    """With a checkpoint the pack is there only to be compared with, and may be gone."""
    try:
        return _read_pack(recipe.start_from)
    except DhyanError:
        if has_checkpoint:
            return None
        raise


def _resumed_recipe(folder: Path, changes: dict[str, Any]) -> tuple[Recipe, bool]:
    """The settings to continue with, and whether there is a checkpoint already."""
    folder = _training_folder(folder)
    path = folder / RECIPE
    refused = [
        key
        for section, values in changes.items()
        for key in (values if isinstance(values, dict) else [section])
        if key not in CHANGEABLE
    ]
    if refused:
        raise DhyanError(
            f"{', '.join(refused)} cannot change in a resumed training (only {', '.join(sorted(CHANGEABLE))} can);"
            " leave it out, or start a new training with another --out."
        )
    here = {"out": folder.with_name(folder.name.removesuffix(SUFFIX))}  # the folder may have been moved
    recipe = Recipe.checked(merge(read_recipe(path, quiet=True), here), str(path))
    last = folder / "checkpoints" / "last"
    state = read_state(last)
    if state is not None:
        then = Recipe.checked(read_recipe(last / RECIPE, quiet=True), str(last / RECIPE))
        refuse_changes(then, recipe, last)
    recipe = Recipe.checked(merge(recipe.model_dump(), changes), str(path))
    open_prepared(folder, recipe)  # raises when it cannot be read
    if recipe.out.exists():
        raise DhyanError(
            f"{recipe.out} exists already: this training is finished, or the name is taken; move it away."
        )
    return recipe, state is not None


def _training_folder(folder: Path) -> Path:
    """The folder of a training that can be resumed, recovered if a swap was killed half-way."""
    if folder.name in ("", ".."):
        folder = folder.resolve()
    recover_folder(folder)
    if not folder.exists():
        raise DhyanError(
            f"{folder}: there is no such folder; name the .training folder of the training to go on with."
        )
    if (folder / PACK).exists():
        raise DhyanError(f"{folder} is a finished pack; to train it further, use --start-from {folder}.")
    if not (folder / RECIPE).exists():
        raise DhyanError(
            f"{folder} is not a training's folder: it has no {RECIPE}; name the .training folder that"
            " `dhyan train` has made beside its --out."
        )
    if not folder.name.endswith(SUFFIX):
        raise DhyanError(f"{folder} must have a name that ends in {SUFFIX}; rename it, then resume it.")
    return folder


def _train(
    group: Group,
    prepared: Prepared,
    pack: Pack | None,
    teacher: Pack | None,
    progress: Progress,
    began: float,
    resumed: bool = False,
) -> None:
    """Run the steps that are left, then write the best checkpoint as a pack.

    pack: the one to fine-tune. began: when the command did.
    """
    recipe = prepared.recipe
    group.folder = recipe.folder
    progress = progress if group.is_main else SILENT
    busy = f"another process is training in {recipe.folder}; wait for it, or stop it first."
    with file_lock(recipe.folder / ".lock", busy) if group.is_main else nullcontext():
        if recipe.new_vocabulary and pack is not None:
            with progress.working("finding out what the new vocabulary stands for", 0):
                group.on_main(lambda: prepared_embeddings(pack, prepared))
        initial = _initial_weights(pack, prepared)
        assessor = Assessor(prepared, pack, initial, progress) if group.is_main else None
        head = group.on_main(lambda: assessor.begin() if assessor else {})
        trainer = Trainer(prepared, progress, with_head(initial, head), group, teacher)
        trainer.time.reserve(time.monotonic() - began + (assessor.seconds_afterwards if assessor else 0.0))
        if resumed:
            progress.say(f"Going on from step {trainer.state.step:,} of {trainer.last_step:,}")
        trainer.run()
        group.on_main(lambda: write_trained_pack(prepared, trainer, teacher, assessor))
    state, metric = trainer.state, trainer.settings.metric
    progress.say(
        f"The pack is in {recipe.out} (best {metric}{' on the training rows' * prepared.validates_on_train}"
        f" {state.metrics[metric]:.4g}, at step {state.best_step:,});"
        f" {recipe.folder} is no longer needed."
    )


def _check_out(values: dict[str, Any], where: str) -> None:
    """The pack and the training's folder must not exist yet, and it must be possible to create them."""
    if not values.get("out"):
        raise DhyanError(f"{where}: no folder for the pack; name one with --out (out in a recipe).")
    out = Path(values["out"])
    if out.exists():
        raise DhyanError(f"{out} exists already and is left as it is; choose another --out or move it away.")
    folder = out.with_name(out.name + SUFFIX)
    if folder.exists():
        raise DhyanError(
            f"{folder} holds a training that was begun before: go on with `dhyan train --resume {folder}`,"
            " or remove it to start again."
        )
    parent = next(parent for parent in folder.absolute().parents if parent.exists())
    if not parent.is_dir():
        raise DhyanError(f"{parent} is a file, so {out} cannot be made in it; choose another --out.")
    if not os.access(parent, os.W_OK):
        raise DhyanError(f"{parent} cannot be written to ({os.strerror(errno.EACCES)}); choose another --out.")


def _read_pack(name: Path | None) -> Pack | None:
    """By its folder or its name."""
    return None if name is None else read_pack(find_pack(name))


def _initial_weights(pack: Pack | None, prepared: Prepared) -> dict[str, torch.Tensor] | None:
    """The pack's weights that the new model has too; what else it has (a classifier, say) starts at random.

    For another vocabulary the embeddings are transferred. A classifier for other labels is not taken over, nor is a
    weight of another shape.
    """
    if pack is None:
        return None
    weights = dict(pack.weights)
    if "dec.E" not in weights and "enc.E" in weights:  # one vocabulary for both sides is stored once
        weights["dec.E"] = weights["enc.E"]
    if prepared.recipe.new_vocabulary:
        weights |= prepared_embeddings(pack, prepared)
    else:
        weights = transfer_vocabulary(weights, pack.tokenizers, prepared.tokenizers.by_side)
    same_kind = pack.manifest.label_kind == prepared.label_kind
    same_labels = same_kind and (prepared.number is not None or pack.manifest.labels == prepared.labels)
    if same_kind and prepared.number is not None:
        weights = standardised(weights, prepared.number)
    return {
        name: torch.from_numpy(weights[name].copy())
        for name, shape in parameter_shapes(prepared.architecture).items()
        if name in weights and weights[name].shape == shape and (same_labels or name not in ("cls.W", "cls.b"))
    }
