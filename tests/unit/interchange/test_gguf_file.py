"""GGUF's metadata and blocks of few bits, compared with the package of those who made the format."""

import struct

import numpy as np
import pytest

from dhyan.interchange.ggml_blocks import BLOCK_KINDS
from dhyan.interchange.gguf_file import open_gguf
from support.oracles import call_oracle
from support.refusals import damaged_copies, read_or_refuse, refusal

TEXT, ARRAY, UINT8, UINT32 = 8, 9, 0, 4

# Writes a file with tensors of every kind, and what its own reader makes of them.
ORACLE = """
from pathlib import Path
import numpy as np
from gguf import GGMLQuantizationType, GGUFValueType, GGUFWriter
from gguf.quants import dequantize

folder = Path(payload["folder"])
writer = GGUFWriter(folder / "model.gguf", "llama")
for kind in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"):
    number = np.iinfo(kind).max if kind.startswith("u") else np.iinfo(kind).min
    writer.add_key_value(f"a.{kind}", int(number), GGUFValueType[kind.upper()])
writer.add_float32("a.float32", 0.1)
writer.add_float64("a.float64", 0.1)
writer.add_bool("a.bool", True)
writer.add_string("a.text", "नमस्ते")
writer.add_array("a.texts", ["Ġt", "", "ह"])
writer.add_array("a.numbers", [1, -2, 3])
writer.add_array("a.floats", [0.5, -1.25])
writer.add_custom_alignment(64)
draw = np.random.default_rng(0)
floats = {}
for name, width in payload["kinds"].items():
    kind = GGMLQuantizationType[name]
    packed = draw.integers(0, 256, (3, width), dtype=np.uint8)
    if kind == GGMLQuantizationType.F32:
        packed = draw.normal(size=(3, width // 4)).astype(np.float32)
        writer.add_tensor(name, packed)
    elif kind == GGMLQuantizationType.F16:
        packed = draw.normal(size=(3, width // 2)).astype(np.float16)
        writer.add_tensor(name, packed)
    else:
        writer.add_tensor(name, packed, raw_dtype=kind)
    floats[name] = dequantize(packed, kind)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
np.savez(folder / "floats.npz", **floats)
answer = None
"""


def test_every_kind_of_value_and_tensor_as_its_makers_read_it(tmp_path):
    kinds = {kind.name: 2 * kind.bytes if kind.numbers == 256 else 16 * kind.bytes for kind in BLOCK_KINDS.values()}
    call_oracle(ORACLE, {"folder": str(tmp_path), "kinds": kinds})
    file = open_gguf(tmp_path / "model.gguf")
    expected = np.load(tmp_path / "floats.npz")
    assert set(file.tensors) == set(kinds) == set(expected)
    for name in kinds:
        array = file.tensors[name]
        assert array.dtype == np.float32
        assert array.shape == expected[name].shape
        assert len(np.unique(array)) > 10
        np.testing.assert_array_equal(array, expected[name], err_msg=name)
    values = {key.removeprefix("a."): value for key, value in file.metadata.items() if key.startswith("a.")}
    assert values == {
        "uint8": 255,
        "int8": -128,
        "uint16": 2**16 - 1,
        "int16": -(2**15),
        "uint32": 2**32 - 1,
        "int32": -(2**31),
        "uint64": 2**64 - 1,
        "int64": -(2**63),
        "float32": float(np.float32(0.1)),
        "float64": 0.1,
        "bool": True,
        "text": "नमस्ते",
        "texts": ["Ġt", "", "ह"],
        "numbers": [1, -2, 3],
        "floats": [0.5, -1.25],
    }
    assert file.metadata["general.architecture"] == "llama"
    assert file.metadata["general.alignment"] == 64


# -- files written here, byte by byte ------------------------------------------------------------------------------


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def tensor(name, shape, kind, offset):
    """shape: as in the file, fastest axis first."""
    lengths = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return text(name) + lengths + struct.pack("<IQ", kind, offset)


def value(key, kind, data):
    return text(key) + struct.pack("<I", kind) + data


NAME = value("general.name", TEXT, text("tiny"))
MATRIX = np.arange(6, dtype="<f4").reshape(2, 3)
Q8_0 = struct.pack("<e", 0.5) + np.arange(-16, 16, dtype=np.int8).tobytes()
TENSORS = [tensor("matrix", (3, 2), 0, 0), tensor("quantized", (32, 1), 8, 32)]
DATA = MATRIX.tobytes() + bytes(8) + Q8_0


def content(values=(NAME,), tensors=TENSORS, data=DATA, magic=b"GGUF", version=3, counts=None):
    counts = counts or (len(tensors), len(values))
    head = magic + struct.pack("<IQQ", version, *counts) + b"".join(values) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + data


def written(tmp_path, **parts):
    path = tmp_path / "model.gguf"
    path.write_bytes(content(**parts))
    return path


def read_all(path):
    return dict(open_gguf(path).tensors)


@pytest.mark.parametrize("version", [2, 3])
def test_axes_are_in_numpys_order(tmp_path, version):
    file = open_gguf(written(tmp_path, version=version))
    assert file.metadata == {"general.name": "tiny"}
    assert file.tensors.shapes == {"matrix": (2, 3), "quantized": (1, 32)}
    np.testing.assert_array_equal(file.tensors["matrix"], MATRIX)
    np.testing.assert_array_equal(file.tensors["quantized"], [np.arange(-16, 16) / 2])


def test_more_numbers_than_are_unpacked_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("dhyan.interchange.gguf_file.NUMBERS_AT_ONCE", 64)
    blocks = np.random.default_rng(0).integers(0, 256, (35, 34), dtype=np.uint8)
    blocks[:, :2] = np.frombuffer(struct.pack("<e", 0.25), np.uint8)
    path = written(tmp_path, tensors=[tensor("quantized", (32 * 7, 5), 8, 0)], data=blocks.tobytes())
    expected = blocks[:, 2:].view(np.int8).reshape(5, 32 * 7) / 4
    np.testing.assert_array_equal(read_all(path)["quantized"], expected)


def test_arrays_in_arrays(tmp_path):
    inner = struct.pack("<IQ", UINT8, 2) + b"\x01\x02"
    pair = value("pair", ARRAY, struct.pack("<IQ", ARRAY, 2) + inner + inner)
    assert open_gguf(written(tmp_path, values=[pair])).metadata == {"pair": [[1, 2], [1, 2]]}


@pytest.mark.parametrize(("kind", "name"), [(10, "Q2_K"), (20, "IQ4_NL"), (26, "I32"), (4711, "type 4711")])
def test_kinds_that_are_not_read_are_named(tmp_path, kind, name):
    path = written(tmp_path, tensors=[tensor("blk.0.attn_q.weight", (256,), kind, 0)])
    sentence = refusal(path, open_gguf)
    assert f"blk.0.attn_q.weight is stored as {name};" in sentence
    assert "Q4_K" in sentence


HUGE = struct.pack("<Q", 2**60)
ENDLESS = b"".join(struct.pack("<IQ", ARRAY, 1) for _ in range(10_000))


@pytest.mark.parametrize(
    "parts",
    [
        {"magic": b"GGML"},
        {"counts": (2**60, 1)},
        {"counts": (2, 2**60)},
        {"counts": (2, 2)},
        {"values": [HUGE]},
        {"values": [value("text", TEXT, HUGE)]},
        {"values": [value("bytes", ARRAY, struct.pack("<I", UINT8) + HUGE)]},
        {"values": [value("texts", ARRAY, struct.pack("<I", TEXT) + HUGE)]},
        {"values": [value("arrays", ARRAY, struct.pack("<I", ARRAY) + HUGE)]},
        {"values": [value("deep", ARRAY, ENDLESS)]},
        {"values": [value("kind", 99, b"")]},
        {"values": [value("text", TEXT, struct.pack("<Q", 1) + b"\xff")]},
        {"values": [NAME, NAME]},
        {"values": [value("general.alignment", UINT32, struct.pack("<I", 0))]},
        {"values": [value("general.alignment", TEXT, text("32"))]},
        {"tensors": [TENSORS[0], TENSORS[0]]},
        {"tensors": [tensor("matrix", (2**60,), 0, 0)]},
        {"tensors": [tensor("matrix", (2**32, 2**32), 0, 0)]},
        {"tensors": [tensor("matrix", (3, 2), 0, 2**60)]},
        {"tensors": [tensor("matrix", (3, 2), 0, 64)]},
        {"tensors": [tensor("matrix", (33,), 8, 0)]},
        {"tensors": [tensor("matrix", (16, 2), 8, 0)]},
        {"tensors": [tensor("matrix", (1,) * 9, 0, 0)]},
        {"tensors": [text("matrix") + struct.pack("<I", 2**31)]},
        {"data": b""},
    ],
    ids=lambda parts: str(parts)[:50],
)
def test_files_that_lie(tmp_path, parts):
    assert "not a whole GGUF file" in refusal(written(tmp_path, **parts), open_gguf)


@pytest.mark.parametrize("version", [1, 4, 3 << 24])
def test_other_versions(tmp_path, version):
    assert "Dhyan reads versions 2 and 3" in refusal(written(tmp_path, version=version), open_gguf)


def test_there_is_no_such_file(tmp_path):
    assert "no such file" in refusal(tmp_path / "model.gguf", open_gguf)


def test_every_cut_and_damaged_file_is_read_or_refused(tmp_path):
    path = tmp_path / "model.gguf"
    whole = content()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        assert not read_or_refuse(path, read_all)
    for copy in damaged_copies(whole, np.random.default_rng(0), 500):
        path.write_bytes(copy)
        read_or_refuse(path, read_all)
