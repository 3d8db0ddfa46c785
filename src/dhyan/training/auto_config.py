"""Defaults chosen from the data: whatever the user has not set is filled in here, and shown."""

from pathlib import Path
from typing import Any, NamedTuple

import torch

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import SPECIAL
from dhyan.data.open_text import has_columns
from dhyan.data.text_pairs import SECOND, pair_columns
from dhyan.model.architecture import ModelSettings
from dhyan.pack.inherited import Inherited
from dhyan.pack.pack import Pack
from dhyan.text.scripts import share_in_script
from dhyan.training.dataset import CorpusStats
from dhyan.training.recipe import LABEL_METRICS, OBJECTIVES, ObjectiveName, Recipe, merge

TIME_ON_CPU = "8m"
PATIENCE = 6  # validations of sixteen without anything better: it has learnt
FEW_TO_FOLD = 20  # rows: with fewer there is nothing to divide
BYTES = 256  # every vocabulary has them, to encode any character


class Size(NamedTuple):
    """A row of the table below, from measured runs: what suits a corpus of up to `tokens` tokens."""

    tokens: float
    d_model: int
    heads: int
    encoder_layers: int
    decoder_layers: int
    dropout: float
    batch_tokens: int
    learning_rate: float
    epochs: int


SIZES = (
    #    tokens       d    heads enc dec drop  batch    rate   epochs
    Size(5_000, 64, 4, 2, 2, 0.0, 1_024, 3e-3, 100),
    Size(50_000, 128, 4, 2, 2, 0.1, 2_048, 2e-3, 60),
    Size(500_000, 192, 4, 3, 3, 0.2, 4_096, 2e-3, 40),
    Size(5_000_000, 256, 4, 4, 3, 0.3, 8_192, 1.5e-3, 40),
    Size(50_000_000, 384, 6, 6, 3, 0.1, 32_768, 1.5e-3, 20),
    Size(float("inf"), 512, 8, 6, 6, 0.1, 65_536, 1e-3, 12),
)


class FineTuning(NamedTuple):
    """How weights that know something already are trained on, from measured runs."""

    learning_rate: float
    batch_rows: int
    least_rows: int  # that are gone through in all, however few there are
    epochs: int  # of many rows
    most_epochs: int  # of few


FINE_TUNING: dict[ObjectiveName, FineTuning] = {
    #                               rate  batch  least epochs most
    "classification": FineTuning(3e-4, 32, 10_000, 5, 12),
    "contrastive": FineTuning(1e-4, 64, 16_000, 3, 30),
    "masked": FineTuning(5e-4, 64, 32_000, 3, 30),
    "translation": FineTuning(2e-4, 32, 4_000, 3, 20),
    "next-token": FineTuning(5e-4, 8, 4_000, 4, 30),
}
# A translator whose encoder or decoder knows its language, and whose other side has everything to learn.
NEW_LANGUAGE = FineTuning(6e-4, 32, 60_000, 4, 20)
CROP = 128  # tokens of a long text that a step reads: more texts are worth more than more of each
REPLAY = (500, 3_000)  # general sentences that a translator goes on seeing: as many as its rows, within these
FEW_PAIRS = 50_000  # a translator that starts from random weights then needs more regularisation
FEW_ROWS, FOLDS = 500, 5  # with fewer rows, labels are cross-validated


def objective_of(values: dict[str, Any]) -> ObjectiveName:
    """What the user has set, or what the task and the files suggest."""
    chosen: ObjectiveName | None = values.get("training", {}).get("objective")
    if chosen is not None:
        return chosen
    choices = OBJECTIVES[values["task"]]
    if values["task"] == "embed":
        files = values.get("data", {}).get("train", [])
        return "contrastive" if any(has_columns(Path(file)) for file in files) else "masked"
    return choices[0]


def cleaning_for(values: dict[str, Any]) -> dict[str, Any]:
    """A sentence pair of 200 words is an alignment error; a review or a paragraph of 200 words is not."""
    if values["task"] == "translate":
        return dict(values.get("cleaning", {}))
    return merge({"max_words": 100_000, "max_characters": 1_000_000}, values.get("cleaning", {}))


def with_pairs(values: dict[str, Any]) -> dict[str, Any]:
    """The same settings, with the column of the second text where a classifier's rows have one."""
    data = values.get("data", {})
    if values["task"] != "classify":
        return values
    columns = pair_columns([Path(file) for file in data["train"]], data.get("columns", {}))
    return merge(values, {"data": {"columns": columns}}) if columns else values


def draft(values: dict[str, Any], where: str) -> Recipe:
    """The recipe as far as it is known before the data is read: enough to find wrong settings."""
    known = {
        "cleaning": cleaning_for(values),
        "model": _widths(values, SIZES[0]),
        "training": {"objective": objective_of(values)},
    }
    return Recipe.checked(merge(known, values), where)


def complete(
    values: dict[str, Any], stats: CorpusStats, pack: Pack | None, where: str, vocabulary_pack: Pack | None = None
) -> Recipe:
    """Fill in every open setting. pack: the one to fine-tune, which decides the sizes of the model.

    vocabulary_pack: the one whose tokenizers are used, which decides the text settings.
    """
    size = next(size for size in SIZES if stats.tokens <= size.tokens)
    chosen = merge(_from_data(values, stats, size), values)
    if chosen["data"].get("valid"):
        chosen["data"]["held_out"] = 0.0  # there is nothing to hold out for
    if pack is not None:
        chosen = merge(merge(chosen, _for_fine_tuning(values, stats, pack)), _inherited(pack, values))
        chosen = merge(chosen, values)
    chosen = merge(chosen, settings_of_packs(values, pack, vocabulary_pack))
    if objective_of(values) == "classification":
        chosen["training"]["labels"] = stats.decided.kind
    if chosen["text"].get("pieces") == "characters" and "vocabulary" not in values.get("text", {}):
        chosen["text"]["vocabulary"] = None  # as many as there are
    return Recipe.checked(chosen, where)


def _from_data(values: dict[str, Any], stats: CorpusStats, size: Size) -> dict[str, Any]:
    task, objective = values["task"], objective_of(values)
    given = values.get("training", {})
    batch_tokens = given.get("batch_tokens") or min(size.batch_tokens, max(512, _round(stats.tokens // 4, 256)))
    steps = given.get("steps") or min(max(400, _round(size.epochs * stats.tokens // batch_tokens, 100)), 200_000)
    interval = min(2000, steps, max(50, steps // 12))
    widths = _widths(values, size)
    is_valid_given = bool(values.get("data", {}).get("valid"))
    folds = given.get("folds", 0 if is_valid_given or "steps" in given else _folds(objective, stats))
    few_pairs = objective == "translation" and FEW_TO_FOLD <= stats.rows <= FEW_PAIRS
    few_pairs = few_pairs and not values.get("model") and not {"dropout", "steps"} & given.keys()  # else decided
    is_shared = values.get("text", {}).get("shared", few_pairs and _share_a_script(stats))
    return {
        "data": {} if is_valid_given else {"held_out": 0.0 if folds else _held_out(objective, stats)},
        "cleaning": cleaning_for(values),
        "text": {"vocabulary": _vocabulary(stats, shared=is_shared), "shared": is_shared},
        "model": {
            **widths,
            **({"tie": "all"} if is_shared and few_pairs else {}),
            "d_ff": 4 * widths["d_model"],
            "encoder_layers": size.encoder_layers,
            "decoder_layers": size.decoder_layers if task == "translate" else size.encoder_layers,
            "max_positions": 256 if task in ("translate", "write") else 512,
        },
        "training": {
            "objective": objective,
            "steps": steps,
            "time": _time(given),
            "batch_tokens": batch_tokens,
            "learning_rate": size.learning_rate,
            "warmup": _warmup(steps),
            "patience": PATIENCE,
            "dropout": 0.3 if few_pairs else size.dropout,
            "bpe_dropout": 0.1 if few_pairs and values.get("text", {}).get("pieces", "bpe") == "bpe" else 0.0,
            "label_smoothing": 0.1 if task == "translate" else 0.0,
            "ema": 0.999 if steps >= 5000 else 0.99 if steps >= 500 else 0.0,
            "validate_every": interval,
            "save_every": interval,
            "metric": {"translation": "chrf", "classification": LABEL_METRICS[stats.decided.kind][0]}.get(
                objective, "loss"
            ),
            "folds": folds,
        },
    }


def _share_a_script(stats: CorpusStats) -> bool:
    """Then they share names, numbers and roots, too, and one vocabulary knows each of these once."""
    some = stats.sample[:200]
    latin = [share_in_script(" ".join(row[side] for row in some), "Latin") for side in (0, 1)]
    return min(latin) > 0.5


def _for_fine_tuning(values: dict[str, Any], stats: CorpusStats, pack: Pack) -> dict[str, Any]:
    """Few rows are read often, many rows a few times; it ends early when it has learnt."""
    objective, given = objective_of(values), values.get("training", {})
    new_side = values.get("new_vocabulary")
    how = NEW_LANGUAGE if new_side else FINE_TUNING[objective]
    rows = stats.rows if objective != "next-token" else max(1, stats.tokens // 256)
    replay = 0
    if objective == "translation" and pack.manifest.task == "translate" and not new_side:
        replay = min(max(rows, REPLAY[0]), REPLAY[1])
    tokens_per_row = max(8, stats.tokens // max(1, rows))
    can_crop = objective == "classification" and SECOND not in values.get("data", {}).get("columns", {})
    crop = CROP if can_crop and tokens_per_row > CROP else 0
    tokens_per_row = min(tokens_per_row, crop or tokens_per_row)
    batch_tokens = given.get("batch_tokens") or _round(how.batch_rows * tokens_per_row, 64)
    epochs = min(how.most_epochs, max(how.epochs, how.least_rows // max(1, rows)))
    rows_per_step = max(1, batch_tokens // tokens_per_row)
    steps = given.get("steps") or max(60, epochs * (rows + replay) // rows_per_step)
    has_mask = pack.manifest.architecture.special.mask is not None
    is_classifier = objective == "classification"
    smooths = objective == "translation" or (is_classifier and stats.decided.kind == "one")
    few_pairs = new_side and stats.rows <= FEW_PAIRS
    return {
        "data": {"replay": replay},
        "training": {
            "steps": steps,
            "batch_tokens": batch_tokens,
            "learning_rate": how.learning_rate,
            "warmup": _warmup(steps),
            "validate_every": _interval(steps),
            "save_every": _interval(steps),
            "dropout": 0.2 if few_pairs else 0.1,
            "bpe_dropout": 0.0,
            "weight_decay": 0.05,
            "crop": crop,
            "word_dropout": 0.1 if is_classifier and has_mask else 0.0,
            "label_smoothing": 0.1 if smooths else 0.0,
            "ema": _ema(steps),
        },
    }


def _time(given: dict[str, Any]) -> str:
    """On a CPU nobody should wait for hours unasked. Who says how many steps has decided."""
    on_cpu = given.get("device") == "cpu" or not torch.cuda.is_available()
    return TIME_ON_CPU if on_cpu and "steps" not in given else "none"


def _interval(steps: int) -> int:
    """Steps between validations: often enough that a training can end when it has learnt."""
    return min(2000, steps, max(25, steps // 16))


def _warmup(steps: int) -> int:
    """Never longer than a tenth of the training."""
    return min(2000, steps // 10)


def _ema(steps: int) -> float:
    """An average over about a tenth of the steps, and none where there are next to none."""
    return 0.999 if steps >= 5000 else 0.99 if steps >= 400 else 0.95 if steps >= 100 else 0.0


def _inherited(pack: Pack, values: dict[str, Any]) -> dict[str, Any]:
    """Terms, and how to search and to ask: as in the pack that is fine-tuned."""
    of = Inherited.of(pack)
    if of.task != values["task"] or values.get("new_vocabulary"):  # how to ask it is another language's
        return {"licence": of.licence}
    taught: dict[str, Any] = {"licence": of.licence, "style_tags": of.style_tags}
    taught |= {"source_language": of.source_language, "target_language": of.target_language}
    taught["placeholders"] = "".join(of.placeholders)
    search = of.decoding.model_dump(include={"beam", "length_penalty", "length_offset"})
    return {**taught, "training": search}


def settings_of_packs(values: dict[str, Any], pack: Pack | None, vocabulary_pack: Pack | None) -> dict[str, Any]:
    """What the packs decide: sizes of a fine-tuned model, a vocabulary taken over. Other values are an error."""
    fixed: dict[str, Any] = {}
    if pack is not None:
        known = pack.manifest.architecture.model_dump()
        fixed["model"] = {name: known[name] for name in ModelSettings.model_fields}
        _check_same(values, "model", fixed["model"], pack, "a fine-tuned model keeps its sizes")
    if vocabulary_pack is not None:
        fixed["text"] = vocabulary_pack.manifest.text.model_dump()
        if values.get("new_vocabulary"):
            del fixed["text"]["vocabulary"]
        _check_same(values, "text", fixed["text"], vocabulary_pack, "its vocabulary is taken over unchanged")
    return fixed


def _check_same(values: dict[str, Any], section: str, fixed: dict[str, Any], pack: Pack, why: str) -> None:
    for name, value in values.get(section, {}).items():
        if name in fixed and fixed[name] != value:
            raise DhyanError(
                f"{section}.{name} = {value!r}, but {pack.folder} has {fixed[name]!r}: {why}; leave the setting out."
            )


def _vocabulary(stats: CorpusStats, shared: bool) -> int:
    """Grows with the square root of the text, as vocabularies do; the alphabet and the bytes come on top."""
    words = sum(stats.words) if shared else max(stats.words)
    characters: set[str] = set()
    for texts in stats.sample:
        for text in texts:
            characters.update(text)
    has_devanagari = any("\u0900" <= character <= "\u097f" for character in characters)
    alphabet = len(characters) + (128 if has_devanagari else 0)  # then all of Devanagari comes along
    trained = min(16_000, 12 * int(words**0.5))
    return -(-(len(SPECIAL) + BYTES + alphabet + trained) // 64) * 64  # a multiple of 64 suits a GPU's matrix units


def _held_out(objective: ObjectiveName, stats: CorpusStats) -> float:
    """A tenth, at most a thousand rows; nothing from a handful of rows: then validation uses the training rows."""
    if objective == "next-token":
        return 0.1 if stats.characters[0] >= 10_000 else 0.0
    return round(min(0.1, 1000 / stats.rows), 6) if stats.rows >= 50 else 0.0


def _folds(objective: ObjectiveName, stats: CorpusStats) -> int:
    """Little data is cross-validated: a tenth of it would judge nothing."""
    return FOLDS if objective == "classification" and FEW_TO_FOLD <= stats.rows < FEW_ROWS else 0


def _widths(values: dict[str, Any], size: Size) -> dict[str, int]:
    """d_model and heads that go together, also when the user has set only one of them."""
    given = values.get("model", {})
    heads = given.get("heads")
    d_model = given.get("d_model") or (_round(size.d_model, 2 * heads) if heads else size.d_model)
    fitting = (n for n in (size.heads, 8, 6, 4, 2) if d_model % (2 * n) == 0)  # d_head must be even, for rotary
    return {"d_model": d_model, "heads": heads or next(fitting, 1)}


def _round(number: int, to: int) -> int:
    return max(to, number // to * to)
