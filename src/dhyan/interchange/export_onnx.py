"""A pack → ONNX, written straight from the weights: a graph per stack, and all that it takes to run them."""

from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.engines.convert import Compute
from dhyan.interchange.describe import describe, save_tokenizers
from dhyan.interchange.onnx_graph import Axes, Graph, Port
from dhyan.interchange.onnx_transformer import IDS, MASK, SOURCE_MASK, OnnxTransformer, Step, step_ports
from dhyan.model.architecture import Architecture
from dhyan.pack.pack import Pack
from dhyan.pack.weights_file import Weights

ROWS: Axes = ("batch", "positions")
Ports = tuple[list[Port], list[Port]]  # inputs and outputs


def export(pack: Pack, folder: Path, compute: Compute) -> None:
    written = write_graphs(pack.manifest.architecture, pack.weights, folder, compute)
    save_tokenizers(pack, folder)
    describe(pack, folder, _how_to_run(written))


def write_graphs(a: Architecture, weights: Weights, folder: Path, compute: Compute) -> dict[str, Ports]:
    """File → its inputs and outputs."""
    if a.decoder_self != "attention":
        raise DhyanError(
            "ONNX is written for decoders with self-attention, not with an SSRU: use the pack with Dhyan itself."
        )
    stacks = {"encoder.onnx" if a.has_decoder else "model.onnx": _encoder} if a.has_encoder else {}
    if a.has_decoder:
        stacks["decoder.onnx"] = _decoder
    written = {}
    for file, build in stacks.items():
        transformer = OnnxTransformer(a, weights, Graph(int8=compute == "int8"))
        written[file] = build(transformer)
        transformer.graph.save(folder / file, *written[file])
    return written


def _encoder(t: OnnxTransformer) -> Ports:
    a = t.architecture
    vectors: Axes = (*ROWS, a.d_model)
    x = t.encode()
    if a.has_decoder:
        t.cross_keys_and_values(x)
        outputs = [Port(t.graph.add("Identity", x, name="encoder_output"), vectors)]
        outputs += step_ports(a, "cross", "positions")
    else:
        outputs = [Port(t.graph.add("Identity", x, name="last_hidden_state"), vectors)]
        pooled = t.graph.add("Identity", t.pool(x), name="pooled")
        outputs.append(Port(pooled, ("batch", a.d_model)))
        if a.labels:
            outputs.append(Port(t.graph.add("Identity", t.classify(pooled), name="logits"), ("batch", a.labels)))
    return [Port(IDS, ROWS, is_whole=True), Port(MASK, ROWS, is_whole=True)], outputs


def _decoder(t: OnnxTransformer) -> Ports:
    a = t.architecture
    past = step_ports(a, "past", "past")
    cross = step_ports(a, "cross", "positions") if a.has_cross else []
    logits, _ = t.decode(_steps(past), _steps(cross))
    newest: Axes = ("batch", "newest")
    inputs = [Port(IDS, newest, is_whole=True), *past, *cross]
    if cross:
        inputs.insert(1, Port(SOURCE_MASK, ROWS, is_whole=True))
    outputs = [Port(t.graph.add("Identity", logits, name="logits"), (*newest, a.target_vocabulary))]
    return inputs, outputs + step_ports(a, "present", "past + newest")


def _steps(ports: list[Port]) -> list[Step]:
    names = [port.name for port in ports]
    return list(zip(names[::2], names[1::2], strict=True))


def _how_to_run(written: dict[str, Ports]) -> str:
    lines = [
        "## How to run it",
        "",
        "`pip install onnxruntime tokenizers`. `dhyan.json` has the special tokens (`architecture.special`), the"
        " tokenizers' files and the decoding settings.",
        "",
    ]
    for file, (inputs, outputs) in written.items():
        lines += [f"`{file}`", "", "| | name | shape | |", "|---|---|---|---|"]
        for ports, side in ((inputs, "in"), (outputs, "out")):
            lines += [_row(side, port) for port in ports if not _is_of_a_later_layer(port)]
        lines.append("")
    if "decoder.onnx" in written:
        lines += [
            "Keys and values are numbered by layer: `past_key_0`, `past_value_0`, `past_key_1`, … The first step has"
            " a past of length 0; each step's `present_…` is the next one's `past_…`. Rows of a batch go on as one.",
            "",
        ]
    return "\n".join(lines)


def _is_of_a_later_layer(port: Port) -> bool:
    number = port.name.rpartition("_")[2]
    return number.isdigit() and number != "0"


def _row(side: str, port: Port) -> str:
    kind = "int64" if port.is_whole else "float32"
    return f"| {side} | `{port.name}` | {', '.join(map(str, port.axes))} | {kind} |"
