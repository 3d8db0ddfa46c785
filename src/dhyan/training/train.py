"""A training from beginning to end: survey, recipe, preparation, loop, pack."""

import errno
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from dhyan._version import __version__
from dhyan.core.atomic import recover_folder
from dhyan.core.errors import DhyanError
from dhyan.core.file_lock import file_lock
from dhyan.core.progress import Progress
from dhyan.core.settings import to_toml
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.parameter_shapes import parameter_shapes
from dhyan.pack.locate import find_pack
from dhyan.pack.manifest import Manifest
from dhyan.pack.pack import MANIFEST as PACK
from dhyan.pack.pack import Pack, read_pack, write_pack
from dhyan.training.auto_config import complete, draft, settings_of_packs
from dhyan.training.checkpoint import RECIPE, read_state
from dhyan.training.dataset import read_through, refuse_unknown_labels, survey
from dhyan.training.devices import mixed_precision
from dhyan.training.distributed.group import Ranks, joined
from dhyan.training.prepare import Plan, corpora, prepare, vocabularies
from dhyan.training.prepared import Prepared, open_prepared
from dhyan.training.recipe import CHANGEABLE, SUFFIX, Recipe, merge, read_recipe, refuse_changes
from dhyan.training.teacher import refuse_longer_texts, refuse_other_words
from dhyan.training.trainer import Trainer
from dhyan.training.training_log import LOG, curve, read_log
from dhyan.training.transfer_vocabulary import respelt

SILENT = Progress()


def train(values: dict[str, Any], reporter: Progress = SILENT, where: str = "settings") -> Path:
    """Train from the given settings, the rest chosen from the data. Returns the pack's folder.

    Where several processes were started, each calls this; the first one prepares the data for all.
    """
    with joined() as ranks:
        ranks.first_alone(lambda: _free_place(values, where))
        settings = draft(values, where).training
        mixed_precision(settings.precision, ranks.find_device(settings.device))  # say now what cannot work
        recipe = ranks.first_alone(lambda: prepare_only(values, reporter, where).recipe)
        pack = _named_pack(recipe.start_from)
        _train(ranks, open_prepared(recipe.folder, recipe), pack, reporter)
    return recipe.out


def prepare_only(values: dict[str, Any], reporter: Progress = SILENT, where: str = "settings") -> Plan:
    """All that comes before the first step. `resume` goes on from here, on another machine if need be."""
    _free_place(values, where)
    planned = plan(values, reporter, where)
    recipe, dropped = planned.recipe, planned.found.dropped
    reporter.table("Left out", ["why", "rows", "for example"], [(w, f"{n:,}", e) for w, n, e in dropped])
    reporter.table("Recipe", ["setting", "value"], _spelt_out(recipe))
    prepare(planned, reporter)
    reporter.say(f"Prepared {planned.found.rows:,} rows in {recipe.folder}")
    return planned


def plan(values: dict[str, Any], reporter: Progress = SILENT, where: str = "settings") -> Plan:
    """Read the data once and decide everything. Nothing is written."""
    if not values.get("data", {}).get("train"):
        raise DhyanError(f"{where}: no training data; name it with --train FILE (data.train in a recipe).")
    # Wrong settings are told before the data is read, which may take minutes.
    begun = draft(values, where)
    pack, teacher = _named_pack(begun.start_from), _named_pack(begun.teacher)
    speaks_like = _named_pack(begun.vocabulary_of) or pack or teacher
    settings_of_packs(values, pack, speaks_like)  # raises where they contradict each other
    if teacher is not None and speaks_like is not None:
        refuse_other_words(teacher, speaks_like.tokenizers)
    train_corpus, valid_corpus = corpora(begun)
    labels = read_through(valid_corpus) if valid_corpus is not None else {}
    with reporter.working("reading", 0) as progress:
        found = survey(train_corpus, progress)
    refuse_unknown_labels(labels, found.labels)
    recipe = complete(values, found, pack, where, speaks_like)
    if teacher is not None:
        refuse_longer_texts(teacher, recipe.model.max_positions)
    sides, learnt = vocabularies(recipe, found, speaks_like, asked=values.get("text", {}).get("vocabulary"))
    found.sample.clear()  # up to a million rows, needed no more
    planned = Plan(recipe, found, pack, sides, learnt)
    planned.architecture()  # raises where the parts do not fit
    return planned


def resume(folder: Path, changes: dict[str, Any], reporter: Progress = SILENT) -> Path:
    """Go on where the last checkpoint stands. `changes`: settings that may differ from before.

    The number of processes may differ, too: a checkpoint is whole, however many have made it.
    """
    with joined() as ranks:
        recipe, has_begun = ranks.first_alone(lambda: _resumed_recipe(folder, changes))
        ranks.find_device(recipe.training.device)
        starts_from = recipe.start_from if not has_begun else None
        pack = _named_pack(starts_from)
        _train(ranks, open_prepared(recipe.folder, recipe), pack, reporter, resumed=True)
    return recipe.out


def _resumed_recipe(folder: Path, changes: dict[str, Any]) -> tuple[Recipe, bool]:
    """The settings that the training goes on with, and whether there is a checkpoint already."""
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
            " leave it out, or start anew with another --out."
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
    """The folder of a training that can be gone on with, put right if a swap was cut short."""
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


def _train(ranks: Ranks, prepared: Prepared, pack: Pack | None, reporter: Progress, resumed: bool = False) -> None:
    """Run what is left of a training, then turn its best checkpoint into a pack."""
    recipe = prepared.recipe
    ranks.folder = recipe.folder
    spoken = reporter if ranks.first else SILENT
    busy = f"another process is training in {recipe.folder}; wait for it, or stop it first."
    with file_lock(recipe.folder / ".lock", busy) if ranks.first else nullcontext():
        teacher = _named_pack(recipe.teacher)
        if teacher is not None:
            refuse_other_words(teacher, prepared.words)
        trainer = Trainer(prepared, spoken, _weights_to_start_from(pack, prepared), ranks, teacher)
        if resumed:
            spoken.say(f"Going on from step {trainer.state.step:,} of {recipe.training.steps:,}")
        trainer.run()
        ranks.first_alone(lambda: _write_pack(prepared, trainer, recipe))
    state, metric = trainer.state, trainer.settings.metric
    spoken.say(
        f"The pack is in {recipe.out} (best {metric} {state.metrics[metric]:.4g}, at step {state.best_step:,});"
        f" {recipe.folder} is no longer needed."
    )


def _write_pack(prepared: Prepared, trainer: Trainer, recipe: Recipe) -> None:
    settings, state = recipe.training, trainer.state
    decoding = GenerationSettings(
        beam=settings.beam,
        length_penalty=settings.length_penalty,
        length_offset=settings.length_offset,
        sample=recipe.task == "write",
    )
    manifest = Manifest(
        dhyan=__version__,
        name=recipe.out.name,
        task=recipe.task,
        architecture=prepared.architecture,
        text=recipe.text,
        tokenizers=prepared.tokenizer_files,
        labels=prepared.labels,
        storage=settings.storage,
        decoding=decoding,
        metrics={"training rows" if prepared.validates_on_train else "validation": state.metrics},
        training={
            "objective": settings.objective,
            "data": [str(file) for file in recipe.data.train + recipe.data.train_target],
            "rows": len(prepared.train),
            "steps": state.step,
            "best step": state.best_step,
            "tokens seen": state.tokens,
            "seconds": round(state.seconds, 1),
            "device": str(trainer.device),
            "seed": settings.seed,
            "started from": str(recipe.start_from) if recipe.start_from else "random weights",
        },
        licence=recipe.licence,
    )
    if recipe.out.exists():
        raise DhyanError(
            f"{recipe.out} has appeared in the meantime and is left as it is; move it away, then write the pack with:"
            f" dhyan train --resume {recipe.folder}"
        )
    extra = {"recipe.toml": to_toml(recipe), "curve.svg": curve(read_log(recipe.folder / LOG), settings.metric)}
    write_pack(recipe.out, manifest, trainer.best_weights(), prepared.words, extra)


def _free_place(values: dict[str, Any], where: str) -> None:
    if not values.get("out"):
        raise DhyanError(f"{where}: no place for the pack; name a folder with --out (out in a recipe).")
    out = Path(values["out"])
    if out.exists():
        raise DhyanError(f"{out} exists already and is left as it is; choose another --out or move it away.")
    folder = out.with_name(out.name + SUFFIX)
    if folder.exists():
        raise DhyanError(
            f"{folder} holds a training that was begun before: go on with `dhyan train --resume {folder}`,"
            " or remove it to start anew."
        )
    parent = next(parent for parent in folder.absolute().parents if parent.exists())
    if not parent.is_dir():
        raise DhyanError(f"{parent} is a file, so {out} cannot be made in it; choose another --out.")
    if not os.access(parent, os.W_OK):
        raise DhyanError(f"{parent} cannot be written to ({os.strerror(errno.EACCES)}); choose another --out.")


def _named_pack(name: Path | None) -> Pack | None:
    """By its folder, or by name like any pack."""
    return None if name is None else read_pack(find_pack(name))


def _weights_to_start_from(pack: Pack | None, prepared: Prepared) -> dict[str, torch.Tensor] | None:
    """The pack's weights that the new model has too; what it has besides (a classifier, say) is learnt from nothing.

    Another vocabulary's pieces take over what stood for them. A classifier for other labels is not taken over, nor is
    a weight of another shape.
    """
    if pack is None:
        return None
    weights = dict(pack.weights)
    if "dec.E" not in weights and "enc.E" in weights:  # one vocabulary for both sides is stored once
        weights["dec.E"] = weights["enc.E"]
    weights = respelt(weights, pack.tokenizers, prepared.words)
    same_labels = pack.manifest.labels == prepared.labels
    return {
        name: torch.from_numpy(weights[name].copy())
        for name, shape in parameter_shapes(prepared.architecture).items()
        if name in weights and weights[name].shape == shape and (same_labels or not name.startswith("cls."))
    }


def _spelt_out(recipe: Recipe) -> list[tuple[str, str]]:
    """The settings that matter most, for a person to read before the training starts."""
    m, t = recipe.model, recipe.training
    layers = {
        "encoder-decoder": f"{m.encoder_layers} + {m.decoder_layers}",
        "encoder": str(m.encoder_layers),
        "decoder": str(m.decoder_layers),
    }[recipe.shape]
    return [
        ("task", f"{recipe.task} ({t.objective}, {recipe.shape})"),
        ("pieces", f"{recipe.text.pieces}, {recipe.text.vocabulary} entries" + ", shared" * recipe.text.shared),
        ("model", f"{layers} layers, d_model {m.d_model}, {m.heads} heads, d_ff {m.d_ff}"),
        ("its parts", f"{m.norm}-norm, {m.activation}, {m.positions} positions, up to {m.max_positions} tokens"),
        ("training", f"{t.steps:,} steps of {t.batch_tokens:,} tokens"),
        ("learning rate", f"{t.learning_rate:g}, {t.schedule}, warm-up of {t.warmup:,} steps"),
        ("against overfitting", f"dropout {t.dropout:g}, label smoothing {t.label_smoothing:g}, EMA {t.ema:g}"),
        ("validation", f"every {t.validate_every:,} steps; the best {t.metric} is kept"
                       + (f"; {recipe.data.held_out:.2%} of train held out" if recipe.data.held_out else "")),
        ("all of it", f"{recipe.folder / 'recipe.toml'}"),
    ]  # fmt: skip
