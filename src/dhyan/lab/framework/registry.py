"""The experiments by name. Nothing heavy is imported until one is asked for."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.lab.framework.experiment import Experiment


@dataclass(frozen=True, slots=True)
class About:
    """What the list tells of an experiment. Its file, `<module>.py`, holds it as `EXPERIMENT`."""

    name: str
    line: str  # what it does, in one line
    claim: str  # what the notes say
    quick_seconds: int  # measured, on one core
    full_minutes: float
    live: bool = False  # quick enough to turn its knobs in a page: see live.py
    question: str = ""  # what one may ask oneself first
    method: str = ""  # how it is measured; docs/measured/lab has it at length

    @property
    def module(self) -> str:
        return f"dhyan.lab.experiments.{self.name.replace('-', '_')}"


EXPERIMENTS = (
    About(
        "long-sentences",
        "recurrent models with and without attention, and a Transformer: quality by source length",
        "An RNN encoder–decoder squeezes the sentence into one vector and forgets early words in long sentences; "
        "attention lets each output look at every input.",
        75,
        8,
        question="Does a translator that keeps a sentence in one vector forget half of it?",
        method=(
            "Three translators of equal size learn the same made-up language from the same batches: a GRU "
            "that hands over one vector, the same with attention, and a Transformer. Then each translates new "
            "sentences, and right words are counted by the sentence's length."
        ),
    ),
    About(
        "static-vs-context",
        "one vector for every 'bank' against one for each sentence, layer by layer",
        "A static embedding is an average meaning; self-attention turns it into a contextual one.",
        5,
        0.2,
        question="Does a word have one meaning, or one for each sentence?",
        method=(
            "Sentences with two senses of 'bank' and of 'apple' go through the English→Hindi encoder. Behind "
            "each layer it is asked whether the nearest other vector of the word has the same sense. And a "
            "vector is learnt from nine fruits to one company."
        ),
    ),
    About(
        "no-parameters",
        "'piece of cake' with and without W_Q, W_K and W_V",
        "Self-attention without parameters learns nothing from data: 'piece of cake' would be translated word by "
        "word.",
        30,
        3,
        question="What is left of attention without W_Q, W_K and W_V?",
        method=(
            "The same three words are a phrase in half of the sentences and three single words in the other "
            "half. Attention without parameters and attention with them, equally large in all, learn to tell "
            "which."
        ),
    ),
    About(
        "sqrt-dk",
        "the variance of q·k by size, what it does to softmax and its gradient, and a model trained both ways",
        "A dot product of d-dimensional vectors has variance d·Var(x); dividing by √d keeps it at Var(x); without it "
        "softmax saturates in high dimensions.",
        15,
        1,
        live=True,
        question="Why are scores divided by √d_k, and what if they were not?",
        method=(
            "First the law, without training: dot products of random queries and keys, their variance, and "
            "what softmax makes of them. Then one attention layer learns to say words backwards, with the "
            "division and without, from the same weights."
        ),
    ),
    About(
        "heads",
        "1, 2, 4 and 8 heads at equal size; what a real model's heads look at, and what each contributes",
        "One head sees one perspective; more heads, more perspectives.",
        80,
        6,
        question="Do more heads see more?",
        method=(
            "One layer is asked for four relations at once, with 1, 2, 4 and 8 heads that share the same "
            "parameters. Then the heads of the English→Hindi pack: where their weights go, whether they follow "
            "grammar, and what switching each off costs in chrF."
        ),
    ),
    About(
        "positions",
        "no positions, counting, one sine, sinusoidal, learned, rotary: word order, and longer than in training",
        "Self-attention has no order; counting is unbounded and discrete; sines and cosines of many frequencies are "
        "bounded and tell positions apart.",
        35,
        2,
        live=True,
        question="How does a model know which word comes first?",
        method=(
            "Six positional encodings. Without training: how long their vectors get, how near two "
            "positions come, and whether a sentence said backwards looks different. Trained: who was killed, and "
            "which letter stands before, also in texts longer than any in training."
        ),
    ),
    About(
        "norms",
        "batch against layer norm when sentences of different lengths are padded",
        "With padded sentences, the padding zeros distort batch norm's statistics; layer norm never sees other rows.",
        20,
        1,
        live=True,
        question="What do the neighbours in a batch do to a sentence?",
        method=(
            "A sentence stands in a batch beside a longer and longer one, so that more and more of the batch "
            "is padding: how far do its own numbers move after each norm? Then the same small encoder is "
            "trained with each."
        ),
    ),
    About(
        "parallel-training",
        "all words at once behind a mask against one word after another: the same gradients, how much time",
        "Autoregressive training would run the decoder once for each word (300 words × 16 rows: very slow); with "
        "teacher forcing all positions train in parallel.",
        30,
        1,
        question="What does training all words at once save, and does it change anything?",
        method=(
            "The gradients of one encoder–decoder, computed for all target words at once behind the mask, and "
            "again one word after another. They are compared in double precision, and timed by the length of "
            "the target."
        ),
    ),
    About(
        "leak",
        "training without the mask: a wonderful loss, and then real generation",
        "Without a mask, parallel training leaks the future: the loss looks wonderful, inference fails.",
        20,
        1,
        question="What does a model learn that may look at the answer?",
        method=(
            "Targets end in digits that no source tells, so that nobody who cannot see the future gets below "
            "a known loss. The same model is trained with the mask and without; then both write by "
            "themselves."
        ),
    ),
    About(
        "autoregressive",
        "the decoder word by word against all at once, and what a cache of keys and values saves",
        "The Transformer decoder is autoregressive at inference time and non-autoregressive at training time.",
        5,
        0.5,
        live=True,
        question="Does a decoder say the same word by word and all at once, and what does a cache save?",
        method=(
            "A decoder of random weights computes its logits for all words in one pass behind the mask, for "
            "growing prefixes, and word by word with a cache of keys and values. Then the two ways to write "
            "are timed, and their multiplications counted."
        ),
    ),
    About(
        "alignment",
        "cross-attention as a dictionary: against hiding words, and against an alignment by hand",
        "Cross-attention is where the two sequences meet: I like eating ice-cream ↔ मुझे आइसक्रीम खाना पसंद है.",
        15,
        0.2,
        question="Does cross-attention know which word comes from which?",
        method=(
            "The English→Hindi pack is made to write sentences that were aligned by hand. The head that "
            "agrees best with hiding words links each Hindi word with an English one; its links are compared "
            "with those by hand."
        ),
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
