"""A recipe: every setting of a training, defined once. The TOML file, the flags and the help come from here."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.core.settings import Settings, every_field_optional, read_toml, was
from dhyan.data.cleaning import CleaningSettings
from dhyan.data.text_pairs import SECOND
from dhyan.model.architecture import ModelSettings, Shape
from dhyan.model.generation.settings import Beam, LengthOffset, LengthPenalty
from dhyan.pack.manifest import LanguageCode, Task
from dhyan.pack.training_folder import SUFFIX
from dhyan.pack.weights_file import Storage
from dhyan.text.settings import TextSettings

ObjectiveName = Literal["translation", "classification", "contrastive", "masked", "next-token"]
MetricName = Literal[
    "loss", "bleu", "chrf", "accuracy", "f1", "micro_f1", "exact_match", "pearson", "spearman", "mae", "r2"
]

OBJECTIVES: dict[str, tuple[ObjectiveName, ...]] = {  # of each task; the first is the default
    "translate": ("translation",),
    "classify": ("classification",),
    "embed": ("contrastive", "masked"),
    "write": ("next-token",),
}
METRICS: dict[ObjectiveName, tuple[MetricName, ...]] = {  # of each objective's validation
    "translation": ("loss", "bleu", "chrf"),
    "classification": (
        *("loss", "accuracy", "f1", "micro_f1", "exact_match"),
        *("pearson", "spearman", "mae", "r2"),
    ),
    "contrastive": ("loss", "accuracy"),
    "masked": ("loss",),
    "next-token": ("loss",),
}
LABEL_METRICS: dict[LabelKind, tuple[MetricName, ...]] = {  # of a classifier's, the first is the default
    "one": ("accuracy", "f1", "loss"),
    "several": ("micro_f1", "f1", "exact_match", "loss"),
    "number": ("loss", "pearson", "spearman", "mae", "r2"),
}
SHAPES: dict[str, Shape] = {
    "translate": "encoder-decoder",
    "classify": "encoder",
    "embed": "encoder",
    "write": "decoder",
}


class DataSettings(Settings):
    train: list[Path] = Field(
        default_factory=list, description="training files: TSV, CSV, Excel, JSONL or plain text, also compressed"
    )
    train_target: list[Path] = Field(
        default_factory=list, description="target side of the training files, when the sides are parallel files"
    )
    valid: list[Path] = Field(
        default_factory=list, description="validation files; unset: a part of train is held out"
    )
    valid_target: list[Path] = Field(default_factory=list, description="target side of the validation files")
    columns: dict[str, Annotated[str, Field(coerce_numbers_to_str=True)]] = Field(
        default_factory=dict,
        description="the column of each field, by name or number, or its JSON key: label=tag,text=2",
    )
    label_separator: str = Field(
        "", max_length=8, description="what stands between several labels of one text, e.g. | (task classify)"
    )
    held_out: float = Field(
        0.0, ge=0, lt=1, description="fraction of train held out for validation when valid is unset"
    )
    replay: int = Field(
        0, ge=0, description="general sentences mixed in, in the pack's own translation, so that it does not forget"
    )


class TrainingSettings(Settings):
    objective: ObjectiveName = Field("translation", description="training objective")
    labels: Literal["auto", "one", "several", "number"] = Field(
        "auto",
        description="what a text's label is: one, several, or a number; auto: as the data looks (task classify)",
    )
    class_weights: Literal["none", "balanced"] = Field(
        "none", description="balanced: in the loss a rare label's rows count more, a frequent one's less (classify)"
    )
    steps: int = Field(20_000, ge=1, description="optimizer steps")
    time: str = Field(
        "none",
        pattern=r"^(none|\d+(\.\d+)?[smh])$",
        description="the most time the training may take, such as 5m, 90s or 2h, or none",
    )
    batch_tokens: int = Field(16_384, ge=16, description="tokens per step, both sides and padding counted")
    micro_batch_tokens: int = Field(
        0, ge=0, description="tokens per micro-batch (gradient accumulation); 0: as many as fit in memory"
    )
    learning_rate: float = Field(1e-3, gt=0, description="peak learning rate, after the warm-up")
    schedule: Literal["cosine", "inverse-sqrt", "constant"] = Field(
        "cosine", description="learning-rate schedule after the warm-up"
    )
    warmup: int = Field(1000, ge=0, description="warm-up steps: the learning rate rises from zero")
    weight_decay: float = Field(0.01, ge=0, description="AdamW weight decay on matrices and embeddings")
    beta2: float = Field(0.98, gt=0, lt=1, description="AdamW's decay rate of the second moment")
    clip: float = Field(1.0, ge=0, description="gradient clipping: largest norm; 0 for none")
    dropout: float = Field(0.1, ge=0, lt=1, description="dropout on embeddings and on the output of each sublayer")
    attention_dropout: float = Field(0.0, ge=0, lt=1, description="dropout on attention weights")
    ffn_dropout: float = Field(0.0, ge=0, lt=1, description="dropout inside the feed-forward sublayer")
    label_smoothing: float = Field(
        0.0, ge=0, lt=1, description="label smoothing: probability spread over the other tokens"
    )
    r_drop: float = Field(
        0.0,
        ge=0,
        description="R-Drop: weight of the KL term between two dropout passes, e.g. 5 (translation)",
    )
    teacher_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        json_schema_extra=was("taught"),
        description="distillation: weight of the teacher's distribution in the loss, 0 to 1 (translation)",
    )
    bpe_dropout: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="BPE dropout: chance that a merge is left out, e.g. 0.1 (translation, own pieces)",
    )
    crop: int = Field(
        0, ge=0, description="tokens of a long text that a step reads, each time others; 0: all of them (classify)"
    )
    word_dropout: float = Field(
        0.0, ge=0, lt=1, description="fraction of tokens masked while a classifier is trained, e.g. 0.1"
    )
    mask_probability: float = Field(
        0.15,
        gt=0,
        lt=1,
        json_schema_extra=was("mask_share"),
        description="fraction of tokens to mask and predict (objective masked)",
    )
    contrastive_temperature: float = Field(
        0.05,
        gt=0,
        json_schema_extra=was("contrast"),
        description="temperature of the similarities (objective contrastive)",
    )
    ema: float = Field(0.0, ge=0, lt=1, description="decay of the moving average of the weights, e.g. 0.999; 0: none")
    validate_every: int = Field(1000, ge=1, description="steps between validations")
    valid_rows: int = Field(1000, ge=1, description="rows to translate per validation, at most")
    sample_text: tuple[str, ...] = Field(
        (), description="text to show at each validation to whoever watches; may be repeated; unset: validation rows"
    )
    save_every: int = Field(1000, ge=1, description="steps between checkpoints")
    metric: MetricName = Field("loss", description="metric that selects the best checkpoint")
    patience: int = Field(0, ge=0, description="early stopping: validations without improvement; 0: never")
    beam: Beam = Field(4, description="beam size of the finished pack")
    length_penalty: LengthPenalty = Field(1.0, description="length penalty of the finished pack's beam search")
    length_offset: LengthOffset = Field(0, description="its length offset: more is gentler on short texts, e.g. 10")
    folds: int = Field(
        0, ge=0, le=20, description="cross-validation: trainings on all but a part of the rows (classify); 0: none"
    )
    assess: bool = Field(
        True, description="score simple baselines first, and afterwards say how good the pack is and how sure that is"
    )
    seed: int = Field(1, ge=0, description="random seed")
    device: str = Field("auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$", description="auto, cpu, cuda or cuda:1")
    precision: Literal["auto", "float32", "bfloat16"] = Field("auto", description="auto: bfloat16 on a GPU")
    parallel: Literal["auto", "ddp", "fsdp"] = Field(
        "auto", description="with several processes: ddp (full weights in each), fsdp (sharded); auto: ddp"
    )
    compile: bool = Field(False, description="torch.compile: a slow first minute, then faster on a GPU")
    storage: Storage = Field("float32", description="number format of the finished pack: float32, bfloat16, int8")


class Recipe(Settings):
    """All settings of a training."""

    task: Task = Field(description="translate, classify, embed or write")
    out: Path = Field(description="folder of the finished pack")
    start_from: Path | None = Field(None, description="a pack to fine-tune: its weights, sizes and vocabulary")
    from_scratch: bool = Field(
        False, description="start from random weights even where a pack at hand fits the task and the language"
    )
    new_vocabulary: Literal["source", "target"] | None = Field(
        None, description="side whose language start_from does not know: its vocabulary is learnt from the data"
    )
    vocabulary_of: Path | None = Field(None, description="a pack whose tokenizers to use, and nothing else of it")
    teacher: Path | None = Field(
        None, description="word-level knowledge distillation: a pack with the same vocabulary"
    )
    licence: str = Field("", description="licence of the weights, for the model card")
    style_tags: dict[str, str] = Field(
        default_factory=dict, description="styles that the data is tagged with: ui=①,formal=②"
    )
    source_language: LanguageCode = Field("", description="code of the language to translate from, e.g. en")
    target_language: LanguageCode = Field("", description="code of the language to translate into, e.g. hi")
    placeholders: str = Field("", description="characters that the data teaches it to copy, e.g. ⒶⒷⒸ")
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
        if self.from_scratch and self.start_from is not None:
            raise ValueError("from_scratch and start_from contradict each other: leave one of them out")
        if self.new_vocabulary and (self.task != "translate" or not self.start_from or self.vocabulary_of):
            raise ValueError(
                "new_vocabulary is for task 'translate' with start_from, without vocabulary_of: leave it out"
            )
        self._check_labels()
        if self.training.r_drop and self.training.objective != "translation":
            raise ValueError("r_drop is for objective 'translation': leave it out")
        if self.teacher is not None and self.training.objective != "translation":
            raise ValueError("a teacher is for objective 'translation': leave it out")
        if self.teacher is not None and self.training.r_drop:
            raise ValueError("r_drop does not go with a teacher: leave one of them out")
        if self.task == "translate" and self.model.tie == "all" and not self.text.shared and not self.start_from:
            raise ValueError("tie = 'all' needs one vocabulary for both sides: set shared = true")
        return self

    def _check_labels(self) -> None:
        labels, separator = self.training.labels, self.data.label_separator
        if self.task != "classify":
            if labels != "auto" or separator or self.training.class_weights != "none":
                raise ValueError("labels, label_separator and class_weights are for task 'classify': leave them out")
            return
        if separator and labels in ("one", "number"):
            raise ValueError(f"label_separator stands between several labels, and labels = '{labels}': leave one out")
        if labels == "number" and self.training.class_weights != "none":
            raise ValueError("class_weights are of labels, and labels = 'number': leave them out")
        if labels != "auto" and self.training.metric not in LABEL_METRICS[labels]:
            raise ValueError(
                f"metric {self.training.metric!r} is not measured for labels = {labels!r}"
                f" ({', '.join(LABEL_METRICS[labels])})"
            )

    @property
    def reads_pairs(self) -> bool:
        """Whether each text is two texts."""
        return self.task == "classify" and SECOND in self.data.columns

    @property
    def shape(self) -> Shape:
        return SHAPES[self.task]

    @property
    def folder(self) -> Path:
        """The training's folder: data, checkpoints, log."""
        return self.out.with_name(self.out.name + SUFFIX)


# What a user has set: the same settings, every one of them optional.
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
        "sample_text",
    ]
)

# What is said of the pack, and changes no weight.
DESCRIBING = ("out", "licence", "style_tags", "source_language", "target_language", "placeholders")


def read_recipe(path: Path, quiet: bool = False) -> dict[str, Any]:
    """The settings that a recipe file gives, checked one by one but not yet completed.

    quiet: say nothing of old names, for a recipe that Dhyan has written.
    """
    values = read_toml(path)
    checked = PartialRecipe.checked(values, str(path), quiet)
    return checked.model_dump(exclude_none=True)


def merge(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Both settings together; the second wins."""
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        merged[key] = merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def refuse_changes(then: Recipe, now: Recipe, where: Path) -> None:
    """A checkpoint is resumed only with the settings that it was made with."""
    before, after = then.model_dump(mode="json"), now.model_dump(mode="json")
    different = []
    for section, values in before.items():
        pairs = values.items() if isinstance(values, dict) else [(None, values)]
        for key, value in pairs:
            found = after[section] if key is None else after[section].get(key)
            name = section if key is None else f"{section}.{key}"
            if found != value and key not in CHANGEABLE and section not in DESCRIBING:
                different.append(f"{name} was {value!r} and is now {found!r}")
    if different:
        raise DhyanError(
            f"{where} holds a checkpoint from other settings: {'; '.join(different)};"
            " set them back to resume, or start a new training with another --out."
        )
