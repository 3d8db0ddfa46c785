"""A training in a given time: how long a step takes is tried for some seconds, and the schedule fitted in.

The limit is that of the whole command, so what comes before the first step and behind the last is taken off it.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch

from dhyan.core.cores import usable_cores
from dhyan.training.checkpoint import State
from dhyan.training.optimization import learning_rate
from dhyan.training.recipe import TrainingSettings

UNITS = {"s": 1, "m": 60, "h": 3600}
PROBE_SECONDS = 5.0  # at most
FOR_PROBE = 0.1  # of the time: a fold of a cross-validation has little
FEWEST_STEPS = 3  # of the probe, for each number of threads
FOR_STEPS, FOR_VALIDATIONS = 0.82, 0.15  # of the time
MOST_VALIDATIONS = 16
LEAST_FOR_TRAINING = 0.3  # of the time, however long the rest takes


def seconds_of(time_limit: str) -> float | None:
    """5m → 300; none → None"""
    return None if time_limit == "none" else float(time_limit[:-1]) * UNITS[time_limit[-1]]


@dataclass(frozen=True)
class Probe:
    """What was found out about this machine."""

    threads: int
    seconds_per_step: float

    def steps_within(self, seconds: float) -> int:
        return max(1, int(FOR_STEPS * seconds / self.seconds_per_step))


def probe(steps: Iterable[Callable[[], object]], device: torch.device, seconds: float = PROBE_SECONDS) -> Probe:
    """The fastest number of threads, and how long a step takes with it. steps: each takes one, on a batch of its own.

    Small products lose more by sharing them than they gain; that depends on sizes and machine, so it is measured.
    """
    candidates = thread_counts() if device.type == "cpu" else [torch.get_num_threads()]
    batches = iter(steps)
    next(batches)()  # the first one allocates
    found: dict[int, float] = {}
    for threads in candidates:
        torch.set_num_threads(threads)
        times: list[float] = []
        while len(times) < FEWEST_STEPS or (sum(times) < seconds / len(candidates) and len(times) < 50):
            began = time.perf_counter()
            next(batches)()
            if device.type == "cuda":
                torch.cuda.synchronize()
            times.append(time.perf_counter() - began)
        found[threads] = sum(times) / len(times)
    best = min(found, key=lambda threads: found[threads])
    torch.set_num_threads(best)
    return Probe(best, found[best])


def thread_counts() -> list[int]:
    """Those worth a try. Who has set a number has decided."""
    if "OMP_NUM_THREADS" in os.environ:
        return [torch.get_num_threads()]
    cores = usable_cores()
    return sorted({1, max(1, cores // 2), cores})


class TimeLimit:
    """How many steps there are, and how often they are interrupted, where `training.time` limits them."""

    def __init__(self, settings: TrainingSettings, state: State) -> None:
        self.settings, self.state = settings, state

    @property
    def limit(self) -> float | None:
        """Seconds for steps and validations."""
        whole = seconds_of(self.settings.time)
        return None if whole is None else max(whole - self.state.other_seconds, LEAST_FOR_TRAINING * whole)

    @property
    def probe_seconds(self) -> float:
        return min(PROBE_SECONDS, FOR_PROBE * (self.limit or 0.0))

    def reserve(self, seconds: float) -> None:
        """So long takes what is not training. A resumed training keeps to what was planned."""
        if not self.state.step:
            self.state.other_seconds = seconds + PROBE_SECONDS

    def fit(self, found: Probe) -> str:
        """Take as many steps as there is time for. Returns what to say where they are fewer than were planned."""
        self.state.threads = found.threads
        fitting = found.steps_within(self.limit or 0.0)
        if fitting >= self.settings.steps:
            return ""
        self.state.steps = fitting
        return (
            f"{self.settings.steps:,} steps would take longer than {self.settings.time}: about {fitting:,} steps"
            " instead, with a schedule to match. More time (--time 1h) may give a better pack."
        )

    def adapt(self) -> None:
        """After a validation: as many steps as there is time for at the pace so far, which other work may change."""
        state = self.state
        if self.limit is None or not state.step or not state.validations:
            return
        validation = state.validation_seconds / state.validations
        left = self.limit - state.seconds - state.validation_seconds - validation  # the last one is still to come
        pace = state.seconds / state.step + validation / self.interval(self.settings.validate_every)
        state.steps = min(state.step + max(1, int(left / pace)), self.settings.steps)

    @property
    def last_step(self) -> int:
        return min(self.state.steps or self.settings.steps, self.settings.steps)

    @property
    def is_over(self) -> bool:
        return self.limit is not None and self.state.seconds + self.state.validation_seconds > self.limit

    def interval(self, every: int) -> int:
        """Steps between validations, or checkpoints: as many validations as there is time for."""
        if self.limit is None or not self.state.validations:
            return every
        each = self.state.validation_seconds / self.state.validations
        affordable = min(MOST_VALIDATIONS, max(2, int(FOR_VALIDATIONS * self.limit / max(each, 1e-3))))
        fewer = self.last_step < self.settings.steps
        return max(-(-self.last_step // affordable), min(every, self.last_step // 12) if fewer else every, 1)

    def learning_rate(self, step: int) -> float:
        """The schedule ends with the last step."""
        if self.last_step == self.settings.steps:
            return learning_rate(self.settings, step)
        fewer = {"steps": self.last_step, "warmup": min(self.settings.warmup, self.last_step // 10)}
        return learning_rate(self.settings.model_copy(update=fewer), step)
