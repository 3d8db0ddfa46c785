"""A fixed flat map of a pack's commonest words, and the path of a sentence's tokens over it, layer by layer.

Vectors of deeper layers live elsewhere than embeddings: cosines between the two say little. So every word of the
map is run through the pack, too, among other words drawn by lot, and a token is compared with the words *at its own
stage*, after the mean of all of them is taken away.
"""

from dataclasses import dataclass

import numpy as np

from dhyan.core.errors import DhyanError, did_you_mean, shortened
from dhyan.explain.analyses.common_pieces import common_pieces
from dhyan.explain.analyses.neighbour_layout import neighbour_layout, neighbours_kept
from dhyan.explain.explainer import Explainer
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.explain.token_view import piece_of
from dhyan.explain.trace import Trace
from dhyan.model.architecture import Architecture

MOST_WORDS = 1200
ROW = 8  # words that are run together: each is seen in company, as in a sentence
ROUNDS = 4  # times that each word is run, every time in other company
AT_ONCE = 25  # rows
NEAREST = 6  # words of the map that a token is held by
SHARPNESS = 0.08  # the softmax of cosine / this says how firmly each holds it
SHOWN = 5  # of the nearest, by name
LATE = 2  # stages, the last ones, over which it is measured where two tokens part to


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a token's vector is looked at: `address[row]` is the vector."""

    name: str  # embedded, input (with its position), enc.0, enc.1, …
    address: str


@dataclass(frozen=True)
class MeaningMap:
    """Words in two layouts: `near`, where near means alike, and `plane`, the two directions of greatest variance."""

    stages: tuple[Stage, ...]
    ids: list[int]
    words: list[str]
    near: Array  # (words, 2)
    plane: Array  # (words, 2): where their embeddings stand
    kept: float  # share of each word's ten nearest that are among its ten nearest in `near`
    plane_kept: float
    share: tuple[float, float]  # of the variance of all stages together, along each axis of `plane`
    means: Array  # (stages, d_model)
    units: Array  # (stages, words, d_model): the words' vectors less the stage's mean, of length 1
    directions: Array  # (d_model, 2)

    def number(self, word: str) -> int:
        """Which word of the map this is, whatever its case."""
        known = {one.casefold(): number for number, one in enumerate(self.words)}
        wanted = word.strip().casefold()
        if wanted not in known:
            nearest = did_you_mean(wanted, known)
            raise DhyanError(f"'{shortened(word)}' is not on the map of {len(known)} words{nearest}.")
        return known[wanted]

    def between(self, across: str, up: str) -> Array:
        """(words, 2): a third layout, the cosines of every word's embedding with those of two words."""
        return np.asarray(self.units[0] @ self.units[0, [self.number(across), self.number(up)]].T)


@dataclass(frozen=True, slots=True)
class TokenPath:
    """One token on its way: where it stands at each stage, and the nearest words there with their cosines."""

    text: str
    id: int
    row: int  # its vector at a stage is `stage.address[row]`
    near: Array  # (stages, 2)
    plane: Array  # (stages, 2)
    cosines: Array  # (stages, words of the map)
    nearest: tuple[tuple[tuple[str, float], ...], ...]


def stages_of(a: Architecture) -> tuple[Stage, ...]:
    """The static embedding, then with its position and norm (where there are any), then after each layer."""
    stack, layers = ("enc", a.encoder_layers) if a.has_encoder else ("dec", a.decoder_layers)
    added = "added" if a.norm == "pre" else "normed"
    changed = a.positions in ("sinusoidal", "learned") or a.embedding_norm
    placed = [Stage("input", f"{stack}.input")] if changed else []
    return (
        Stage("embedded", f"{stack}.embedded"),
        *placed,
        *(Stage(f"{stack}.{layer}", f"{stack}.{layer}.ffn.{added}") for layer in range(layers)),
    )


def meaning_map(explainer: Explainer, most: int = MOST_WORDS) -> MeaningMap:
    """The map of a pack: a few seconds of work, always with the same result."""
    tokenizer = explainer.source_tokenizer
    ids = common_pieces(tokenizer, most)
    if len(ids) < 2:
        raise DhyanError(f"{explainer.pack.manifest.name} knows no whole words, so there is no map of them.")
    stages = stages_of(explainer.architecture)
    vectors = _in_company(explainer, ids, stages)  # (stages, words, d_model)
    means = vectors.mean(axis=1)
    units = _unit(vectors - means[:, None])
    flat = units.reshape(-1, units.shape[-1])
    variances, directions = np.linalg.eigh(flat.T @ flat)  # the smallest first
    directions = directions[:, :-3:-1]
    directions = directions * np.sign(directions[np.abs(directions).argmax(axis=0), range(2)])  # one of two signs
    plane = units[0] @ directions
    alike = np.mean([one @ one.T for one in units], axis=0)
    near = neighbour_layout(alike, plane)
    return MeaningMap(
        stages,
        ids,
        [piece_of(tokenizer, number) for number in ids],
        near,
        plane,
        neighbours_kept(alike, near),
        neighbours_kept(alike, plane),
        (float(variances[-1] / variances.sum()), float(variances[-2] / variances.sum())),
        means,
        units,
        directions,
    )


def paths(found: MeaningMap, explanation: Explanation) -> list[TokenPath]:
    """The way of each token of the given text, special ones left out."""
    tokens = [(row, token) for row, token in enumerate(explanation.source) if not token.special]
    rows = [row + explanation.first_source_row for row, _ in tokens]
    near, plane, alike, nearest = [], [], [], []
    for number, stage in enumerate(found.stages):
        units = _unit(explanation.array(stage.address)[rows] - found.means[number])  # (tokens, d_model)
        cosines = units @ found.units[number].T  # (tokens, words)
        best = np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]
        held = np.take_along_axis(cosines, best, axis=1)
        weights = np.exp((held - held[:, :1]) / SHARPNESS)
        weights /= weights.sum(axis=1, keepdims=True)
        near.append((weights[..., None] * found.near[best]).sum(axis=1))
        plane.append(units @ found.directions)
        alike.append(cosines)
        nearest.append(
            [
                tuple((found.words[word], float(cosine)) for word, cosine in zip(some, how, strict=True))
                for some, how in zip(best[:, :SHOWN].tolist(), held[:, :SHOWN].tolist(), strict=True)
            ]
        )
    return [
        TokenPath(
            token.text,
            token.id,
            row,
            np.stack([stage[index] for stage in near]),
            np.stack([stage[index] for stage in plane]),
            np.stack([stage[index] for stage in alike]),
            tuple(stage[index] for stage in nearest),
        )
        for index, (row, (_, token)) in enumerate(zip(rows, tokens, strict=True))
    ]


def parting(found: MeaningMap, first: TokenPath, second: TokenPath) -> tuple[list[tuple[str, float]], ...]:
    """Where two tokens part to: the words that the first has come nearer to than the second, and the other way round.

    Each with the difference of the two cosines, a mean over the last stages; neither token's own word is among them.
    """
    apart = (first.cosines - second.cosines)[-LATE:].mean(axis=0)  # (words,)
    own = {first.text.casefold(), second.text.casefold()}
    order = [number for number in np.argsort(-apart, kind="stable") if found.words[number].casefold() not in own]
    return (
        [(found.words[number], float(apart[number])) for number in order[:SHOWN]],
        [(found.words[number], float(-apart[number])) for number in order[::-1][:SHOWN]],
    )


def _in_company(explainer: Explainer, ids: list[int], stages: tuple[Stage, ...]) -> Array:
    """(stages, words, d_model): each word's mean vector over several rows of words drawn by lot."""
    a, model = explainer.architecture, explainer.model()
    drawn = np.random.default_rng(0)
    sums = np.zeros((len(stages), len(ids), a.d_model), dtype=np.float32)
    runs = np.zeros((len(ids), 1), dtype=np.float32)
    known = np.asarray(ids)
    width = min(ROW, len(ids))
    reads = a.special.around if a.has_encoder else a.special.begins_text
    front = len(a.special.source_prefix) if a.has_encoder else int(a.special.starts_text)
    for _ in range(ROUNDS):
        order = drawn.permutation(len(ids))
        order = np.concatenate([order, order[: -len(ids) % width]])  # the last row is filled up with the first words
        rows = order.reshape(-1, width)
        for begin in range(0, len(rows), AT_ONCE):
            here = rows[begin : begin + AT_ONCE]
            around = np.array([reads(row) for row in known[here].tolist()])  # (rows, positions)
            trace = _SomeStages({stage.address for stage in stages})
            if a.has_encoder:
                model.encode(trace, around)
            else:
                model.decode_without_logits(trace, around, None)
            for number, stage in enumerate(stages):
                vectors = trace.array(stage.address)
                np.add.at(sums[number], here, vectors[:, front : front + width])
            np.add.at(runs, here, 1)
    return sums / runs


class _SomeStages(Trace):
    """Keeps the few arrays that are wanted: a run of many rows has too many numbers to keep them all."""

    def __init__(self, wanted: set[str]) -> None:
        super().__init__()
        self.wanted = wanted

    def record(self, name: str, array: Array) -> Array:
        return super().record(name, array) if name in self.wanted else array


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.maximum(1e-12, np.linalg.norm(vectors, axis=-1, keepdims=True)))
