"""What an experiment is: knobs, cases, a measurement of one case with one seed, and a conclusion from all of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from dhyan.core.progress import Progress
from dhyan.core.settings import Settings
from dhyan.lab.framework.plots import Plot

Verdict = Literal["held", "held in part", "did not hold"]
Numbers = dict[str, Any]  # what was measured: anything that JSON can hold
Measured = Mapping[str, Sequence[Numbers]]  # case → the numbers of each seed, in the order of the seeds


class Table(BaseModel):
    """Rows under headers, ready to be read: the cells are text."""

    title: str
    headers: list[str]
    rows: list[list[str]]


class Result(BaseModel):
    """What came out. All of it follows from measured numbers; a page or a paper can be made from it alone."""

    verdict: Verdict
    because: str = Field(description="the sentence that says why, with the numbers that decide")
    fair: list[str] = Field(default_factory=list, description="parameter counts, data and budgets, as they were")
    tables: list[Table] = Field(default_factory=list)
    plots: list[Annotated[Plot, Field(discriminator="kind")]] = Field(default_factory=list)


class Knobs(Settings):
    """The knobs of an experiment. A subclass adds fields; their defaults are the full run's."""


K = TypeVar("K", bound=Knobs)


class Experiment(ABC, Generic[K]):
    """One claim. What it is called and claims stands in `registry.py`, so that the list needs no import of it."""

    knobs: ClassVar[type[Knobs]] = Knobs
    quick: ClassVar[Mapping[str, Any]] = {}  # the knobs that `--quick` turns down
    seeds: ClassVar[tuple[int, ...]] = (0, 1, 2)

    def cases(self, knobs: K) -> Sequence[str]:
        """The things compared, such as models. Each is measured, kept and resumed on its own."""
        return ("all",)

    @abstractmethod
    def measure(self, knobs: K, case: str, seed: int, report: Progress) -> Numbers:
        """Measure one case with one seed. The same knobs, case and seed give the same numbers (times aside)."""

    @abstractmethod
    def conclude(self, knobs: K, measured: Measured) -> Result:
        """From the numbers of every case and seed to tables, plots and a verdict. Cheap: it runs at every reading."""

    def rests_on(self, knobs: K) -> str:
        """What else the numbers depend on, such as a pack's digest: when it changes, all is measured anew."""
        return ""
