"""Every number has an address, every head a name: `enc.2.self.h5.weights[3,1]` means the same thing everywhere.

A head is `enc.2.self.h5`, or `enc.2.h5` where a layer has only one attention; `dec.1.cross` means all heads of one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dhyan.core.arguments import check_several, check_text
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.model.architecture import Architecture

Head = tuple[str, int]  # ("enc.2.self", 5)

_ADDRESS = re.compile(r"(?P<path>[A-Za-z_0-9.]+)(\[(?P<index>[-0-9:, ]*)\])?")
# A number that is too long for `int` is no head.
_HEAD_IN_PATH = re.compile(r"\.h(\d{1,9})(?=\.|$)")
_HEAD_NAME = re.compile(r"(?P<stack>enc|dec)\.(?P<layer>\d+)(\.(?P<part>self|cross|ssru))?(\.h(?P<head>\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class Address:
    """An array's name, the head it is asked for (if any), and the cells of it (if any)."""

    name: str  # enc.2.self.weights
    head: int | None  # 5
    index: tuple[int | slice, ...]  # (3, 1)

    @classmethod
    def parse(cls, text: str) -> "Address":
        match = _ADDRESS.fullmatch(check_text(text, "an address").strip())
        if match is None:
            raise DhyanError(f"'{text}' is not an address; one looks like enc.2.self.h5.weights[3,1].")
        path = match["path"]
        heads = _HEAD_IN_PATH.findall(path)
        if len(heads) > 1:
            raise DhyanError(f"'{text}' names more than one head; an address has at most one.")
        index = tuple(_cell(part, text) for part in match["index"].split(",")) if match["index"] else ()
        return cls(_HEAD_IN_PATH.sub("", path), int(heads[0]) if heads else None, index)


def _cell(part: str, text: str) -> int | slice:
    bounds = part.strip().split(":")
    try:
        numbers = [int(bound) if bound.strip() else None for bound in bounds]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and numbers[0] is not None:
        return numbers[0]
    if len(numbers) == 2:
        return slice(*numbers)
    raise DhyanError(f"'{part.strip()}' in '{text}' is neither a number nor a range such as 2:5 or ':'.")


def attention_parts(architecture: Architecture) -> list[str]:
    """Every attention of a model, in the order that numbers pass through it."""
    a = architecture
    found = [f"enc.{layer}.self" for layer in range(a.encoder_layers)] if a.has_encoder else []
    if a.has_decoder:
        there = {"self": a.decoder_self == "attention", "cross": a.has_cross}
        found += [f"dec.{layer}.{kind}" for layer in range(a.decoder_layers) for kind in there if there[kind]]
    return found


def read_heads(architecture: Architecture, names: str | Iterable[str] | None) -> tuple[Head, ...]:
    """Names → heads, each once and in the model's order."""
    several = [check_text(name, "a head").strip() for name in check_several(names, "the name of a head")]
    found = {head for name in several for head in _heads_named(architecture, name)}
    order = {part: index for index, part in enumerate(attention_parts(architecture))}
    return tuple(sorted(found, key=lambda head: (order[head[0]], head[1])))


def head_name(head: Head) -> str:
    return f"{head[0]}.h{head[1]}"


def _heads_named(a: Architecture, name: str) -> Iterable[Head]:
    parts = attention_parts(a)
    if not parts:
        raise DhyanError(f"there is no '{name}': this model has no attention, and so no heads.")
    match = _HEAD_NAME.fullmatch(name)
    if match is None:
        every = [f"{part}.h{head}" for part in parts for head in range(a.heads)]
        raise DhyanError(f"'{name}' is not a head{did_you_mean(name, every)}; one is called {every[0]}.")
    layer = f"{match['stack']}.{match['layer']}"
    attentions = [part for part in parts if part.startswith(f"{layer}.")]
    if match["part"]:
        attentions = [part for part in attentions if part.endswith(match["part"])]
    if not attentions and a.decoder_self == "ssru" and match["stack"] == "dec" and match["part"] != "cross":
        raise DhyanError(f"there is no '{name}': this decoder looks back with a recurrent unit, which has no heads.")
    if not attentions:
        raise DhyanError(f"there is no '{name}' in this model; its attentions are {parts[0]} to {parts[-1]}.")
    if len(attentions) > 1:
        raise DhyanError(f"'{name}' could be {' or '.join(attentions)}; write which.")
    if match["head"] is None:
        return [(attentions[0], head) for head in range(a.heads)]
    if int(match["head"]) >= a.heads:
        raise DhyanError(f"there is no head '{name}'; the heads of {attentions[0]} are h0 to h{a.heads - 1}.")
    return [(attentions[0], int(match["head"]))]
