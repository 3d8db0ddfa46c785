"""What a folder of Transformers holds, and how our weights become its tensors: what its classes have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.explain.formulas import positional_encoding
from dhyan.model.architecture import Architecture

Array = NDArray[np.float32]
Tensors = dict[str, Array]
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new", "swish": "silu", "swiglu": "silu"}


@dataclass
class TransformersModel:
    """What `config.json` and `model.safetensors` say."""

    config: dict[str, Any]
    tensors: Tensors
    target_offset: int = 0  # of the target's ids in a joint vocabulary
    modules: list[dict[str, Any]] = field(default_factory=list)  # of Sentence Transformers, behind the model
    has_two_tokenizers: bool = False  # SentencePiece's, as MarianTokenizer reads them


def projection(w: Mapping[str, Array], part: str, which: str) -> tuple[Array, Array]:
    """A projection with its heads side by side: (outputs, inputs), (outputs,)."""
    weight, bias = w[f"{part}.W_{which}"], w[f"{part}.b_{which}"]
    size = len(weight) if which == "O" else weight.shape[0] * weight.shape[1]
    return weight.reshape(size, -1), bias.reshape(-1)


def linear_tensors(name: str, weight: Array, bias: Array | None) -> Tensors:
    found = {f"{name}.weight": weight}
    return found if bias is None else found | {f"{name}.bias": bias}


def norm_tensors(name: str, w: Mapping[str, Array], own: str) -> Tensors:
    return linear_tensors(name, w[f"{own}.gamma"], w[f"{own}.beta"])


def position_table(a: Architecture, w: Mapping[str, Array], stack: str) -> Array:
    if a.positions == "learned":
        return w[f"{stack}.P"]
    return positional_encoding(a.max_positions, a.d_model).astype(np.float32)
