"""The real commands train small tasks to near-perfection: if anything from text to pack is wrong, this fails."""

import json
import random

import pytest
import torch

from dhyan.core.special_tokens import START
from dhyan.model.generation.generate import generate
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import read_pack
from support.commands import dhyan
from support.tiny import reversed_digits

pytestmark = pytest.mark.long


def write_rows(path, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scores(*arguments, folder):
    return json.loads(dhyan("evaluate", *arguments, "--json", folder=folder).stdout)


def test_digits_are_reversed(tmp_path):
    train = write_rows(tmp_path / "train.tsv", reversed_digits(6000, seed=1, longest=5))
    seen = set(train.read_text().splitlines())
    fresh = [row for row in reversed_digits(1500, seed=2, longest=5) if "\t".join(row) not in seen]
    test = write_rows(tmp_path / "test.tsv", fresh[:500])
    size = ["--d-model", 64, "--heads", 4, "--encoder-layers", 2, "--decoder-layers", 1, "--steps", 400]
    pace = ["--batch-tokens", 1536, "--learning-rate", "4e-3", "--dropout", 0, "--ema", 0.98, "--validate-every", 200]
    dhyan("train", "translate", "--train", train, "--out", "reverser", *size, *pace, folder=tmp_path)
    scores("reverser", "--test", test, "--output", "said.txt", folder=tmp_path)
    said = (tmp_path / "said.txt").read_text().splitlines()
    right = [found == target for found, (_, target) in zip(said, fresh[:500], strict=True)]
    assert len(right) == 500
    assert sum(right) / len(right) >= 0.99


def test_a_classifier_learns_what_only_word_order_tells(tmp_path):
    """ "Nithish killed lion" and "lion killed Nithish" have the same words and different heroes."""
    draw = random.Random(0)
    heroes = ["Nithish", "lion", "tiger", "Asha", "bear", "Ravi", "wolf", "Meena"]
    verbs = ["killed", "saw", "followed", "heard", "met"]

    def rows(count):
        for _ in range(count):
            first, second = draw.sample(heroes, 2)
            before, after = (" ".join(draw.sample(["today", "there", "again", "once"], 2)) for _ in range(2))
            label = "first" if first < second else "second"  # which of the two did it decides, by the alphabet
            yield label, f"{before} {first} {draw.choice(verbs)} {second} {after}"

    train, test = (
        write_rows(tmp_path / f"{name}.tsv", rows(count)) for name, count in (("train", 4000), ("test", 600))
    )
    size = ["--d-model", 48, "--heads", 4, "--encoder-layers", 2, "--steps", 250, "--batch-tokens", 2048]
    pace = ["--learning-rate", "3e-3", "--dropout", 0, "--validate-every", 125]
    dhyan("train", "classify", "--train", train, "--out", "judge", *size, *pace, folder=tmp_path)
    found = scores("judge", "--test", test, folder=tmp_path)
    assert found["rows"] == 600
    assert found["accuracy"] >= 0.98
    assert found["f1"] >= 0.98


def test_a_character_writer_learns_a_small_language(tmp_path):
    """Three free choices of eight in each line and all else given: 3 ln 8 nats a line, the least there can be."""
    draw = random.Random(0)
    choices = [
        ["old", "red", "shy", "big", "hot", "wet", "odd", "new"],
        ["cat", "dog", "fox", "hen", "owl", "pig", "rat", "yak"],
        ["runs", "eats", "naps", "digs", "hums", "kicks", "flies", "jumps"],
    ]
    lines = ["the {} {} {}.\n".format(*(draw.choice(words) for words in choices)) for _ in range(6000)]
    (tmp_path / "book.txt").write_text("".join(lines[:5500]))
    (tmp_path / "test.txt").write_text("".join(lines[5500:]))
    size = ["--pieces", "characters", "--d-model", 64, "--heads", 4, "--decoder-layers", 2, "--max-positions", 64]
    pace = ["--steps", 500, "--batch-tokens", 2048, "--learning-rate", "4e-3", "--dropout", 0]
    dhyan("train", "write", "--train", "book.txt", "--out", "writer", *size, *pace, folder=tmp_path)
    loss = scores("writer", "--test", "test.txt", folder=tmp_path)["loss"]
    least = 3 * 2.0794 / (sum(map(len, lines)) / len(lines))  # 0.34 nats a character
    assert least < loss < 1.25 * least

    pack = read_pack(tmp_path / "writer")
    model = Transformer(pack.manifest.architecture).eval()
    model.load_weights(pack.weights)
    prompt = torch.tensor([[START, *pack.tokenizer.encode("the ")]])
    decoding = GenerationSettings(sample=True, seed=1, max_length=50)
    written = "the " + pack.tokenizer.decode(generate(model, decoding, None, prompt)[0][0].ids)
    whole = written.splitlines()[:-1]
    assert len(whole) >= 2
    language = [words for kind in choices for words in kind]
    assert all(word.strip(".") in ["the", *language] for line in whole for word in line.split())


NOTES = [
    ("How are you?", "आप कैसे हैं"),
    ("Congratulations", "बधाई हो"),
    ("Thank you", "धन्यवाद"),
    ("I am fine", "मैं बढ़िया हूँ"),
    ("We are friends", "हम दोस्त हैं"),
    ("I like eating ice-cream", "मुझे आइसक्रीम खाना पसंद है"),
]


def test_the_list_of_the_notes_is_learnt_by_heart(tmp_path):
    """With nothing chosen by hand: the sizes come from the data."""
    pairs = write_rows(tmp_path / "pairs.tsv", NOTES)
    dhyan("train", "translate", "--train", pairs, "--out", "notes", folder=tmp_path)
    scores("notes", "--test", pairs, "--output", "said.txt", folder=tmp_path)
    said = (tmp_path / "said.txt").read_text(encoding="utf-8").splitlines()
    assert said == [target for _, target in NOTES]
