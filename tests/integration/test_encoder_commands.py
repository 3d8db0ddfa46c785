"""`classify`, `embed`, `similar` and `cluster`, with random packs for their manners and a trained one for sense."""

import gzip
import json
import os
import random
import xml.etree.ElementTree as xml

import numpy as np
import pytest

from dhyan.cli.input_texts import BATCH
from support.commands import ENVIRONMENT, dhyan

TOPICS = {
    "river": (["boat", "water", "bridge", "fish"], ["flows", "floods", "drifts"]),
    "kitchen": (["cook", "rice", "bread", "soup"], ["boils", "fries", "bakes"]),
    "मौसम": (["बारिश", "हवा", "बादल", "धूप"], ["आई", "गई", "रुकी"]),
}
LINES = ["a warm film", "", "ठंडी चाय", "   ", "2 + 2 = 4"]


@pytest.fixture
def here(packs, beside_packs, monkeypatch):
    monkeypatch.setattr("dhyan.pack.named_packs.BUILT_IN", packs / "none")  # as if nothing came with this version
    (beside_packs / "lines.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    (beside_packs / "blank.txt").write_text("\n  \n", encoding="utf-8")
    (beside_packs / "empty.txt").write_text("")
    (beside_packs / "few.txt").write_text("one\ntwo\nthree\n")
    return beside_packs


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def topical(count, seed):
    draw = random.Random(seed)
    for number in range(count):
        topic = list(TOPICS)[number % len(TOPICS)]
        nouns, verbs = TOPICS[topic]
        yield topic, f"{draw.choice(nouns)} {draw.choice(nouns)} {draw.choice(verbs)}"


def test_classify_in_columns(run):
    said = run("classify", *LINES, "--model", "encoder")
    rows = said.out.splitlines()
    assert len(rows) == len(LINES)
    assert rows[0].split(maxsplit=2)[0] in ("bad", "fine", "good")
    assert rows[0].endswith("  a warm film")
    assert {row.index(text) for row, text in zip(rows, LINES, strict=True) if text.strip()} == {13}
    assert rows[1] == rows[3] == "–            (empty)"
    assert said.err == "Note: 2 empty texts, kept in place without a label (–).\n"
    every = run("classify", "a warm film", "--model", "encoder", "--all").out.splitlines()
    assert every[0] == "a warm film"
    assert sum(float(row.split()[1]) for row in every[1:]) == pytest.approx(1, abs=0.002)


def test_classify_as_json(run):
    found = objects(run("classify", "--file", "lines.txt", "--model", "encoder", "--json", "--all").out)
    assert [one["text"] for one in found] == LINES
    assert found[1] == {"text": "", "label": None, "probability": None, "probabilities": None}
    for one in (found[0], found[2], found[4]):
        assert next(iter(one["probabilities"].items())) == (one["label"], one["probability"])
        assert sum(one["probabilities"].values()) == pytest.approx(1, abs=1e-4)


def test_texts_come_in_many_clothes(run, here):
    """Arguments, files of each kind and a pipe give the same answers."""
    texts = [text for text in LINES if text.strip()]
    plain = "".join(f"{text}\n" for text in texts)
    (here / "a.txt").write_text("\ufeff" + plain.replace("\n", "\r\n"), encoding="utf-8", newline="")
    (here / "a.txt.gz").write_bytes(gzip.compress(plain.encode()))
    (here / "a.tsv").write_text("".join(f"{text}\tmore\n" for text in texts), encoding="utf-8")
    (here / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    expected = run("classify", *texts, "--model", "encoder").out
    for name in ("a.txt", "a.txt.gz", "a.tsv", "a.jsonl"):
        assert run("classify", "--file", name, "--model", "encoder").out == expected
    assert run("classify", "--model", "encoder", stdin=plain).out == expected
    assert run("classify", "--file", "-", "--model", "encoder", stdin="\ufeff" + plain).out == expected


def test_embed_writes_arrays_and_json_lines(run, here):
    said = run("embed", "--file", "lines.txt", "--model", "encoder", "-o", "vectors.npy")
    assert "vectors.npy holds 5 vectors of 48 numbers." in said.err
    vectors = np.load("vectors.npy")
    assert vectors.shape == (5, 48)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1, 0, 1], atol=1e-5)
    told = run("embed", "--file", "lines.txt", "--model", "encoder", "-o", "vectors.jsonl", "--json").out
    assert json.loads(told) == {"file": "vectors.jsonl", "texts": 5, "d_model": 48}
    printed = run("embed", "--file", "lines.txt", "--model", "encoder").out
    assert (here / "vectors.jsonl").read_text(encoding="utf-8") == printed
    found = objects(printed)
    assert [one["text"] for one in found] == LINES
    np.testing.assert_allclose([one["vector"] for one in found], vectors, atol=1e-6)


def test_many_texts_go_through_in_batches(run):
    texts = [f"{number} river" if number % 3 else "" for number in range(2 * BATCH + 7)]
    run("embed", "--model", "encoder", "-o", "all.npy", stdin="\n".join(texts))
    vectors = np.load("all.npy")
    assert vectors.shape == (len(texts), 48)
    assert [bool(vector.any()) for vector in vectors] == [bool(text) for text in texts]
    found = objects(run("classify", "--model", "encoder", "--json", stdin="\n".join(texts)).out)
    assert [one["text"] for one in found] == texts


def test_what_was_there_stays_when_embedding_fails(run, here):
    (here / "broken.txt").write_bytes(b"a river\n" * (BATCH + 1) + b"caf\xe9\n")
    for name in ("old.npy", "old.jsonl"):
        (here / name).write_text("old")
        told = run("embed", "--file", "broken.txt", "--model", "encoder", "-o", name, expect=2).err
        assert "there already" in told
        assert (here / name).read_text() == "old"
        fresh = name.replace("old", "new")
        assert "not UTF-8" in run("embed", "--file", "broken.txt", "--model", "encoder", "-o", fresh, expect=2).err
        assert not [path for path in here.iterdir() if "new" in path.name]


def test_similar_finds_the_nearest_first(run, here):
    (here / "among.jsonl").write_text('{"text": "river bank"}\n\n{"text": " "}\n{"text": "नदी"}\n{"text": "money"}\n')
    rows = run("similar", "नदी", "--among", "among.jsonl", "--top", 2, "--model", "encoder").out.splitlines()
    assert rows[0] == " 1.000  नदी"
    assert len(rows) == 2
    said = run("similar", "money", "नदी", "--among", "among.jsonl", "--model", "encoder", "--json")
    assert "1 empty text, left out" in said.err
    first, second = objects(said.out)
    assert (first["query"], first["nearest"][0]["text"], first["nearest"][0]["line"]) == ("money", "money", 5)
    cosines = [one["cosine"] for one in second["nearest"]]
    assert cosines == sorted(cosines, reverse=True)
    assert len(cosines) == 3  # fewer than --top


@pytest.mark.parametrize("suffix", ["svg", "html"])
def test_cluster_and_its_map(run, here, suffix):
    texts = ["river bank & <water>", "नदी का किनारा", "", "money bank", "पैसे का घर", "river flows", "नदी का घर"]
    (here / "texts.txt").write_text("\n".join(texts), encoding="utf-8")
    said = run("cluster", "texts.txt", "--clusters", 2, "--model", "encoder", "--map", f"map.{suffix}", "--json")
    found = json.loads(said.out)
    assert found["texts"] == 6
    assert sorted(line for one in found["clusters"] for line in one["lines"]) == [1, 2, 4, 5, 6, 7]
    for one in found["clusters"]:
        assert one["size"] == len(one["lines"])
        assert texts[one["lines"][0] - 1] in one["examples"] or one["size"] > 3
    drawing = (here / f"map.{suffix}").read_text(encoding="utf-8")
    xml.fromstring(drawing.removeprefix("<!doctype html>").replace('<meta charset="utf-8">', ""))
    assert "<title>river bank &amp; &lt;water&gt;</title>" in drawing
    assert f"The map is in map.{suffix}." in said.err
    shown = run("cluster", "--clusters", 2, "--model", "encoder", stdin="\n".join(texts)).out
    assert all(f"    {example}\n" in shown for one in found["clusters"] for example in one["examples"])


BAD = {
    "classify": "there are no texts",
    "classify words --file lines.txt": "not both",
    "classify words": "no pack for this command comes with this version: train one with `dhyan train classify",
    "embed words": "`dhyan train embed",
    "similar words --among lines.txt": "no pack for this command",
    "cluster lines.txt": "no pack for this command",
    "classify --file empty.txt --model encoder": "empty.txt is empty",
    "classify --file blank.txt --model encoder": "no text in blank.txt",
    "embed --file nowhere.txt --model encoder": "nowhere.txt",
    "cluster blank.txt --model encoder": "no text in blank.txt",
    "classify words --model encodr": "did you mean 'encoder'?",
    "classify words --model encoder-decoder": "is a pack for `dhyan translate`",
    "embed words --model decoder": "is a pack for `dhyan write`",
    "cluster lines.txt --model encoder-decoder": "is a pack for `dhyan translate`",
    "classify words --model encoder --device tpu": "it is auto, cpu or cuda",
    "classify words --model encoder --threads -1": "--threads",
    "embed words --model encoder -o vectors.txt": "must end in .npy or .jsonl",
    "embed words --model encoder -o vectors.jsn": "did you mean '.jsonl'?",
    "embed words --model encoder -o vectors": "must end in .npy or .jsonl",
    "embed words --model encoder -o nowhere/vectors.npy": "a folder that is there",
    "similar words --model encoder": "--among",
    "similar words --among empty.txt --model encoder": "empty.txt is empty",
    "similar words --among lines.txt --top 0 --model encoder": "--top",
    "cluster lines.txt --clusters 0 --model encoder": "--clusters",
    "cluster lines.txt --clusters 1 --model encoder": "--clusters",
    "cluster few.txt --clusters 4 --model encoder": "3 texts are too few for 4 clusters",
    "cluster lines.txt --map map.png --model encoder": "must end in .svg or .html",
    "cluster lines.txt --map nowhere/map.svg --model encoder": "a folder that is there",
}


@pytest.mark.parametrize("command", BAD)
def test_what_is_wrong_is_said_in_one_line(command, run, here):
    before = sorted(here.iterdir())
    said = run(*command.split(), expect=2)
    assert BAD[command] in said.err
    assert said.err.count("\n") == 1
    assert said.err.startswith("dhyan: ")
    assert said.out == ""
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize(
    ("stdin", "told"), [("", "standard input"), ("\n \n", "standard input"), (b"\xff\n", "UTF-8")]
)
def test_a_pipe_with_nothing_to_read(stdin, told, run):
    assert told in run("classify", "--model", "encoder", stdin=stdin, expect=2).err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(run, here):
    (here / "closed").mkdir(mode=0o500)
    told = run("embed", "words", "--model", "encoder", "-o", "closed/vectors.npy", expect=2).err
    assert "may not be written to" in told


def test_a_pack_of_the_right_name_is_the_default(run, packs, monkeypatch, tmp_path):
    monkeypatch.setenv("DHYAN_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "packs").mkdir(parents=True)
    for name in ("sentiment", "english"):
        (tmp_path / "home" / "packs" / name).symlink_to(packs / "encoder")
    assert run("classify", "words").out == run("classify", "words", "--model", "encoder").out
    assert len(objects(run("embed", "words").out)) == 1


def test_a_trained_classifier_makes_sense(tmp_path, monkeypatch):
    """It labels texts that it has not seen, and its encoder finds and names the topics without being told them."""
    monkeypatch.setitem(ENVIRONMENT, "DHYAN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "train.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in topical(300, seed=1)), encoding="utf-8")
    size = ["--d-model", 32, "--heads", 2, "--d-ff", 64, "--encoder-layers", 1, "--dropout", 0]
    pace = ["--steps", 60, "--learning-rate", "5e-3", "--batch-tokens", 1024]
    dhyan("train", "classify", "--train", "train.tsv", "--out", "pack", *size, *pace, folder=tmp_path)
    fresh = list(topical(60, seed=2))
    (tmp_path / "fresh.txt").write_text("".join(f"{text}\n" for _, text in fresh), encoding="utf-8")
    found = objects(dhyan("classify", "--file", "fresh.txt", "--model", "pack", "--json", folder=tmp_path).stdout)
    assert [one["label"] for one in found] == [topic for topic, _ in fresh]
    found = json.loads(dhyan("cluster", "fresh.txt", "--model", "pack", "--json", folder=tmp_path).stdout)
    assert sorted(one["size"] for one in found["clusters"]) == [20, 20, 20]
    for one in found["clusters"]:
        (topic,) = {fresh[line - 1][0] for line in one["lines"]}
        assert set(one["words"]) <= {word for words in TOPICS[topic] for word in words}
    rows = dhyan("similar", "बारिश रुकी", "--among", "fresh.txt", "--model", "pack", folder=tmp_path).stdout
    assert all(line.split()[-1] in TOPICS["मौसम"][1] for line in rows.splitlines())
