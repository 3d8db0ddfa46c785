"""Plots as data: the terminal, a file and the page draw the same numbers."""

from typing import Literal

from pydantic import BaseModel, Field


class _Titled(BaseModel):
    name: str = Field(description="its file's name, such as quality-by-length")
    title: str


class Series(BaseModel):
    """One line. `low` and `high` are its spread over the seeds, where there is one."""

    label: str
    x: list[float]
    y: list[float | None]  # None: not measured there, the line is broken
    low: list[float] = Field(default_factory=list)
    high: list[float] = Field(default_factory=list)


class Lines(_Titled):
    kind: Literal["lines"] = "lines"
    x_label: str
    y_label: str
    series: list[Series]
    log_x: bool = False
    log_y: bool = False


class Bar(BaseModel):
    """One bar. `low` and `high` are its spread over the seeds."""

    value: float
    low: float | None = None
    high: float | None = None


class Bars(_Titled):
    """Groups of bars: `bars[group][series]`; one series is simply a row of bars."""

    kind: Literal["bars"] = "bars"
    y_label: str
    groups: list[str]
    series: list[str]
    bars: list[list[Bar]]


class HeatMap(_Titled):
    """A matrix. With `rows` or `columns` empty, they are numbered."""

    kind: Literal["heat map"] = "heat map"
    row_label: str = ""
    column_label: str = ""
    rows: list[str] = Field(default_factory=list)
    columns: list[str] = Field(default_factory=list)
    values: list[list[float]]


Plot = Lines | Bars | HeatMap
