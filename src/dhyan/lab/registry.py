"""The experiments by name. Nothing heavy is imported until one is asked for."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from dhyan.errors import DhyanError, did_you_mean
from dhyan.lab.experiment import Experiment


@dataclass(frozen=True, slots=True)
class About:
    """What the list tells of an experiment. Its file, `<module>.py`, holds it as `EXPERIMENT`."""

    name: str
    line: str  # what it does, in one line
    claim: str  # what the notes say
    quick_seconds: int  # measured, on one core
    full_minutes: float
    live: bool = False  # quick enough to turn its knobs in a page: see live.py

    @property
    def module(self) -> str:
        return f"dhyan.lab.{self.name.replace('-', '_')}"


EXPERIMENTS = (
    About(
        "long-sentences",
        "recurrent models with and without attention, and a Transformer: quality by source length",
        "An RNN encoder–decoder squeezes the sentence into one vector and forgets early words in long sentences; "
        "attention lets each output look at every input.",
        60,
        20,
    ),
    About(
        "static-vs-context",
        "one vector for every 'bank' against one for each sentence, layer by layer",
        "A static embedding is an average meaning; self-attention turns it into a contextual one.",
        30,
        2,
    ),
    About(
        "no-parameters",
        "'piece of cake' with and without W_Q, W_K and W_V",
        "Self-attention without parameters learns nothing from data: 'piece of cake' would be translated word by "
        "word.",
        30,
        5,
    ),
    About(
        "sqrt-dk",
        "the variance of q·k by size, what it does to softmax and its gradient, and a model trained both ways",
        "A dot product of d-dimensional vectors has variance d·Var(x); dividing by √d keeps it at Var(x); without it "
        "softmax saturates in high dimensions.",
        20,
        1,
        live=True,
    ),
    About(
        "heads",
        "1, 2, 4 and 8 heads at equal size; what a real model's heads look at, and what each is worth",
        "One head sees one perspective; more heads, more perspectives.",
        40,
        10,
    ),
    About(
        "positions",
        "no positions, counting, one sine, sinusoidal, learned, rotary: word order, and longer than in training",
        "Self-attention has no order; counting is unbounded and discrete; sines and cosines of many frequencies are "
        "bounded and tell positions apart.",
        40,
        2,
        live=True,
    ),
    About(
        "norms",
        "batch against layer norm when sentences of different lengths are padded",
        "With padded sentences, the padding zeros distort batch norm's statistics; layer norm never sees other rows.",
        25,
        1,
        live=True,
    ),
    About(
        "parallel-training",
        "all words at once behind a mask against one word after another: the same gradients, how much time",
        "Autoregressive training would run the decoder once for each word (300 words × 16 rows: very slow); with "
        "teacher forcing all positions train in parallel.",
        25,
        1,
    ),
    About(
        "leak",
        "training without the mask: a wonderful loss, and then real generation",
        "Without a mask, parallel training leaks the future: the loss looks wonderful, inference fails.",
        25,
        1,
    ),
    About(
        "autoregressive",
        "the decoder word by word against all at once, and what a cache of keys and values saves",
        "The Transformer decoder is autoregressive at inference time and non-autoregressive at training time.",
        5,
        0.5,
        live=True,
    ),
    About(
        "alignment",
        "cross-attention as a dictionary: against hiding words, and against an alignment by hand",
        "Cross-attention is where the two sequences meet: I like eating ice-cream ↔ मुझे आइसक्रीम खाना पसंद है.",
        40,
        3,
    ),
)


def about(name: str) -> About:
    found = {one.name: one for one in EXPERIMENTS}
    if name not in found:
        hint = did_you_mean(name, found)
        raise DhyanError(f"there is no experiment '{name}'{hint}; `dhyan lab` lists them.")
    return found[name]


def experiment(name: str) -> Experiment[Any]:
    """The experiment itself, with all that it needs."""
    try:
        found: Experiment[Any] = import_module(about(name).module).EXPERIMENT
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        message = f"the experiment '{name}' trains models, which needs PyTorch: pip install \"dhyan[train]\"."
        raise DhyanError(message) from None
    return found
