"""Heads by name: `enc.2.self.h5`, `enc.2.h5` where a layer has only one attention, `dec.1.cross` for all of its."""

import re
from collections.abc import Iterable, Sequence

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.model.architecture import Architecture

Head = tuple[str, int]  # ("enc.2.self", 5)

_FORM = re.compile(r"(?P<stack>enc|dec)\.(?P<layer>\d+)(\.(?P<part>self|cross))?(\.h(?P<head>\d+))?")


def attention_parts(architecture: Architecture) -> list[str]:
    """Every attention of a model, in the order that numbers pass through it."""
    a = architecture
    found = [f"enc.{layer}.self" for layer in range(a.encoder_layers)] if a.has_encoder else []
    if a.has_decoder:
        kinds = ("self", "cross") if a.has_cross else ("self",)
        found += [f"dec.{layer}.{kind}" for layer in range(a.decoder_layers) for kind in kinds]
    return found


def read_heads(architecture: Architecture, names: Sequence[str]) -> tuple[Head, ...]:
    """Names → heads, each once and in the model's order."""
    found = {head for name in names for head in _read(architecture, name.strip())}
    order = {part: index for index, part in enumerate(attention_parts(architecture))}
    return tuple(sorted(found, key=lambda head: (order[head[0]], head[1])))


def head_name(head: Head) -> str:
    return f"{head[0]}.h{head[1]}"


def _read(a: Architecture, name: str) -> Iterable[Head]:
    parts = attention_parts(a)
    match = _FORM.fullmatch(name)
    if match is None:
        every = [f"{part}.h{head}" for part in parts for head in range(a.heads)]
        raise DhyanError(f"'{name}' is not a head{did_you_mean(name, every)}; one is called {every[0]}.")
    layer = f"{match['stack']}.{match['layer']}"
    attentions = [part for part in parts if part.startswith(f"{layer}.")]
    if match["part"]:
        attentions = [part for part in attentions if part.endswith(match["part"])]
    if not attentions:
        raise DhyanError(f"there is no '{name}' in this model; its attentions are {parts[0]} to {parts[-1]}.")
    if len(attentions) > 1:
        raise DhyanError(f"'{name}' could be {' or '.join(attentions)}; write which.")
    if match["head"] is None:
        return [(attentions[0], head) for head in range(a.heads)]
    if int(match["head"]) >= a.heads:
        raise DhyanError(f"there is no head '{name}'; the heads of {attentions[0]} are h0 to h{a.heads - 1}.")
    return [(attentions[0], int(match["head"]))]
