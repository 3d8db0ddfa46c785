"""A real translator's heads: where each looks, and what switching it off costs."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from dhyan.core.errors import DhyanError
from dhyan.core.metrics import translation_scores
from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END
from dhyan.explain.address import attention_parts
from dhyan.explain.analyses.head_stats import diagonal
from dhyan.explain.explanation import Explanation
from dhyan.lab.data.parallel_sentences import PAIRS
from dhyan.lab.framework.experiment import Numbers
from dhyan.lab.framework.inputs import open_translator
from dhyan.lab.framework.seed_stats import mean
from dhyan.model.generation.batched import search_ids
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.layers import MultiHeadAttention
from dhyan.model.transformer import Transformer

SPECIALIST = 0.4  # the share of its weights that a head must give to one kind of position to be named after it


def open_heads(pack: str, sentences: int, only: str, seed: int, report: Progress) -> Numbers:
    """Where each head looks, and what switching it off costs: on sentences that the seed draws."""
    explainer = open_translator(pack)
    pairs = random.Random(seed).sample(PAIRS, sentences)
    model = Transformer(explainer.architecture)
    model.load_weights(explainer.pack.weights)
    model.eval()
    sources = [[*explainer.source_tokenizer.encode(english), END] for english, _ in pairs]

    def chrf() -> float:
        written = [found[0].ids for found in search_ids(model, sources, GenerationSettings(beam=1))]
        texts = [explainer.target_tokenizer.decode(ids) for ids in written]
        score: float = translation_scores(texts, [hindi for _, hindi in pairs])["chrf"]
        return score

    every = [f"{part}.h{h}" for part in attention_parts(model.architecture) for h in range(model.architecture.heads)]
    names = [name for name in every if name.startswith(only)]
    if not names:
        raise DhyanError(f"only = '{only}': no head's name begins so; they are {every[0]} to {every[-1]}.")
    traces = [explainer.explain(english, beam=1) for english, _ in pairs]
    found: dict[str, Numbers] = {}
    with report.working(f"heads of {pack}, seed {seed}", len(names)) as progress:
        for done, name in enumerate(names, start=1):
            with switched_off(model, name):
                off = chrf()
            found[name] = {"chrf": off, "looks": mean_looks(traces, name)}
            progress(done, head=name)
    return {"chrf": chrf(), "heads": found}


@contextmanager
def switched_off(model: Transformer, head: str) -> Iterator[None]:
    """A head's share of W_O is zero for a while: nothing of what it has mixed goes on."""
    part, _, number = head.rpartition(".h")
    attention = model.get_submodule(part)
    assert isinstance(attention, MultiHeadAttention)
    kept = attention.W_O[:, int(number)].detach().clone()  # (d_model, d_head)
    with torch.no_grad():
        attention.W_O[:, int(number)] = 0
        try:
            yield
        finally:
            attention.W_O[:, int(number)] = kept


def mean_looks(traces: Sequence[Explanation], head: str) -> dict[str, float]:
    found = [looks_at(trace, head) for trace in traces]
    return {kind: mean([one[kind] for one in found]) for kind in found[0]}


def looks_at(trace: Explanation, head: str) -> dict[str, float]:
    """The mean share of a head's weights that goes to each kind of position.

    In self-attention: the token itself, its neighbours, the other pieces of its word, and the marks. Across: the end
    mark, and the position of the source that stands as far along as the target's.
    """
    weights = trace[f"{head}.weights"]  # (queries, keys)
    if ".cross." in head:
        along = np.linspace(0, weights.shape[1] - 2, weights.shape[0]).round().astype(int)
        return {
            "the same position": float(weights[np.arange(len(along)), along].mean()),
            "the end mark": float(weights[:, -1].mean()),
        }
    tokens = trace.source if head.startswith("enc") else trace.target
    words = np.array([token.word for token in tokens])
    same_word = (words[:, None] == words) & (np.abs(np.arange(len(words))[:, None] - np.arange(len(words))) > 1)
    mark = weights[:, -1] if head.startswith("enc") else weights[1:, 0]
    return {
        "itself": diagonal(weights, 0),
        "the previous token": diagonal(weights, -1),
        **({"the next token": diagonal(weights, 1)} if head.startswith("enc") else {}),
        "further in the same word": float((weights * same_word).sum(axis=1).mean()),
        "the end mark" if head.startswith("enc") else "the start mark": float(mark.mean()) if mark.size else 0.0,
    }


def speciality(looks: Sequence[dict[str, float]]) -> str:
    """The kind of position that gets the largest share, if that is large enough to speak of."""
    kind, value = _largest(looks)
    return kind if value >= SPECIALIST else "spread out"


def share(looks: Sequence[dict[str, float]]) -> float:
    return _largest(looks)[1]


def by_speciality(
    names: Sequence[str], looks: dict[str, list[dict[str, float]]], cost: dict[str, list[float]]
) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(speciality(looks[name]), []).append(name)
    ordered = sorted(groups.items(), key=lambda group: (group[0] == "spread out", -len(group[1])))
    return [
        [kind, str(len(heads)), f"{mean([mean(cost[head]) for head in heads]):+.2f}", _few(heads)]
        for kind, heads in ordered
    ]


def _largest(looks: Sequence[dict[str, float]]) -> tuple[str, float]:
    means = {kind: mean([one[kind] for one in looks]) for kind in looks[0]}
    kind = max(means, key=lambda one: means[one])
    return kind, means[kind]


def _few(heads: Sequence[str]) -> str:
    return ", ".join(heads[:5]) + (f" and {len(heads) - 5} more" if len(heads) > 5 else "")
