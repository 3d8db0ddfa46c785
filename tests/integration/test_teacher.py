"""`dhyan train --teacher`: a student learns from a pack's probabilities, word by word, in that pack's vocabulary."""

import shutil

import numpy as np
import pytest

from dhyan.pack.pack import read_pack
from dhyan.training.train import train
from support.commands import dhyan
from support.tiny import PAIRS, TINY

SMALL = [*TINY, "--steps", "60", "--learning-rate", "0.01", "--validate-every", "20", "--metric", "loss"]


@pytest.fixture
def place(trained, tmp_path):
    shutil.copytree(trained / "packs" / "en-hi", tmp_path / "teacher")
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS.items()), encoding="utf-8")
    # the same words, every one with another's translation
    turned = zip(PAIRS, [*list(PAIRS.values())[1:], next(iter(PAIRS.values()))], strict=True)
    (tmp_path / "wrong.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in turned), encoding="utf-8")
    return tmp_path


def words(folder):
    pack = read_pack(folder)
    return pack.source_tokenizer.to_json(), pack.target_tokenizer.to_json()


def test_a_student_takes_the_teachers_words_and_learns_what_it_says(place):
    dhyan("train", "translate", "--teacher", "teacher", "--teacher-weight", "1", "--train", "pairs.tsv", *SMALL,
          "--out", "student", folder=place)  # fmt: skip
    dhyan("train", "translate", "--vocabulary-of", "teacher", "--train", "pairs.tsv", *SMALL, "--out", "alone",
          folder=place)  # fmt: skip
    assert words(place / "student") == words(place / "alone") == words(place / "teacher")
    teacher, student = read_pack(place / "teacher"), read_pack(place / "student")
    assert teacher.manifest.architecture.d_model != student.manifest.architecture.d_model
    assert any(
        not np.array_equal(weights, read_pack(place / "alone").weights[name])
        for name, weights in student.weights.items()
    )
    assert 'teacher = "teacher"' in (place / "student" / "recipe.toml").read_text()


def test_the_share_says_whom_to_believe(place):
    """The data says one thing, the teacher another: with share 1 the student sides with the teacher."""
    losses = {}
    for share in ("0", "1"):
        out = f"student-{share}"
        dhyan("train", "translate", "--teacher", "teacher", "--teacher-weight", share, "--train", "wrong.tsv",
              "--valid", "pairs.tsv", *SMALL, "--label-smoothing", "0", "--out", out, folder=place)  # fmt: skip
        losses[share] = read_pack(place / out).manifest.metrics["validation"]["loss"]
    assert losses["1"] < losses["0"] - 0.1


def test_a_training_with_a_teacher_can_be_gone_on_with(place, monkeypatch):
    monkeypatch.chdir(place)
    dhyan("train", "translate", "--teacher", "teacher", "--train", "pairs.tsv", *SMALL, "--out", "later", "--prepare",
          folder=place)  # fmt: skip
    dhyan("train", "--resume", "later.training", folder=place)
    dhyan("train", "translate", "--teacher", "teacher", "--train", "pairs.tsv", *SMALL, "--out", "now", folder=place)
    later, now = read_pack(place / "later"), read_pack(place / "now")
    for name, weights in now.weights.items():
        np.testing.assert_array_equal(weights, later.weights[name])


def test_a_pack_is_brought_to_another_vocabulary(place):
    """What it has learnt is still there: it begins far better than random weights do."""
    other = ["--vocabulary", "384", "--steps", "1", "--metric", "loss", "--learning-rate", "1e-9"]
    dhyan("train", "translate", "--train", "pairs.tsv", *other, "--out", "other", folder=place)
    asked = ["--train", "pairs.tsv", "--vocabulary-of", "other", "--steps", "1", "--metric", "loss",
             "--learning-rate", "1e-9"]  # fmt: skip
    dhyan("train", "translate", "--start-from", "teacher", *asked, "--out", "moved", folder=place)
    teacher, moved, random = (read_pack(place / name) for name in ("teacher", "moved", "other"))
    assert words(place / "moved") == words(place / "other") != words(place / "teacher")
    assert moved.manifest.architecture.d_model == teacher.manifest.architecture.d_model
    (knows, knew_nothing) = (pack.manifest.metrics["training rows"]["loss"] for pack in (moved, random))
    assert knows < knew_nothing - 1
    shared = teacher.source_tokenizer.encode("e")[-1], moved.source_tokenizer.encode("e")[-1]
    np.testing.assert_allclose(moved.weights["enc.E"][shared[1]], teacher.weights["enc.E"][shared[0]], atol=1e-6)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("translate --teacher nope", ["there is no pack 'nope'"]),
        ("translate --teacher moods", ["moods is a pack for `dhyan classify`", "a pack that translates"]),
        ("translate --teacher teacher --vocabulary 300", ["text.vocabulary = 300", "leave the setting out"]),
        ("translate --teacher teacher --start-from other", ["teacher has another vocabulary", "--vocabulary-of"]),
        ("translate --vocabulary-of teacher --start-from other --vocabulary 384", ["vocabulary = 384"]),
        ("translate --teacher teacher --max-positions 999", ["texts of up to 256 tokens", "set --max-positions 256"]),
        ("translate --teacher teacher --r-drop 5", ["r_drop does not go with a teacher"]),
        ("translate --teacher teacher --teacher-weight 2", ["teacher_weight = '2'", "less than or equal to 1"]),
        ("write --teacher teacher", ["a teacher is for objective 'translation'"]),
    ],
)
def test_what_a_teacher_cannot_be_is_told_in_a_line(place, trained, command, said):
    shutil.copytree(trained / "packs" / "sentiment", place / "moods")
    if "other" in command:
        train({"task": "translate", "out": place / "other", "data": {"train": [place / "pairs.tsv"]},
               "text": {"vocabulary": 384}, "training": {"steps": 1}})  # fmt: skip
    found = dhyan("train", *command.split(), "--train", "pairs.tsv", "--out", "new", folder=place, expect=2)
    assert all(words in found.stderr for words in said), found.stderr
    assert found.stderr.strip().count("\n") == 0
