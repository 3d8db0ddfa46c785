"""Marian's files, written here byte by byte as Marian writes them, give back the matrices that went in."""

import struct
import zipfile

import numpy as np
import pytest

from dhyan.interchange.marian_file import FLOAT16, FLOAT32, INT8, INTGEMM8, open_marian
from dhyan.interchange.marian_folder import is_marian_folder, open_marian_folder
from support.refusals import damaged_copies, read_or_refuse, refusal

SETTINGS = "dim-emb: 3\ntransformer-heads: 8\ntied-embeddings-all: true\ndim-vocabs:\n  - 5\n  - 5\ndec-cell: ssru\n"
WEMB = np.arange(-7, 8).reshape(5, 3)
W1 = np.array([[127, -2, 3, 4], [5, 6, -7, 8], [-9, 10, 11, 127]])


def item(name, kind, shape, data):
    return name, kind, shape, data + bytes(-len(data) % 256)


def quantized(name, array, multiplier):
    """As Bergamot stores them: an embedding by rows, any other matrix by columns; the multiplier behind."""
    order = "C" if name.endswith("Wemb") else "F"
    data = array.astype(np.int8).tobytes(order) + struct.pack("<f", multiplier)
    return item(name, INTGEMM8, array.shape, data)


def settings(text=SETTINGS):
    data = text.encode() + b"\0"
    return "special:model.yml", INT8, (len(data),), data


ITEMS = [
    quantized("Wemb", WEMB, 20.0),
    item("Wemb_QuantMultA", INTGEMM8, (1, 1), b"\xff" * 5),
    quantized("encoder_l1_ffn_W1", W1, 254.0),
    item("encoder_l1_ffn_W1_QuantMultA", FLOAT32, (1, 1), struct.pack("<f", 3)),
    item("encoder_l1_ffn_b1", FLOAT32, (1, 4), np.array([1, 2, 3, 4], "<f4").tobytes()),
    item("encoder_l1_ffn_b2", FLOAT16, (1, 3), np.array([0.5, -1, 2], "<f2").tobytes()),
    settings(),
]


def bin_content(items, version=1, count=None):
    heads = b"".join(
        struct.pack("<4Q", len(name) + 1, kind, len(shape), len(data)) for name, kind, shape, data in items
    )
    names = b"".join(name.encode() + b"\0" for name, *_ in items)
    shapes = b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    head = struct.pack("<2Q", version, len(items) if count is None else count) + heads + names + shapes
    padding = -(len(head) + 8) % 256
    return head + struct.pack("<Q", padding) + bytes(padding) + b"".join(data for *_, data in items)


def written(tmp_path, items=ITEMS, **lies):
    path = tmp_path / "model.bin"
    path.write_bytes(bin_content(items, **lies))
    return path


def read_all(path):
    return dict(open_marian(path).tensors)


def test_a_bin_file(tmp_path):
    file = open_marian(written(tmp_path))
    assert file.settings["dim-vocabs"] == [5, 5]
    assert file.settings["tied-embeddings-all"] is True
    assert file.tensors.shapes == {
        "Wemb": (5, 3),
        "encoder_l1_ffn_W1": (3, 4),
        "encoder_l1_ffn_b1": (1, 4),
        "encoder_l1_ffn_b2": (1, 3),
    }
    assert {array.dtype.name for array in file.tensors.values()} == {"float32"}
    np.testing.assert_array_equal(file.tensors["Wemb"], (WEMB / np.float32(20)).astype(np.float32))
    np.testing.assert_array_equal(file.tensors["encoder_l1_ffn_W1"], (W1 / np.float32(254)).astype(np.float32))
    np.testing.assert_array_equal(file.tensors["encoder_l1_ffn_b1"], [[1, 2, 3, 4]])
    np.testing.assert_array_equal(file.tensors["encoder_l1_ffn_b2"], [[0.5, -1, 2]])


def write_npz(path, arrays, text=SETTINGS, compression=zipfile.ZIP_STORED):
    stored = arrays | {"special:model.yml": np.frombuffer(text.encode() + b"\0", np.int8)}
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, array in stored.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array)


def test_an_npz_file(tmp_path):
    arrays = {
        "Wemb": np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32),
        "encoder_l1_self_Wq": np.arange(9, dtype=np.float32).reshape(3, 3),
        "encoder_l1_self_bq": np.array([[1, 2, 3]], np.float16),
    }
    path = tmp_path / "model.npz"
    write_npz(path, arrays)
    file = open_marian(path)
    assert file.settings["dec-cell"] == "ssru"
    assert set(file.tensors) == set(arrays)
    for name, array in arrays.items():
        assert file.tensors[name].dtype == np.float32
        np.testing.assert_array_equal(file.tensors[name], array)


def test_numpy_writes_the_same_npz(tmp_path):
    path = tmp_path / "model.npz"
    text = np.frombuffer(SETTINGS.encode(), np.int8)
    np.savez(path, **{"Wemb": np.ones((5, 3), np.float32), "special:model.yml": text})
    assert read_all(path)["Wemb"].tolist() == np.ones((5, 3)).tolist()


# -- what can be wrong ---------------------------------------------------------------------------------------------


def test_types_that_one_processor_alone_understands(tmp_path):
    packed = item("encoder_l1_ffn_W1", 0x1801, (3, 4), bytes(64))
    assert "is stored as type 0x1801" in refusal(written(tmp_path, [packed, settings()]), open_marian)


@pytest.mark.parametrize(
    "items",
    [
        [],
        [item("Wemb", FLOAT32, (5, 3), bytes(60))],
        [item("Wemb", FLOAT32, (5, 300), bytes(60)), settings()],
        [item("Wemb", FLOAT32, (2**31 - 1,) * 3, bytes(60)), settings()],
        [item("Wemb", FLOAT32, (-5, -3), bytes(60)), settings()],
        [item("Wemb", INTGEMM8, (256, 1), bytes(256)), settings()],
        [item("Wemb", INTGEMM8, (4,), bytes(8)), settings()],
        [ITEMS[0], ITEMS[0], settings()],
        [ITEMS[0], settings("- a list")],
        [ITEMS[0], settings("a: [")],
        [ITEMS[0], settings("a: " + "[" * 5000)],
        [ITEMS[0], settings("a: !!timestamp now")],
        [ITEMS[0], settings("a: !!python/object/apply:os.getcwd []")],
        [ITEMS[0], settings("a: &a {k: 1}\nb: {<<: [*a, *a]}")],
        [ITEMS[0], ("special:model.yml", INT8, (200_000,), b"a" * 200_000)],
        [ITEMS[0], item("special:model.yml", FLOAT32, (1,), b"a: 1")],
    ],
    ids=lambda items: str(items)[-60:],
)
def test_files_that_lie(tmp_path, items):
    assert "not a whole Marian file" in refusal(written(tmp_path, items), open_marian)


@pytest.mark.parametrize("multiplier", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_that_is_none(tmp_path, multiplier):
    path = written(tmp_path, [quantized("Wemb", WEMB, multiplier), settings()])
    assert "scale of Wemb" in refusal(path, read_all)


@pytest.mark.parametrize(
    "content", [b"", b"\1", struct.pack("<2Q", 1, 2**60), struct.pack("<2Q", 9, 1), b"PK\3\4" * 20]
)
@pytest.mark.parametrize("name", ["model.bin", "model.npz"])
def test_files_that_are_something_else(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert "not a whole Marian file" in refusal(path, open_marian)


def test_there_is_no_such_file(tmp_path):
    assert "no such file" in refusal(tmp_path / "model.bin", open_marian)


def test_a_compressed_npz_is_not_unpacked(tmp_path):
    path = tmp_path / "model.npz"
    write_npz(path, {"Wemb": np.zeros((5000, 5000), np.float32)}, compression=zipfile.ZIP_DEFLATED)
    assert "is compressed" in refusal(path, open_marian)


def test_an_npz_runs_no_pickle(tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, Wemb=np.array([print], object))
    assert "not a whole Marian file" in refusal(path, open_marian)


def test_an_npz_whose_shape_lies(tmp_path):
    path = tmp_path / "model.npz"
    write_npz(path, {"Wemb": np.zeros((1000, 1000), np.float32)})
    path.write_bytes(path.read_bytes().replace(b"(1000, 1000), }      ", b"(1000, 1000000000), }"))
    assert "ends too early" in refusal(path, open_marian)


@pytest.mark.parametrize("suffix", [".bin", ".npz"])
def test_every_damaged_file_is_read_or_refused(tmp_path, suffix):
    path = tmp_path / f"model{suffix}"
    if suffix == ".bin":
        written(tmp_path)
    else:
        write_npz(path, {"Wemb": np.ones((5, 3), np.float32)})
    content = path.read_bytes()
    ends = range(0, len(content) - 300, 7)
    refused = 0
    for copy in [*(content[:end] for end in ends), *damaged_copies(content, np.random.default_rng(0), 300)]:
        path.write_bytes(copy)
        refused += not read_or_refuse(path, read_all)
    assert refused >= len(ends)


# -- folders -------------------------------------------------------------------------------------------------------


def touch(folder, *names):
    for name in names:
        (folder / name).touch()


def test_a_folder_as_its_yaml_says(tmp_path):
    written(tmp_path).rename(tmp_path / "model.enpt.intgemm.alphas.bin")
    touch(tmp_path, "vocab.enpt.spm", "other.spm", "third.spm", "lex.50.50.enpt.s2t.bin")
    (tmp_path / "config.intgemm8bitalpha.yml").write_text(
        "models:\n  - /somewhere/else/model.enpt.intgemm.alphas.bin\nvocabs:\n  - vocab.enpt.spm\n  - other.spm\n"
        "shortlist:\n  - lex.50.50.enpt.s2t.bin\n  - false\nbeam-size: 1\n"
    )
    assert is_marian_folder(tmp_path)
    found = open_marian_folder(tmp_path)
    assert found.file.path.name == "model.enpt.intgemm.alphas.bin"
    assert [path.name for path in found.vocabularies] == ["vocab.enpt.spm", "other.spm"]
    assert found.settings["beam-size"] == 1
    assert [sentence.split()[0] for sentence in found.left_out] == ["lex.50.50.enpt.s2t.bin"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["vocab.ende.spm"], ["vocab.ende.spm", "vocab.ende.spm"]),
        (["trgvocab.enja.spm", "srcvocab.enja.spm"], ["srcvocab.enja.spm", "trgvocab.enja.spm"]),
        (["source.spm", "target.spm"], ["source.spm", "target.spm"]),
    ],
)
def test_a_folder_without_yaml(tmp_path, files, expected):
    written(tmp_path)
    touch(tmp_path, *files, "lex.50.50.ende.s2t.bin", "README.md")
    (tmp_path / "vocab.yml").write_text('"</s>": 0\n"<unk>": 1\n')
    found = open_marian_folder(tmp_path)
    assert found.file.path.name == "model.bin"
    assert found.settings == {}
    assert [path.name for path in found.vocabularies] == expected


def test_folders_that_have_no_model(tmp_path):
    assert "no such folder" in refusal(tmp_path / "none", open_marian_folder)
    assert not is_marian_folder(tmp_path / "none")
    touch(tmp_path, "lex.50.50.ende.s2t.bin", "pytorch_model.bin")
    assert not is_marian_folder(tmp_path)
    assert "has none" in refusal(tmp_path, open_marian_folder)
    written(tmp_path)
    assert "one vocabulary or two" in refusal(tmp_path, open_marian_folder)
    write_npz(tmp_path / "model.npz", {})
    assert "has model.bin, model.npz" in refusal(tmp_path, open_marian_folder)
    (tmp_path / "decoder.yml").write_text("models: [model.npz]\nvocabs: [../vocab.spm]")
    assert "lacks vocab.spm" in refusal(tmp_path, open_marian_folder)
    (tmp_path / "decoder.yml").write_text("models: [model.npz]\nvocabs: 3")
    assert "a list of files" in refusal(tmp_path, open_marian_folder)
