"""Each task through the real commands: train, look at the pack, evaluate, fine-tune."""

import gzip
import json
import lzma
import random

import pytest

from dhyan.core.settings import read_toml
from dhyan.data.open_text import zstd
from dhyan.pack.pack import read_pack
from dhyan.training.train import train
from support.commands import dhyan
from support.tiny import TINY

SHORT = [*TINY, "--steps", "6", "--validate-every", "3", "--save-every", "3", "--valid-rows", "4"]


def lines(count, seed=0):
    draw = random.Random(seed)
    words = ["नदी", "bank", "money", "river", "flows", "grows", "the", "a", "बड़ा", "छोटा", "घर", "42", "😀"]
    return [" ".join(draw.choice(words) for _ in range(draw.randint(3, 9))) for _ in range(count)]


def scores(*arguments, folder):
    return json.loads(dhyan("evaluate", *arguments, "--json", folder=folder).stdout)


def test_translate(digits, tmp_path):
    done = dhyan(
        "train", "translate", "--train", digits, "--valid", digits, "--out", "my-pack", *SHORT, folder=tmp_path
    )
    assert "The pack is in my-pack" in done.stderr
    assert "duplicate" in done.stderr  # what was dropped and why
    files = {path.name for path in (tmp_path / "my-pack").iterdir()}
    assert {"pack.json", "model.safetensors", "README.md", "curve.svg", "recipe.toml"} <= files
    assert "<svg" in (tmp_path / "my-pack" / "curve.svg").read_text()
    manifest = read_pack(tmp_path / "my-pack").manifest
    assert manifest.architecture.shape == "encoder-decoder"
    assert set(manifest.metrics["validation"]) == {"loss", "bleu", "chrf"}

    found = scores("my-pack", "--test", digits, folder=tmp_path)
    assert {"bleu", "chrf", "chrf++"} <= set(found)
    assert "tok:13a" in found["signatures"]["bleu"]
    sides = zip(*(line.split("\t") for line in digits.read_text().splitlines()), strict=True)
    for name, side in zip(("test.en", "test.hi"), sides, strict=True):
        (tmp_path / name).write_text("\n".join(side) + "\n")
    again = scores("my-pack", "--source", "test.en", "--reference", "test.hi", folder=tmp_path)
    assert again["bleu"] == found["bleu"]
    shown = dhyan("evaluate", "my-pack", "--test", digits, folder=tmp_path).stdout
    assert found["signatures"]["chrf++"] in shown


def test_a_command_stands_for_a_recipe(digits, tmp_path):
    command = ["translate", "--train", digits, "--out", "one", *SHORT, "--storage", "int8"]
    printed = dhyan("train", *command, "--print-recipe", folder=tmp_path).stdout
    assert not (tmp_path / "one.training").exists()
    (tmp_path / "recipe.toml").write_text(printed, encoding="utf-8")
    dhyan("train", *command, folder=tmp_path)
    dhyan("train", "recipe.toml", "--out", "two", folder=tmp_path)
    first, second = (tmp_path / name / "model.safetensors" for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    # And what is written beside the pack is that recipe again.
    spelt_out = read_toml(tmp_path / "two" / "recipe.toml")
    assert spelt_out == read_toml(tmp_path / "recipe.toml") | {"out": "two"}


@pytest.mark.parametrize("packed", ["gz", "xz", "zst", "parallel", "jsonl"])
def test_corpora_come_in_many_clothes(packed, digits, tmp_path):
    """The same rows in any format give the same model, to the last bit."""
    rows = [line.split("\t") for line in digits.read_text().splitlines()]
    other = {"train": [tmp_path / f"digits.tsv.{packed}"]}
    if packed == "parallel":
        for side, name in enumerate(("a.en", "a.hi")):
            (tmp_path / name).write_text("".join(row[side] + "\n" for row in rows))
        other = {"train": [tmp_path / "a.en"], "train_target": [tmp_path / "a.hi"]}
    elif packed == "jsonl":
        told = (json.dumps({"source": source, "target": target}) + "\n" for source, target in rows)
        (tmp_path / "rows.jsonl").write_text("".join(told))
        other = {"train": [tmp_path / "rows.jsonl"]}
    else:
        packers = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd.compress}
        other["train"][0].write_bytes(packers[packed](digits.read_bytes()))
    sizes = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1}
    values = {"task": "translate", "model": sizes, "training": {"steps": 1, "valid_rows": 2}}
    packs = [
        train(values | {"out": tmp_path / name, "data": data})
        for name, data in (("plain", {"train": [digits]}), ("other", other))
    ]
    assert len({(pack / "model.safetensors").read_bytes() for pack in packs}) == 1


def test_classify_and_its_columns(tmp_path):
    texts = lines(80)
    rows = [f"{text}\t{'water' if 'river' in text else 'money'}\n" for text in texts]
    (tmp_path / "labelled.tsv").write_text("".join(rows), encoding="utf-8")
    swapped = ["--columns", "text=1,label=2"]
    dhyan("train", "classify", "--train", "labelled.tsv", *swapped, "--out", "labeller", *SHORT, folder=tmp_path)
    assert read_pack(tmp_path / "labeller").manifest.labels == ["money", "water"]
    found = scores("labeller", "--test", "labelled.tsv", *swapped, folder=tmp_path)
    assert 0 <= found["accuracy"] <= 1
    assert set(found["labels"]) <= {"money", "water"}


def test_masked_pretraining_then_contrast_then_labels(tmp_path):
    """An encoder learns from plain text, then from paraphrases, then a classifier is put on top of it."""
    texts = lines(120)
    (tmp_path / "text.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    dhyan("train", "embed", "--train", "text.txt", "--out", "pretrained", *SHORT, folder=tmp_path)
    pretrained = read_pack(tmp_path / "pretrained")
    assert pretrained.manifest.architecture.masked_head
    assert scores("pretrained", "--test", "text.txt", folder=tmp_path)["perplexity"] > 1

    pairs = "".join(f"{text}\t{' '.join(reversed(text.split()))}\n" for text in texts)
    (tmp_path / "pairs.tsv").write_text(pairs, encoding="utf-8")
    pace = ["--steps", "3", "--batch-tokens", "512"]
    fine = ["--start-from", "pretrained", *pace]
    dhyan("train", "embed", "--train", "pairs.tsv", "--out", "embedder", *fine, folder=tmp_path)
    embedder = read_pack(tmp_path / "embedder")
    assert embedder.tokenizer.to_json() == pretrained.tokenizer.to_json()
    moved = abs(embedder.weights["enc.0.self.W_Q"] - pretrained.weights["enc.0.self.W_Q"]).max()
    assert 0 < moved < 0.05  # it started from the pretrained weights and has gone a few steps
    scored = "".join(f"{number % 5}\t{text}\t{text[::-1]}\n" for number, text in enumerate(texts))
    (tmp_path / "scored.tsv").write_text(scored, encoding="utf-8")
    assert -1 <= scores("embedder", "--test", "scored.tsv", folder=tmp_path)["spearman"] <= 1
    assert 0 < scores("embedder", "--test", "pairs.tsv", folder=tmp_path)["accuracy"] <= 1

    labelled = "".join(f"{'short' if len(text) < 30 else 'long'}\t{text}\n" for text in texts)
    (tmp_path / "labelled.tsv").write_text(labelled, encoding="utf-8")
    dhyan("train", "classify", "--train", "labelled.tsv", "--out", "labeller", *fine, folder=tmp_path)
    assert read_pack(tmp_path / "labeller").manifest.architecture.labels == 2


def test_write(tmp_path):
    (tmp_path / "book.txt").write_text("\n".join(lines(2000)), encoding="utf-8")
    window = ["--max-positions", "32"]
    dhyan("train", "write", "--train", "book.txt", "--out", "writer", *SHORT, *window, folder=tmp_path)
    found = scores("writer", "--test", "book.txt", folder=tmp_path)
    assert found["perplexity"] > 1
    assert found["window"] == 32


def test_the_version_and_the_help():
    from dhyan import __version__

    assert dhyan("--version", folder=".").stdout.strip() == f"dhyan {__version__}"
    told = dhyan("train", "--help", folder=".").stdout
    for flag in ("--train", "--d-model", "--learning-rate", "--resume", "--print-recipe", "--target-script"):
        assert flag in told


def test_fine_tuning_never_gives_something_worse(digits, tmp_path):
    dhyan("train", "translate", "--train", digits, "--out", "base", *TINY, "--steps", "60", folder=tmp_path)
    wild = [
        "--start-from",
        "base",
        "--steps",
        "4",
        "--validate-every",
        "2",
        "--learning-rate",
        "5",
        "--metric",
        "loss",
    ]
    dhyan("train", "translate", "--train", digits, "--out", "tuned", *wild, folder=tmp_path)
    base, tuned = (read_pack(tmp_path / name) for name in ("base", "tuned"))
    assert tuned.manifest.training["best step"] == 0
    assert all((tuned.weights[name] == base.weights[name]).all() for name in base.weights)


def test_a_recipe_that_holds_rows_out_takes_a_validation_file_too(digits, tmp_path):
    printed = dhyan("train", "translate", "--train", digits, "--print-recipe", *SHORT, folder=tmp_path).stdout
    assert "held_out = 0.1" in printed
    (tmp_path / "recipe.toml").write_text(printed, encoding="utf-8")
    dhyan("train", "recipe.toml", "--valid", digits, "--out", "with-valid", folder=tmp_path)
    assert read_toml(tmp_path / "with-valid" / "recipe.toml")["data"]["held_out"] == 0


def test_a_source_beyond_learned_positions_is_read_in_windows(digits, tmp_path):
    learned = ["--positions", "learned", "--max-positions", "16"]
    dhyan("train", "translate", "--train", digits, "--out", "short", *SHORT, *learned, folder=tmp_path)
    (tmp_path / "long.tsv").write_text("1 " * 40 + "\t" + "1 " * 40 + "\n")
    assert scores("short", "--test", "long.tsv", "--output", "said.txt", folder=tmp_path)["rows"] == 1
    assert (tmp_path / "said.txt").read_text().strip()
