"""What goes over the wire for the Labs view."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from dhyan.lab.framework.experiment import Table, Verdict

WIDEST, NARROWEST = 900, 280


class LiveRequest(BaseModel):
    knobs: dict[str, Any] = Field(default_factory=dict, description="knob → value; those left out stay as they are")
    seed: int = Field(0, ge=0, lt=2**32)
    width: int = Field(640, ge=NARROWEST, le=WIDEST, description="of the figures, in pixels")


class MeasureRequest(BaseModel):
    """A body is asked for so that no other site's page can start a run: a browser does not let it send JSON."""

    quick: Literal[True] = Field(description="only the quick one is run here; `dhyan lab NAME` runs the full one")


class KnobInfo(BaseModel):
    name: str
    help: str
    kind: Literal["number", "numbers", "words"]
    value: Any
    least: float | None = None
    most: float | None = None
    step: float | None = None


class KeptInfo(BaseModel):
    id: str
    measured: datetime
    verdict: Verdict
    seconds: float


class LabInfo(BaseModel):
    name: str
    line: str
    question: str
    claim: str
    method: str
    quick_seconds: int
    full_minutes: float
    live: bool
    knobs: list[KnobInfo] = Field(description="of the live half; none where there is none")
    kept: list[KeptInfo] = Field(description="what was measured on this machine, the newest first")


class FigureInfo(BaseModel):
    name: str
    title: str
    svg: str


class LiveInfo(BaseModel):
    sentence: str = Field(description="with {places} for the numbers, so that it can be translated")
    numbers: dict[str, str]
    tables: list[Table]
    figures: list[FigureInfo]
    seconds: float


class KeptResult(BaseModel):
    verdict: Verdict
    because: str
    fair: list[str]
    tables: list[Table]
    figures: list[FigureInfo]
    knobs: dict[str, Any]
    seeds: list[int]
    seconds: float
    machines: list[str]
    folder: str


class RunInfo(BaseModel):
    name: str
    running: bool
    seconds: float
    doing: str
    share: float = Field(description="of all measurements, 0 to 1")
    failed: str = Field(description="why, where it failed")
