"""The walk from a text to the next token and round again, as cards: a formula, the same with its numbers, a table.

Every number on a card is read from the explanation and has its address beside it. The terminal prints the cards.
"""

import math
from collections.abc import Iterator

import numpy as np

from dhyan.core.svg import number
from dhyan.explain.analyses.logit_lens import residual_stream
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import cosine
from dhyan.explain.token_view import Tokens
from dhyan.explain.views.answer_cards import answer_cards
from dhyan.explain.views.card import Card, first_numbers
from dhyan.explain.views.notation import formula_text, norm_formula
from dhyan.explain.views.stages import Where, check_where
from dhyan.model.architecture import Architecture

ACTIVATIONS = {  # activation → what the feed-forward part does between W_1 and W_2
    "relu": "max(0, W_1 x + b_1)",
    "gelu": "gelu(W_1 x + b_1)",
    "gelu-tanh": "gelu_tanh(W_1 x + b_1)",
    "swish": "swish(W_1 x + b_1)",
    "swiglu": "silu(W_1 x + b_1) · (W_G x + b_G)",
}


START_OF_WALK = Where()


def walk(explanation: Explanation, where: Where = START_OF_WALK) -> Iterator[Card]:
    """The cards in order. Encoder: one token of the given text. Decoder: the round that writes one token."""
    a = explanation.architecture
    check_where(explanation, where)
    stack = "enc" if a.has_encoder else "dec"
    layer = f"{stack}.{min(where.layer, (a.encoder_layers if a.has_encoder else a.decoder_layers) - 1)}"
    given = explanation.source if a.has_encoder else explanation.target
    token = where.token if a.has_encoder else explanation.first_row + where.step
    yield from _into_vectors(explanation, stack, given, token)
    if stack == "dec" and a.decoder_self == "ssru":
        yield from _recurrence(explanation, f"{layer}.ssru", token, given[token].text)
    else:
        yield from _attention(explanation, f"{layer}.self", where.head, token, given, given)
    yield from _feed_forward(explanation, f"{layer}.ffn", token, given[token].text)
    yield _layers(explanation, stack, token, given[token].text)
    if not a.has_decoder:
        yield from answer_cards(explanation)
        return
    row = explanation.first_row + where.step
    if a.has_cross:
        yield from _of_decoder(explanation, where, row)
    yield _choice(explanation, where.step)
    yield _round_again(explanation)


def _into_vectors(explanation: Explanation, stack: str, given: Tokens, row: int) -> Iterator[Card]:
    a = explanation.architecture
    rows = tuple(
        (given.words[token.word].text if index == given.words[token.word].start else "", token.text, str(token.id))
        for index, token in enumerate(given)
    )
    yield Card("Text → pieces → ids", headers=("word", "piece", "id"), rows=rows)
    embedded, name = explanation[f"{stack}.embedded[{row}]"], given[row].text
    root = math.sqrt(a.d_model)
    scaled = (f"[{first_numbers(embedded / root, 4)}] × {root:.3f}", f"= [{first_numbers(embedded)}]")
    yield Card(
        f"Embedding of '{name}'",
        formula_text("embedded" if a.embedding_scale else "embedded_unscaled"),
        scaled if a.embedding_scale else (f"[{first_numbers(embedded, 4)}]",),
        (f"{stack}.embedded[{row}]",),
    )
    summed = f"{stack}.{'summed' if a.embedding_norm else 'input'}[{row}]"
    if f"{stack}.positions" in explanation:
        yield Card(
            f"Position {row}",
            formula_text(a.positions),
            (
                f"[{first_numbers(embedded)}]",
                f"+ [{first_numbers(explanation[f'{stack}.positions[{row}]'])}]",
                f"= [{first_numbers(explanation[summed])}]",
            ),
            (f"{stack}.positions[{row}]", summed),
        )
    else:
        how = {
            "rotary": "queries and keys are turned by their position's angle",
            "alibi": "scores are lowered by the distance of query and key",
        }
        yield Card("Position", f"{a.positions}: nothing is added here; {how.get(a.positions, 'see the scores')}")
    if a.embedding_norm:
        yield _norm_of(explanation, f"{stack}.embedding_norm", summed, f"{stack}.input[{row}]", name, stack)


def _mask(scaled: float, masked: float) -> str:
    return "−∞" if math.isinf(masked) else "0" if masked == scaled else number(masked - scaled)


def _norm(explanation: Explanation, part: str, row: int, name: str) -> Card:
    """The norm of one row: in front of the part (pre) or behind its sum (post)."""
    before = f"{part}.{'input' if explanation.architecture.norm == 'pre' else 'added'}[{row}]"
    return _norm_of(explanation, f"{part}.norm", before, f"{part}.normed[{row}]", name, part)


def _norm_of(explanation: Explanation, norm: str, before: str, after: str, name: str, part: str) -> Card:
    """norm: address of its weights. before, after: of the row."""
    a = explanation.architecture
    x, gamma, result = explanation[before], explanation[f"{norm}.gamma"], explanation[after]
    first, g, y = (number(float(one[0]), 4) for one in (x, gamma, result))
    if a.norm_kind == "rms":
        size = number(math.sqrt(float((x * x).mean()) + a.norm_epsilon), 4)
        numbers, weights = (f"√(mean of x² + ε) = {size}", f"{first} / {size} · {g} = {y}"), [f"{norm}.gamma"]
    else:
        mean, size = number(float(x.mean()), 4), number(math.sqrt(float(x.var()) + a.norm_epsilon), 4)
        b = number(float(explanation[f"{norm}.beta"][0]), 4)
        numbers = f"μ = {mean}, √(σ² + ε) = {size}", f"({first} − {mean}) / {size} · {g} + {b} = {y}"
        weights = [f"{norm}.gamma", f"{norm}.beta"]
    return Card(
        f"{'RMS' if a.norm_kind == 'rms' else 'Layer'} norm of '{name}' ({part})",
        formula_text(norm_formula(a)),
        (*numbers, f"[{first_numbers(result)}]"),
        (after, *weights),
    )


def _attention(
    explanation: Explanation, part: str, head: int, row: int, queries: Tokens, keys: Tokens, predicting: str = ""
) -> Iterator[Card]:
    a, name = explanation.architecture, predicting or queries[row].text
    if a.norm == "pre":
        yield _norm(explanation, part, row, name)
    turned = "turned_" if a.rotary and part.endswith(".self") else ""
    of_head = f"{part}.h{head}"
    query = explanation[f"{of_head}.{turned}query[{row}]"]
    yield Card(
        f"q, k, v of '{name}' in {of_head}",
        ",  ".join(map(formula_text, ("query", "key", "value"))) + (",  then q and k are turned" if turned else ""),
        (
            f"W_Q, W_K, W_V: {a.d_head} × {a.d_model} each{_shared(a, head)}",
            f"q = [{first_numbers(query)}]",
            *(
                f"{short} = [{first_numbers(explanation[f'{of_head}.{full}[{min(row, len(keys) - 1)}]'])}]"
                for short, full in (("k", f"{turned}key"), ("v", "value"))
                if part.endswith(".self")
            ),
        ),
        tuple(f"{of_head}.{full}" for full in (f"{turned}query", f"{turned}key", "value")),
    )
    scores, scaled, masked, weights = (
        explanation[f"{of_head}.{which}[{row}]"] for which in ("scores", "scaled", "masked", "weights")
    )
    yield Card(
        f"Where '{name}' looks ({of_head})",
        f"softmax(q · k / √d_k + mask),  √d_k = √{a.d_head} = {math.sqrt(a.d_head):.3f}",
        (),
        tuple(f"{of_head}.{which}[{row}]" for which in ("scores", "scaled", "masked", "weights")),
        ("key", "q · k", "÷ √d_k", "mask", "softmax"),
        tuple(
            (
                token.text,
                number(float(scores[i])),
                number(float(scaled[i])),
                _mask(float(scaled[i]), float(masked[i])),
                number(float(weights[i]), 4),
            )
            for i, token in enumerate(keys)
        ),
    )
    yield Card(f"Everyone looks ({of_head})", "softmax(QKᵀ / √d_k)", matrix=f"{of_head}.weights")
    best = int(weights.argmax())
    value = explanation[f"{of_head}.value[{best}]"]
    yield Card(
        f"What '{name}' brings back from {of_head}",
        formula_text("mixed"),
        (
            f"{number(float(weights[best]), 4)} · [{first_numbers(value)}]  (from '{keys[best].text}') + …",
            f"= [{first_numbers(explanation[f'{of_head}.mixed[{row}]'])}]",
        ),
        (f"{of_head}.mixed[{row}]",),
    )
    every = explanation[f"{part}.weights[:,{row},:]"]  # (heads, keys)
    yield Card(
        f"All heads of {part}",
        formula_text("output"),
        (f"[{first_numbers(explanation[f'{part}.output[{row}]'])}]",),
        (f"{part}.share", f"{part}.output[{row}]"),
        ("head", "looks most at", "weight", "size of its share"),
        tuple(
            (
                f"h{h}",
                keys[int(seen.argmax())].text,
                number(float(seen.max()), 4),
                number(float(np.linalg.norm(explanation[f"{part}.h{h}.share[{row}]"]))),
            )
            for h, seen in enumerate(every)
        ),
    )
    yield _sum(explanation, part, row)
    if a.norm == "post":
        yield _norm(explanation, part, row, name)


def _shared(a: Architecture, head: int) -> str:
    """Which heads have W_K and W_V in common, in words."""
    shared_by = a.heads // a.stored_heads
    first = head - head % shared_by
    return f"; h{first} to h{first + shared_by - 1} share W_K and W_V" if shared_by > 1 else ""


def _recurrence(explanation: Explanation, part: str, row: int, name: str) -> Iterator[Card]:
    """A recurrent unit in place of self-attention: no heads, one state that is handed on from token to token."""
    a = explanation.architecture
    if a.norm == "pre":
        yield _norm(explanation, part, row, name)
    forget, candidate, cell = (explanation[f"{part}.{which}[{row}]"] for which in ("forget", "candidate", "cell"))
    f, u, c = (float(one[0]) for one in (forget, candidate, cell))
    state = float(explanation[f"{part}.cell[{row - 1},0]"]) if row else 0.0
    yield Card(
        f"What '{name}' keeps and takes ({part})",
        ",  ".join(map(formula_text, ("forget", "candidate"))),
        (f"f = [{first_numbers(forget)}]", f"u = [{first_numbers(candidate)}]"),
        (f"{part}.forget[{row}]", f"{part}.candidate[{row}]"),
    )
    yield Card(
        f"The state is handed on ({part})",
        f"{formula_text('cell')},  then {formula_text('state')}",
        (
            f"{number(f, 4)} · {number(state, 4)} + {number(1 - f, 4)} · {number(u, 4)} = {number(c, 4)}",
            f"[{first_numbers(explanation[f'{part}.output[{row}]'])}]",
        ),
        (f"{part}.cell[{row}]", f"{part}.output[{row}]"),
    )
    yield _sum(explanation, part, row)
    if a.norm == "post":
        yield _norm(explanation, part, row, name)


def _sum(explanation: Explanation, part: str, row: int) -> Card:
    return Card(
        f"Residual: what came in is added ({part})",
        formula_text("added") if not part.endswith("ffn") else "x + FFN(x)",
        (
            f"[{first_numbers(explanation[f'{part}.input[{row}]'])}]",
            f"+ [{first_numbers(explanation[f'{part}.output[{row}]'])}]",
            f"= [{first_numbers(explanation[f'{part}.added[{row}]'])}]",
        ),
        (f"{part}.added[{row}]",),
    )


def _feed_forward(explanation: Explanation, part: str, row: int, name: str) -> Iterator[Card]:
    a = explanation.architecture
    hidden = explanation[f"{part}.hidden[{row}]"]
    yield Card(
        f"Feed-forward of '{name}' ({part})",
        f"W_2 · {ACTIVATIONS[a.activation]} + b_2",
        (
            f"{a.d_model} → {a.d_ff} → {a.d_model}",
            f"W_1 x + b_1 = [{first_numbers(explanation[f'{part}.widened[{row}]'])}]",
            f"after the activation [{first_numbers(hidden)}]; {(np.abs(hidden) > 1e-6).sum()} of {a.d_ff} are not 0",
            f"W_2 … = [{first_numbers(explanation[f'{part}.output[{row}]'])}]",
        ),
        (f"{part}.widened[{row}]", f"{part}.hidden[{row}]", f"{part}.output[{row}]"),
    )
    yield _sum(explanation, part, row)
    if a.norm == "post":
        yield _norm(explanation, part, row, name)


def _layers(explanation: Explanation, stack: str, row: int, name: str) -> Card:
    found = [stream[row] for stream in residual_stream(explanation, stack)]
    return Card(
        f"'{name}' through all layers: a static vector becomes one in context",
        "cosine with what it was before the first layer",
        headers=("after", "length", "cosine"),
        rows=tuple(
            (
                f"{stack}.input" if i == 0 else f"{stack}.{i - 1}",
                number(float(np.linalg.norm(vector))),
                number(cosine(found[0], vector), 4),
            )
            for i, vector in enumerate(found)
        ),
        addresses=(f"{stack}.output[{row}]",),
    )


def _of_decoder(explanation: Explanation, where: Where, row: int) -> Iterator[Card]:
    layer = min(where.layer, explanation.architecture.decoder_layers - 1)
    name = f"→ {explanation.predicted[row].text}"
    if explanation.architecture.decoder_self == "ssru":
        yield from _recurrence(explanation, f"dec.{layer}.ssru", row, name)
    else:
        of_head = f"dec.{layer}.self.h{where.head}"
        yield Card(
            f"The decoder looks back, never ahead ({of_head})",
            "softmax(QKᵀ / √d_k + M), M = −∞ above the diagonal; a row is computed while predicting → its name",
            matrix=f"{of_head}.weights",
        )
    yield from _attention(
        explanation, f"dec.{layer}.cross", where.head, row, explanation.target, explanation.source, name
    )
    yield from _feed_forward(explanation, f"dec.{layer}.ffn", row, name)
    yield _layers(explanation, "dec", row, name)


def _choice(explanation: Explanation, step: int) -> Card:
    found = explanation.guessed(step)
    logits = explanation[f"dec.out.logits[{found.row}]"]
    top = float(logits.max())
    total = float(np.exp(logits.astype(np.float64) - top).sum())
    return Card(
        f"Step {step}: the next token",
        f"exp(logit − {number(top)}) / Σ,  Σ over {logits.size:,} pieces = {total:.4f}",
        (f"written: {found.chosen.text} ({found.chosen.probability:.4f}){' — forced' if found.forced else ''}",),
        (f"dec.out.logits[{found.row}]", f"dec.out.probs[{found.row}]"),
        ("piece", "logit", "exp(logit − max)", "probability"),
        tuple(
            (
                guess.text,
                number(float(logits[guess.id])),
                f"{math.exp(float(logits[guess.id]) - top):.4f}",
                f"{guess.probability:.4f}",
            )
            for guess in found.guesses
        ),
    )


def _round_again(explanation: Explanation) -> Card:
    rows = tuple(
        (
            str(step.step),
            step.chosen.text + (" (forced)" if step.forced else ""),
            f"{step.chosen.probability:.4f}",
            "  ".join(f"{guess.text} {guess.probability:.3f}" for guess in step.guesses[:4]),
        )
        for step in explanation.steps
    )
    how = f"a beam of {explanation.question.beam}" if explanation.question.beam > 1 else "the top token each time"
    how = "the text was given" if explanation.search is None else how
    return Card(
        "And round again", how, (f"→ {explanation.text}",), (), ("step", "written", "probability", "top tokens"), rows
    )
