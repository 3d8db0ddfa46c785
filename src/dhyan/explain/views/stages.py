"""The walk as the page shows it, one number per card: where it stands, and which function computes it.

The page draws the cards and works each number out again. Titles and notes are English, and the page's to translate.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.explain import formulas
from dhyan.explain.analyses.logit_lens import logit_lens
from dhyan.explain.explanation import Explanation
from dhyan.explain.known_words import words_logits
from dhyan.explain.label_scores import answer_address
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.text.tokenizer import Tokenizer

# code id → the function whose lines are shown beside the number
CODE: dict[str, Callable[..., Any]] = {
    "encode": Tokenizer.encode,
    "embed": NumpyTransformer.embed,
    "positions": formulas.positional_encoding,
    "rotate": formulas.rotate,
    "layer_norm": formulas.layer_norm,
    "rms_norm": formulas.rms_norm,
    "attend": NumpyTransformer.attend,
    "attention": formulas.attention,
    "causal_mask": formulas.causal_mask,
    "softmax": formulas.softmax,
    "sigmoid": formulas.sigmoid,
    "recur": NumpyTransformer.recur,
    "add_and_norm": NumpyTransformer.add_and_norm,
    "feed_forward": NumpyTransformer.feed_forward,
    "encoder": NumpyTransformer.encode,
    "decoder": NumpyTransformer.through_decoder,
    "logits": NumpyTransformer.logits,
    "step": NumpyTransformer.step,
    "lens": logit_lens,
    "pool": NumpyTransformer.pool,
    "hidden_layer": NumpyTransformer.hidden_layer,
    "words": words_logits,
}


@dataclass(frozen=True, slots=True)
class Where:
    """What the walk looks at: a token, a layer, a head, a step of the decoder, a component of vectors."""

    token: int = 0
    layer: int = 0
    head: int = 0
    step: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """One card. What is shown as its title is `title` in the reader's language, then `detail` as it is."""

    title: str
    detail: str = ""
    note: str = ""
    address: str = ""  # of the number; empty where the card is about tokens
    array: str = ""  # of the row or matrix around it
    code: str = ""  # id in CODE
    shape: str = ""  # of the array that the number is from; {words} in braces are the page's to translate
    tokens: Literal["source", "target"] | None = None  # show these tokens, and `token` among them
    token: int | None = None
    step: int | None = None  # show the written tokens, and this one among them


def check_where(explanation: Explanation, where: Where) -> None:
    a = explanation.architecture
    layers = max(a.encoder_layers * a.has_encoder, a.decoder_layers * a.has_decoder)
    most = {
        "token": len(explanation.source),
        "layer": layers,
        "head": a.heads,
        "step": max(1, len(explanation.written)),
        "column": a.d_head,
    }
    for name, count in most.items():
        value = getattr(where, name)
        if not 0 <= value < count:
            raise DhyanError(f"there is no {name} {value} here: they go from 0 to {count - 1}.")


def stages(explanation: Explanation, where: Where) -> Iterator[Stage]:
    """From the text to the next token: all of it, in order."""
    check_where(explanation, where)
    a = explanation.architecture
    if a.has_encoder:
        yield from _stack(explanation, "enc", where.token, where)
    if a.has_decoder:
        row = explanation.first_row + where.step
        yield from _stack(explanation, "dec", row, where)
        yield from _choice(explanation, where.step, row)
    else:
        yield from _sentence(explanation, where.column)


def _stack(explanation: Explanation, stack: Literal["enc", "dec"], row: int, where: Where) -> Iterator[Stage]:
    a = explanation.architecture
    layers = a.encoder_layers if stack == "enc" else a.decoder_layers
    layer = f"{stack}.{min(where.layer, layers - 1)}"
    yield from _input(explanation, stack, row, where.column)
    if stack == "dec" and a.decoder_self == "ssru":
        yield from _recurrence(explanation, f"{layer}.ssru", row, where.column)
    else:
        yield from _attention(explanation, f"{layer}.self", where, row)
    if stack == "dec" and a.has_cross:
        yield from _attention(explanation, f"{layer}.cross", where, row)
    yield from _feed_forward(explanation, f"{layer}.ffn", row, where.column)
    yield _number(
        explanation,
        f"{stack}.output",
        (row, where.column),
        "Through all layers",
        f" ({layers}, {stack})",
        "encoder" if stack == "enc" else "decoder",
        "The same again, layer by layer: a static vector becomes one in context.",
    )


def _number(
    explanation: Explanation,
    array: str,  # enc.0.self.h1.query
    index: tuple[int, ...],
    title: str,
    detail: str,
    code: str,
    note: str = "",
    around: str | None = None,  # the address to show around the number; its row unless said otherwise
    shaped: bool = True,
) -> Stage:
    cells = ",".join(map(str, index))
    name = array if ".h" not in array else f"{array.split('.h')[0]}.{array.rpartition('.')[2]}"
    shape = f"{name} {' × '.join(map(str, explanation.array(name).shape))}" if shaped else ""
    address = f"{array}[{cells}]"
    return Stage(title, detail, note, address, around or f"{array}[{index[0]}]", code, shape)


def _input(explanation: Explanation, stack: Literal["enc", "dec"], row: int, column: int) -> Iterator[Stage]:
    a = explanation.architecture
    yield Stage(
        "Text → pieces → ids" if stack == "enc" else "What the decoder reads",
        note="Words are cut into pieces that the vocabulary knows; each has a number.",
        code="encode",
        tokens="source" if stack == "enc" else "target",
        token=row,
    )
    yield Stage(
        "Embedding × √d_model" if a.embedding_scale else "Embedding",
        note="The id picks a row of the table E. This vector knows the piece, and nothing around it.",
        address=f"{stack}.embedded[{row},{column}]",
        array=f"{stack}.embedded[{row}]",
        code="embed",
        shape=f"E: {{vocabulary}} × {a.d_model}",
    )
    if f"{stack}.positions" in explanation:
        code = "positions" if a.positions == "sinusoidal" else "embed"
        note = "Attention itself has no order: adding this gives each token its position."
        yield _number(explanation, f"{stack}.positions", (row, column), "Position", "", code, note)
    if a.embedding_norm:
        yield _number(explanation, f"{stack}.summed", (row, column), "Sum of both", "", "embed")
        yield _norm(explanation, f"{stack}.input", stack, row, column)
    else:
        yield _number(explanation, f"{stack}.input", (row, column), "Sum: X", "", "embed")


def _norm(explanation: Explanation, array: str, part: str, row: int, column: int) -> Stage:
    index, detail = (row, column), f" ({part})"
    if explanation.architecture.norm_kind == "rms":
        note = "A token's own features are divided by their root mean square, then multiplied by γ, which was learnt."
        return _number(explanation, array, index, "RMS norm", detail, "rms_norm", note)
    note = "A token's own features get mean 0 and deviation 1, then γ and β, which were learnt."
    return _number(explanation, array, index, "Layer norm", detail, "layer_norm", note)


def _attention(explanation: Explanation, part: str, where: Where, row: int) -> Iterator[Stage]:
    a, head, column = explanation.architecture, f"{part}.h{where.head}", where.column
    weights = explanation[f"{head}.weights[{row}]"]
    key = int(weights.argmax())
    cross = part.endswith(".cross")
    of_keys = key if cross else row
    keys = explanation.source if cross or part.startswith("enc") else explanation.target
    label, of_part = keys[key].text, f" ({part})"

    def number(array: str, *said: Any, **more: Any) -> Stage:
        return _number(explanation, f"{head}.{array}", *said, **more)

    if a.norm == "pre":
        yield _norm(explanation, f"{part}.normed", part, row, column)
    offered = "k: what the source offers" if cross else "k: what it offers"
    yield number("query", (row, column), "q: what it looks for", of_part, "attend")
    yield number("key", (of_keys, column), offered, of_part, "attend")
    yield number("value", (of_keys, column), "v: what it hands over", of_part, "attend")
    if f"{part}.turned_query" in explanation:
        yield number("turned_query", (row, column), "q turned by its position", "", "rotate")
    note = "How well what is looked for fits what is offered; here the key that gets most."
    yield number("scores", (row, key), "", f"q · k → {label}{of_part}", "attention", note)
    note = "Long vectors have large products; dividing keeps softmax from becoming a choice of one."
    yield number("scaled", (row, key), "", f"÷ √d_k{of_part}", "attention", note, shaped=False)
    if part.startswith("dec") and not cross:
        ahead = min(row + 1, len(weights) - 1)
        note = "What comes later is −∞, so that softmax makes it exactly 0."
        title, around = "The mask: never look ahead", f"{head}.masked"
        yield number("masked", (row, ahead), title, of_part, "causal_mask", note, around=around, shaped=False)
    note = "Scores become shares of 1."
    yield number("weights", (row, key), "", f"softmax{of_part}", "softmax", note, around=f"{head}.weights")
    note = "The values, mixed by their weights: what this head brings back."
    yield number("mixed", (row, column), "", f"Σ w · v{of_part}", "attention", note)
    yield number("share", (row, column), "A head's share of W_O", of_part, "attend")
    note = "Putting the heads side by side and multiplying by W_O is adding up their shares."
    yield _number(explanation, f"{part}.output", (row, column), "All heads together", of_part, "attend", note)
    yield from _residual(explanation, part, row, column)


def _recurrence(explanation: Explanation, part: str, row: int, column: int) -> Iterator[Stage]:
    """A recurrent unit in place of self-attention: no heads, and one state that is handed on."""
    if explanation.architecture.norm == "pre":
        yield _norm(explanation, f"{part}.normed", part, row, column)
    for array, title, note in (
        ("forget", "f: how much of the state is kept", "In place of self-attention: a recurrent unit has no heads."),
        ("candidate", "u: what the token brings itself", ""),
        ("cell", "The state that is handed on", "f of the state before, and the rest from the token itself."),
        ("output", "What the unit gives: the state, 0 where it is negative", ""),
    ):
        yield _number(explanation, f"{part}.{array}", (row, column), title, f" ({part})", "recur", note)
    yield from _residual(explanation, part, row, column)


def _residual(explanation: Explanation, part: str, row: int, column: int) -> Iterator[Stage]:
    title, index = "Residual: what came in is added", (row, column)
    yield _number(explanation, f"{part}.added", index, title, f" ({part})", "add_and_norm", shaped=False)
    if explanation.architecture.norm == "post":
        yield _norm(explanation, f"{part}.normed", part, row, column)


def _feed_forward(explanation: Explanation, part: str, row: int, column: int) -> Iterator[Stage]:
    if explanation.architecture.norm == "pre":
        yield _norm(explanation, f"{part}.normed", part, row, column)
    note = "Each token on its own, no other in sight."
    for array, title, said in (
        ("widened", "Feed-forward: wider", note),
        ("hidden", "Feed-forward: the bend", ""),
        ("output", "Feed-forward: back", ""),
    ):
        yield _number(explanation, f"{part}.{array}", (row, column), title, f" ({part})", "feed_forward", said)
    yield from _residual(explanation, part, row, column)


def _choice(explanation: Explanation, step: int, row: int) -> Iterator[Stage]:
    chosen = explanation.steps[step].chosen
    logits, probs = (
        f"dec.out.{name} {' × '.join(map(str, explanation.array(f'dec.out.{name}').shape))}"
        for name in ("logits", "probs")
    )
    title = "Logits: one for each piece of the vocabulary"
    yield Stage(title, address=f"dec.out.logits[{row},{chosen.id}]", code="logits", shape=logits)
    note = "The next token's probability."
    yield Stage("", f"softmax → {chosen.text}", note, address=chosen.address, code="softmax", shape=probs)
    note = "The chosen token goes back in, and the decoder reads one token more."
    yield Stage("The choice, and round again", note=note, code="step", step=step)


def _sentence(explanation: Explanation, column: int) -> Iterator[Stage]:
    """What stands on an encoder alone: the sentence's vector, and its label."""
    a = explanation.architecture
    note = "The mean over its tokens." if a.pooling == "mean" else "The first token's vector stands for all of it."
    code = "encoder" if a.pooling == "mean" else "pool"
    yield Stage("The sentence's vector", note=note, address=f"pool[{column}]", array="pool", code=code)
    if a.labels and a.classifier_hidden != "none":
        title, address = "The classifier's hidden layer", f"cls.hidden[{column}]"
        yield Stage(title, address=address, array="cls.hidden", code="hidden_layer")
    if explanation.labels:
        kind, answer = explanation.label_kind, answer_address(explanation.label_kind)
        best = 0 if kind == "number" else int(np.argmax(explanation.array(answer)))
        label = explanation.pack.manifest.labels[best]
        title, function = "Logit of the label", "sigmoid" if kind == "several" else "softmax"
        if kind != "number" or "cls.words" in explanation:
            title = "What the Transformer finds" if kind == "number" else title
            yield Stage(title, f" {label}", address=f"cls.logits[{best}]", array="cls.logits", code="encoder")
        if "cls.words" in explanation:
            title, note = "What the words add", "Each known word counts by itself, whatever stands around it."
            yield Stage(title, f" {label}", note, address=f"cls.words[{best}]", array="cls.words", code="words")
        if kind == "number":
            yield Stage("The number", f" {explanation.text}", address=f"{answer}[0]", array=answer, code="encoder")
        else:
            yield Stage("", f"{function} → {label}", address=f"{answer}[{best}]", array=answer, code=function)
