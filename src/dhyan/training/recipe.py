"""A recipe: every setting of a training, each defined once. The TOML file, the flags and the help come from here."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from dhyan.core.errors import DhyanError
from dhyan.core.settings import Settings, every_field_optional, read_toml
from dhyan.model.architecture import ModelSettings, Shape
from dhyan.model.generation.settings import Beam, LengthOffset, LengthPenalty
from dhyan.pack.manifest import Task
from dhyan.pack.weights_file import Storage
from dhyan.text.settings import CleaningSettings, TextSettings

SUFFIX = ".training"  # of the folder beside the pack in which the training lives
ObjectiveName = Literal["translation", "classification", "contrastive", "masked", "next-token"]
MetricName = Literal["loss", "bleu", "chrf", "accuracy", "f1"]

OBJECTIVES: dict[str, tuple[ObjectiveName, ...]] = {  # what a task may be trained on; the first is the usual one
    "translate": ("translation",),
    "classify": ("classification",),
    "embed": ("contrastive", "masked"),
    "write": ("next-token",),
}
METRICS: dict[ObjectiveName, tuple[MetricName, ...]] = {  # what a validation measures
    "translation": ("loss", "bleu", "chrf"),
    "classification": ("loss", "accuracy", "f1"),
    "contrastive": ("loss", "accuracy"),
    "masked": ("loss",),
    "next-token": ("loss",),
}
SHAPES: dict[str, Shape] = {
    "translate": "encoder-decoder",
    "classify": "encoder",
    "embed": "encoder",
    "write": "decoder",
}


class DataSettings(Settings):
    train: list[Path] = Field(
        default_factory=list, description="training files: TSV, JSONL or plain text, also packed"
    )
    train_target: list[Path] = Field(
        default_factory=list, description="the target side, when the sides are parallel files"
    )
    valid: list[Path] = Field(
        default_factory=list, description="validation files; unset: a part of train is held out"
    )
    valid_target: list[Path] = Field(default_factory=list, description="target side of the validation files")
    columns: dict[str, Annotated[str, Field(coerce_numbers_to_str=True)]] = Field(
        default_factory=dict, description="where a column stands: a TSV number or a JSON key, e.g. label=2,text=1"
    )
    held_out: float = Field(0.0, ge=0, lt=1, description="share of train kept for validation when valid is unset")


class TrainingSettings(Settings):
    objective: ObjectiveName = Field("translation", description="what the model learns to do")
    steps: int = Field(20_000, ge=1, description="updates of the weights")
    batch_tokens: int = Field(16_384, ge=16, description="tokens an update, both sides and padding counted")
    micro_batch_tokens: int = Field(
        0, ge=0, description="tokens that go through the model at once; 0: as many as memory holds"
    )
    learning_rate: float = Field(1e-3, gt=0, description="its peak, after the warm-up")
    schedule: Literal["cosine", "inverse-sqrt", "constant"] = Field("cosine", description="how the rate falls")
    warmup: int = Field(1000, ge=0, description="steps in which the rate rises from zero")
    weight_decay: float = Field(0.01, ge=0, description="pull of the matrices towards zero")
    beta2: float = Field(0.98, gt=0, lt=1, description="AdamW's memory of squared gradients")
    clip: float = Field(1.0, ge=0, description="largest norm of the gradient; 0 for no limit")
    dropout: float = Field(0.1, ge=0, lt=1, description="of embeddings and of each part's output")
    attention_dropout: float = Field(0.0, ge=0, lt=1, description="of attention weights")
    ffn_dropout: float = Field(0.0, ge=0, lt=1, description="inside the feed-forward part")
    label_smoothing: float = Field(0.0, ge=0, lt=1, description="share of certainty given to the other tokens")
    r_drop: float = Field(
        0.0,
        ge=0,
        description="twice through with other dropout, and how alike the results must be, e.g. 5 (translation)",
    )
    taught: float = Field(
        0.5, ge=0, le=1, description="with a teacher: its share of the loss; the data has the rest (translation)"
    )
    word_dropout: float = Field(
        0.0, ge=0, lt=1, description="share of tokens hidden from a classifier while it learns, e.g. 0.1"
    )
    mask_share: float = Field(0.15, gt=0, lt=1, description="share of tokens to guess (objective masked)")
    contrast: float = Field(0.05, gt=0, description="temperature of the similarities (objective contrastive)")
    ema: float = Field(0.0, ge=0, lt=1, description="running average of the weights, e.g. 0.999; 0 for none")
    validate_every: int = Field(1000, ge=1, description="steps between validations")
    valid_rows: int = Field(1000, ge=1, description="most rows to translate in a validation")
    save_every: int = Field(1000, ge=1, description="steps between checkpoints")
    metric: MetricName = Field("loss", description="what decides which checkpoint is best")
    patience: int = Field(0, ge=0, description="stop after so many validations without a better one; 0 to go on")
    beam: Beam = Field(4, description="beam size of the finished pack")
    length_penalty: LengthPenalty = Field(1.0, description="length penalty of the finished pack's beam search")
    length_offset: LengthOffset = Field(0, description="its length offset: more is gentler on short texts, e.g. 10")
    seed: int = Field(1, ge=0, description="of everything random")
    device: str = Field("auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$", description="auto, cpu, cuda or cuda:1")
    precision: Literal["auto", "float32", "bfloat16"] = Field("auto", description="auto: bfloat16 on a GPU")
    parallel: Literal["auto", "ddp", "fsdp"] = Field(
        "auto", description="with several processes: ddp, each has all weights; fsdp, a part; auto: ddp"
    )
    compile: bool = Field(False, description="compile the model: a slow first minute, then faster on a GPU")
    storage: Storage = Field("float32", description="weights of the finished pack: float32, bfloat16, int8")


class Recipe(Settings):
    """A whole training, nothing left open."""

    task: Task = Field(description="translate, classify, embed or write")
    out: Path = Field(description="folder of the finished pack")
    start_from: Path | None = Field(None, description="a pack to fine-tune: its weights, sizes, vocabulary")
    vocabulary_of: Path | None = Field(None, description="a pack whose vocabulary is taken, and nothing else of it")
    teacher: Path | None = Field(None, description="a pack with the same vocabulary to learn from, word by word")
    licence: str = Field("", description="terms of the weights, for the model card")
    data: DataSettings = Field(default_factory=DataSettings)
    cleaning: CleaningSettings = Field(default_factory=CleaningSettings)
    text: TextSettings = Field(default_factory=TextSettings)
    model: ModelSettings = Field(default_factory=ModelSettings)
    training: TrainingSettings = Field(default_factory=TrainingSettings)

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        allowed = OBJECTIVES[self.task]
        if self.training.objective not in allowed:
            raise ValueError(
                f"objective {self.training.objective!r} is not one that task {self.task!r} can have"
                f" ({', '.join(allowed)})"
            )
        measured = METRICS[self.training.objective]
        if self.training.metric not in measured:
            raise ValueError(
                f"metric {self.training.metric!r} is not measured for objective {self.training.objective!r}"
                f" ({', '.join(measured)})"
            )
        if self.training.r_drop and self.training.objective != "translation":
            raise ValueError("r_drop is for objective 'translation': leave it out")
        if self.teacher is not None and self.training.objective != "translation":
            raise ValueError("a teacher is for objective 'translation': leave it out")
        if self.teacher is not None and self.training.r_drop:
            raise ValueError("r_drop does not go with a teacher: leave one of them out")
        if self.task == "translate" and self.model.tie == "all" and not self.text.shared:
            raise ValueError("tie = 'all' needs one vocabulary for both sides: set shared = true")
        return self

    @property
    def shape(self) -> Shape:
        return SHAPES[self.task]

    @property
    def folder(self) -> Path:
        """Where the training lives until the pack is done, and after."""
        return self.out.with_name(self.out.name + SUFFIX)


# What a user has said so far: the same settings, every one of them still open.
PartialRecipe = every_field_optional(Recipe)

# Settings that may change when a training is resumed, because they do not change what it means.
CHANGEABLE = frozenset(
    [
        "steps",
        "micro_batch_tokens",
        "validate_every",
        "save_every",
        "patience",
        "device",
        "parallel",
        "compile",
        "storage",
        "valid_rows",
    ]
)


def read_recipe(path: Path, quiet: bool = False) -> dict[str, Any]:
    """The settings that a recipe file gives, checked one by one but not yet completed.

    quiet: say nothing of old names, for a recipe that Dhyan has written.
    """
    values = read_toml(path)
    checked = PartialRecipe.checked(values, str(path), quiet)
    return checked.model_dump(exclude_none=True)


def merge(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Both settings together; where they differ, the second has its way."""
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        merged[key] = merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def refuse_changes(was: Recipe, now: Recipe, where: Path) -> None:
    """A checkpoint goes on only under the settings it was made with."""
    before, after = was.model_dump(mode="json"), now.model_dump(mode="json")
    different = []
    for section, values in before.items():
        pairs = values.items() if isinstance(values, dict) else [(None, values)]
        for key, value in pairs:
            found = after[section] if key is None else after[section].get(key)
            name = section if key is None else f"{section}.{key}"
            if found != value and key not in CHANGEABLE and section not in ("out", "licence"):
                different.append(f"{name} was {value!r} and is now {found!r}")
    if different:
        raise DhyanError(
            f"{where} holds a checkpoint from other settings: {'; '.join(different)};"
            " set them back to resume, or start anew with another --out."
        )
