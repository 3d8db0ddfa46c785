"""A graph of ONNX that grows operator by operator. A number in it is known by its name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dhyan.core.extras import needs_extra
from dhyan.pack.weights_file import quantize

with needs_extra("onnx", "dhyan export --to onnx"):
    import onnx
    from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
Axes = Sequence[int | str]  # a length, or the name of one that is known when the graph runs

OPERATORS = 17  # the oldest set that has layer norm: whatever runs ONNX at all knows it
FILE_FORMAT = 8  # of the same age
MOST_IN_A_FILE = 2**30  # bytes of weights; a file of protobuf ends at 2 GB, so more go into a second one
MIDDLE = 128  # stands for 0 in unsigned int8


class Port(NamedTuple):
    """An input or output of a graph."""

    name: str
    axes: Axes
    is_whole: bool = False  # int64 rather than float32


class Graph:
    """Operators and weights. With `int8`, matrices are int8 and what they are multiplied with is rounded as it comes.

    int8 is unsigned, for two products of signed ones can overflow on older CPUs.
    """

    def __init__(self, int8: bool = False) -> None:
        self.int8 = int8
        self._nodes: list[onnx.NodeProto] = []
        self._weights: dict[str, onnx.TensorProto] = {}
        self._rounded: dict[str, tuple[str, str, str]] = {}  # name → as int8, its scale, what stands for 0

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """The result's name. inputs: names; "" leaves an optional one out."""
        return self._add(operator, inputs, [name or f"n{len(self._nodes)}"], attributes)[0]

    def _add(self, operator: str, inputs: Sequence[str], outputs: list[str], attributes: Any) -> list[str]:
        self._nodes.append(helper.make_node(operator, inputs, outputs, name=outputs[0], **attributes))
        return outputs

    def constant(self, value: Array | float | Sequence[int], name: str = "") -> str:
        """Whole numbers become int64, others float32, unless they are an array of int8."""
        array = np.asarray(value)
        if array.dtype != np.uint8:
            array = array.astype(np.int64 if np.issubdtype(array.dtype, np.integer) else np.float32)
        name = name or f"c{len(self._weights)}"
        if name not in self._weights:
            self._weights[name] = numpy_helper.from_array(array, name)
        return name

    def rows(self, name: str, table: Array, numbers: str) -> str:
        """Rows of a table (entries, size), by their numbers (…,): (…, size)."""
        if not self.int8:
            return self.add("Gather", self.constant(table, name), numbers)
        rounded, scale = self._int8(name, table)
        offset = self.constant(float(MIDDLE))
        found = self.add("Sub", self.add("Cast", self.add("Gather", rounded, numbers), to=TensorProto.FLOAT), offset)
        return self.add("Mul", found, self.add("Gather", self.constant(scale, f"{name}.scale"), numbers))

    def linear(self, x: str, name: str, weight: Array, bias: Array) -> str:
        """x Wᵀ + b; weight: (outputs, …), all axes but the first are inputs."""
        matrix = weight.reshape(len(weight), -1)
        shift = self.constant(bias.reshape(-1), f"{name}.b")
        if not self.int8:
            # Stored as it is in the pack, so that an embedding that is the last layer too is stored once.
            turned = self.add("Transpose", self.constant(matrix, name), perm=[1, 0])
            return self.add("Add", self.add("MatMul", x, turned), shift)
        stored, scale = self._int8(name, matrix)
        if x not in self._rounded:
            outputs = [f"{x}.int8", f"{x}.scale", f"{x}.zero"]
            self._add("DynamicQuantizeLinear", [x], outputs, {})
            self._rounded[x] = outputs[0], outputs[1], outputs[2]
        rounded, x_scale, zero = self._rounded[x]
        turned = self.add("Transpose", stored, perm=[1, 0])
        product = self.add("MatMulInteger", rounded, turned, zero, self.constant(np.array(MIDDLE, dtype=np.uint8)))
        both = self.add("Mul", x_scale, self.constant(scale.reshape(-1), f"{name}.scales"))
        return self.add("Add", self.add("Mul", self.add("Cast", product, to=TensorProto.FLOAT), both), shift)

    def _int8(self, name: str, matrix: Array) -> tuple[str, Array]:
        """A matrix in int8 with a scale for each row, (rows, 1)."""
        rounded, scale = quantize(name, matrix)
        return self.constant((rounded.astype(np.int16) + MIDDLE).astype(np.uint8), f"{name}.int8"), scale

    def save(self, path: Path, inputs: Sequence[Port], outputs: Sequence[Port]) -> None:
        graph = helper.make_graph(
            self._nodes, path.stem, list(map(_described, inputs)), list(map(_described, outputs)),
            initializer=list(self._weights.values()),
        )  # fmt: skip
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPERATORS)],
            ir_version=FILE_FORMAT,
            producer_name="dhyan",
        )
        large = sum(len(weight.raw_data) for weight in self._weights.values()) > MOST_IN_A_FILE
        onnx.save(model, str(path), save_as_external_data=large, location=f"{path.name}.data")


def _described(port: Port) -> onnx.ValueInfoProto:
    kind = TensorProto.INT64 if port.is_whole else TensorProto.FLOAT
    return helper.make_tensor_value_info(port.name, kind, port.axes)
