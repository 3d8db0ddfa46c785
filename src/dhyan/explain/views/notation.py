"""The formulas of the walk, written once: the terminal prints them as text, the page draws them as MathML.

A formula is a sequence of symbols (`"x"`, `"="`) and of tuples for what is not written on one line: fractions,
indices, powers, roots, sums, words. The page gets exactly these.
"""

from collections.abc import Sequence
from typing import Any

from dhyan.model.architecture import Architecture

Symbol = Any  # str, or a tuple ("frac" | "sub" | "sup" | "sqrt" | "sum" | "word" | "row", *symbols)

TIGHT_BEFORE, TIGHT_AFTER = ("(", "[", ")", "]", ","), ("(", "[")


def row(*inside: Symbol) -> Symbol:
    return ("row", *inside)


def frac(top: Symbol, bottom: Symbol) -> Symbol:
    return ("frac", top, bottom)


def sub(base: Symbol, below: Symbol) -> Symbol:
    return ("sub", base, below)


def sup(base: Symbol, above: Symbol) -> Symbol:
    return ("sup", base, above)


def root(*inside: Symbol) -> Symbol:
    return ("sqrt", *inside)


def sum_over(below: Symbol, *inside: Symbol) -> Symbol:
    return ("sum", below, *inside)


def word(text: str) -> Symbol:
    return ("word", text)


def linear(result: str, name: str) -> list[Symbol]:
    return [result, "=", sub("W", name), "x", "+", sub("b", name)]


SCALED = frac(row("q", "·", "k"), root(sub("d", "k")))
HEAD_OUTPUT = (sub("z", "h"), sub("W", "O"), "[", "h", "]")
POSITION = frac("p", sup("10000", row("2i", "/", "d")))
MEAN_SQUARE = row(frac("1", "d"), sum_over("i", sup(sub("x", "i"), "2")))
FIRST_LAYER = (sub("W", "1"), "x", "+", sub("b", "1"))

FORMULAS: dict[str, Sequence[Symbol]] = {
    "embedded": ["x", "=", "E", "[", word("id"), "]", "·", root(sub("d", "model"))],
    "embedded_unscaled": ["x", "=", "E", "[", word("id"), "]"],
    "sinusoidal": [
        word("PE"),
        "(",
        "p",
        ",",
        "2i",
        ")",
        "=",
        word("sin"),
        "(",
        POSITION,
        ")",
        word(", cos for 2i+1"),
    ],
    "learned": ["x", "=", "P", "[", "p", "]"],
    "input": ["X", "=", word("embedding"), "+", word("position")],
    "normed": ["y", "=", frac(row("x", "−", "μ"), root(sup("σ", "2"), "+", "ε")), "·", "γ", "+", "β"],
    "rms_normed": ["y", "=", frac("x", root(MEAN_SQUARE, "+", "ε")), "·", "γ"],
    "query": linear("q", "Q"),
    "key": linear("k", "K"),
    "value": linear("v", "V"),
    "turned": ["q′", "=", word("R"), "(", "p", ")", "q"],
    "scores": ["q", "·", "k", "=", sum_over("c", sub("q", "c"), "·", sub("k", "c"))],
    "scaled": [SCALED],
    "masked": [SCALED, "+", "M", word(", M = 0 or −∞")],
    "weights": ["w", "=", frac(sup("e", "s"), sum_over("j", sup("e", sub("s", "j"))))],
    "mixed": ["z", "=", sum_over("j", sub("w", "j"), "·", sub("v", "j"))],
    "share": [*HEAD_OUTPUT],
    "output": ["Z", "=", sum_over("h", *HEAD_OUTPUT), "+", sub("b", "O")],
    "forget": ["f", "=", "σ", "(", sub("W", "F"), "x", "+", sub("b", "F"), ")"],
    "candidate": ["u", "=", "W", "x"],
    "cell": [sub("c", "t"), "=", "f", "·", sub("c", "t−1"), "+", "(", "1", "−", "f", ")", "·", "u"],
    "state": [word("max"), "(", "0", ",", sub("c", "t"), ")"],
    "added": ["x", "+", "Z"],
    "widened": [*FIRST_LAYER],
    "gate": [sub("W", "G"), "x", "+", sub("b", "G")],
    "relu": [word("max"), "(", "0", ",", *FIRST_LAYER, ")"],
    "gelu": ["x", "·", "Φ", "(", "x", ")"],
    "gelu-tanh": [
        frac("x", "2"),
        "·",
        "(",
        "1",
        "+",
        word("tanh"),
        "(",
        root(frac("2", "π")),
        "·",
        "(",
        "x",
        "+",
        "0.044715",
        sup("x", "3"),
        ")",
        ")",
        ")",
    ],
    "swish": ["x", "·", "σ", "(", "x", ")"],
    "tanh": [word("tanh"), "(", "x", ")"],
    "swiglu": [word("silu"), "(", sub("W", "1"), "x", ")", "·", sub("W", "G"), "x"],
    "ffn_output": [sub("W", "2"), word("hidden"), "+", sub("b", "2")],
    "logits": ["ℓ", "=", "E", "x", "+", "b"],
    "probs": ["p", "=", frac(sup("e", "ℓ"), sum_over("v", sup("e", sub("ℓ", "v"))))],
    "sigmoid": ["p", "=", frac("1", row("1", "+", sup("e", row("−", "ℓ"))))],
    "logprobs": [word("log"), "p", word(", once the tokens that are never written are ruled out")],
    "pool": ["x̄", "=", frac("1", "n"), sum_over("t", sub("x", "t"))],
    "pool_first": ["x̄", "=", sub("x", "0")],
    "words": ["ℓ", "=", sum_over("w", sub("t", "w"), "·", sub("W", "w")), "+", "b"],
    "words_part": [sub("t", "w"), "·", sub("W", "w")],
    "word_weighted": [sub("u", "w"), "=", "(", "1", "+", word("ln"), "n", ")", "·", word("idf")],
    "tf_idf": [sub("t", "w"), "=", frac(sub("u", "w"), root(sum_over("v", sup(sub("u", "v"), "2"))))],
    "labels": ["p", "=", frac(sup("e", "s"), sum_over("v", sup("e", sub("s", "v")))), word(", s = logits + words")],
    "number": ["y", "=", word("logit + words")],
    "hidden_layer": ["h", "=", word("bend"), "(", "W", "x", "+", "b", ")"],
}


def norm_formula(architecture: Architecture) -> str:
    """The id of the formula of a model's norms."""
    return "rms_normed" if architecture.norm_kind == "rms" else "normed"


def formula_text(name: str) -> str:
    """The formula on one line: `y = (x − μ) / √(σ² + ε) · γ + β`."""
    return _line(FORMULAS[name])


def _line(symbols: Sequence[Symbol]) -> str:
    written = ""
    for symbol in symbols:
        text = _text(symbol)
        tight = not written or written.endswith(TIGHT_AFTER) or symbol in TIGHT_BEFORE or text.startswith(",")
        written += text if tight else f" {text}"
    return written


def _text(symbol: Symbol) -> str:
    if isinstance(symbol, str):
        return symbol
    kind, *inside = symbol
    if kind == "frac":
        return f"{_grouped(inside[0])} / {_grouped(inside[1])}"
    if kind == "sub":
        return f"{_text(inside[0])}_{_text(inside[1])}"
    if kind == "sup":
        return f"{_text(inside[0])}²" if inside[1] == "2" else f"{_text(inside[0])}^{_grouped(inside[1])}"
    if kind == "sqrt":
        return f"√{_grouped(row(*inside))}"
    if kind == "sum":
        return f"Σ_{_text(inside[0])} {_line(inside[1:])}"
    return _line(inside)  # row, word


def _grouped(symbol: Symbol) -> str:
    text = _text(symbol)
    return f"({text})" if " " in text and symbol[0] not in ("sup", "sqrt", "sum") else text
