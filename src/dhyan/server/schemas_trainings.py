"""What goes over the wire for the Watch view."""

from pydantic import BaseModel, Field

from dhyan.pack.manifest import Task
from dhyan.pack.training_folder import SampleResult
from dhyan.server.schemas import AttentionInfo, TokensInfo
from dhyan.server.training_reader import How


class TrainingSummary(BaseModel):
    name: str
    how: How
    said: str = Field(description="why it has stopped or failed")
    task: Task
    objective: str
    step: int
    steps: int


class CurveInfo(BaseModel):
    """Columns of equal length; null where an earlier version has not recorded it."""

    step: list[int]
    loss: list[float | None]
    learning_rate: list[float | None]
    tokens_per_second: list[float | None]
    gradient_norm: list[float | None] = Field(description="before clipping")


class ValidationInfo(BaseModel):
    step: int
    metrics: dict[str, float]


class TrainingInfo(TrainingSummary):
    tag: str = Field(description="send it as `seen` to be told only of changes")
    metric: str = Field(description="which decides what the best checkpoint is")
    clip: float = Field(description="largest norm of the gradient; 0 for none")
    seconds_left: float | None
    heard: float | None = Field(description="when it last wrote to its log, in seconds since 1970")
    now: float = Field(description="the server's time")
    began: float | None = Field(description="when it was first started")
    resumed: list[int] = Field(description="steps from which it was resumed")
    entries_per_point: int = Field(description="a point of `train` is the mean of so many log entries")
    train: CurveInfo
    validations: list[ValidationInfo]
    checkpoints: list[int] = Field(description="steps that have samples")
    pack: str | None = Field(description="the finished pack, where it is served here")


class SamplesInfo(BaseModel):
    """What a checkpoint made of a few texts that stay the same."""

    step: int
    results: list[SampleResult]
    source: TokensInfo | None = Field(description="of the first text, which the attention is of")
    target: TokensInfo | None
    predicted: TokensInfo | None
    attention: list[AttentionInfo] = Field(description="the order in which …/attention sends the weights")
