"""The settings that matter most, for a person to read before a training starts, and what the labels look like."""

from collections import Counter

from dhyan.data.header import folded_name
from dhyan.training.dataset import CorpusStats
from dhyan.training.recipe import Recipe

LABELS_SHOWN = 8


def recipe_summary(recipe: Recipe, stats: CorpusStats) -> list[tuple[str, str]]:
    m, t = recipe.model, recipe.training
    layers = {
        "encoder-decoder": f"{m.encoder_layers} + {m.decoder_layers}",
        "encoder": str(m.encoder_layers),
        "decoder": str(m.decoder_layers),
    }[recipe.shape]
    has_labels = recipe.task == "classify" and stats.decided.kind != "number"
    return [
        ("task", f"{recipe.task} ({t.objective}, {recipe.shape})"),
        *([("labels", _counted(stats.labels))] if has_labels else []),
        ("pieces", recipe.text.pieces + f", {recipe.text.vocabulary} entries" * bool(recipe.text.vocabulary)
                   + ", shared" * recipe.text.shared
                   + f", the {recipe.new_vocabulary}'s learnt anew" * bool(recipe.new_vocabulary)),
        ("model", f"{layers} layers, d_model {m.d_model}, {m.heads} heads, d_ff {m.d_ff}"),
        ("architecture", f"{m.norm}-norm, {m.activation}, {m.positions} positions, up to {m.max_positions} tokens"),
        ("training", f"{t.steps:,} steps of {t.batch_tokens:,} tokens" + f", at most {t.time}" * (t.time != "none")),
        ("learning rate", f"{t.learning_rate:g}, {t.schedule}, warm-up of {t.warmup:,} steps"),
        ("regularisation", f"dropout {t.dropout:g}, label smoothing {t.label_smoothing:g}, EMA {t.ema:g}"),
        ("validation", f"every {t.validate_every:,} steps, on {_judging(recipe)}; the best {t.metric} is kept"),
        ("all settings", f"{recipe.folder / 'recipe.toml'}"),
    ]  # fmt: skip


def labels_alike(labels: Counter[str]) -> str:
    """What to say of labels that are probably one, written in several ways; empty where there are none."""
    spellings: dict[str, list[str]] = {}
    for label in labels:
        spellings.setdefault(folded_name(label), []).append(label)
    alike = [" and ".join(f"'{label}'" for label in sorted(several)) for several in spellings.values() if several[1:]]
    if not alike:
        return ""
    shown = "; ".join(alike[:LABELS_SHOWN]) + "; …" * (len(alike) > LABELS_SHOWN)
    return f"Note: labels that differ only in capitals or blanks are learnt as different ones: {shown}."


def _counted(labels: Counter[str]) -> str:
    """2: good (167 rows), bad (133)"""
    first, *others = labels.most_common(LABELS_SHOWN)
    shown = [f"{first[0]} ({first[1]:,} rows)", *(f"{label} ({count:,})" for label, count in others)]
    return f"{len(labels):,}: {', '.join(shown)}" + ", …" * (len(labels) > LABELS_SHOWN)


def _judging(recipe: Recipe) -> str:
    """The rows that say which weights are best."""
    data, folds = recipe.data, recipe.training.folds
    if data.valid:
        return ", ".join(file.name for file in data.valid)
    if data.held_out:
        return f"{data.held_out:.2%} of the data, held out"
    return "the training data itself" + f", beside {folds}-fold cross-validation" * (folds > 1)
