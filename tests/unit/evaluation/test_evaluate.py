"""The engines' scores are those that the PyTorch model gives when it is asked directly."""

import pytest
import torch
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, MASK, PAD, SPECIAL, START
from dhyan.engines.base import start_engine
from dhyan.engines.torch import TorchEngine
from dhyan.evaluation.evaluate import evaluate
from dhyan.evaluation.perplexity import masked_perplexity, perplexity
from dhyan.evaluation.test_data import TestData
from dhyan.evaluation.vectors import score_pairs
from dhyan.vectors.embedder import Embedder
from support.packs import TEXT, random_pack

LINES = [*TEXT, "the money", "नदी का घर", "bank", "", "grows and grows"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


def engines(pack):
    return start_engine(pack, compute="float32", threads=1), TorchEngine(pack, "cpu")


def padded(rows):
    width = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary"])
def test_the_perplexity_of_a_text_in_whole_windows(positions, tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", positions=positions, max_positions=16)
    (tmp_path / "text.txt").write_text("\n".join(LINES), encoding="utf-8")
    light, heavy = engines(pack)
    ids = pack.tokenizer.encode("\n".join(LINES))
    target = padded([ids[begin : begin + 16] for begin in range(0, len(ids), 16)])
    with torch.inference_mode():
        logits = heavy.model(F.pad(target[:, :-1], (1, 0), value=START))
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum").item()
    for engine in (light, heavy):
        found = perplexity(pack, engine, [tmp_path / "text.txt"])
        assert found["tokens"] == len(ids)
        assert found["window"] == 16
        assert found["loss"] == pytest.approx(loss / len(ids), rel=1e-4)


def test_masked_tokens_are_guessed_as_by_the_model(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder", max_positions=16, masked_head=True)
    (tmp_path / "text.txt").write_text("\n".join(LINES), encoding="utf-8")
    light, heavy = engines(pack)
    rows = [
        [*ids[at : at + 15], END]
        for ids in pack.tokenizer.encode_batch(LINES)
        for at in range(0, max(1, len(ids)), 15)
    ]
    ids = padded(rows)
    turn = torch.arange(ids.shape[1])[None] + torch.arange(len(rows))[:, None]
    masked = (turn % 7 == 3) & (ids >= len(SPECIAL))
    with torch.inference_mode():
        logits = heavy.model.mlm(heavy.model.encode(ids.masked_fill(masked, MASK))[0])[masked]
    right = ids[masked]
    for engine in (light, heavy):
        found = masked_perplexity(pack, engine, [tmp_path / "text.txt"])
        assert found["tokens"] == len(right) > 10
        assert found["loss"] == pytest.approx(F.cross_entropy(logits, right).item(), rel=1e-4)
        assert found["accuracy"] == pytest.approx((logits.argmax(-1) == right).float().mean().item())


def test_partners_are_found_and_scores_correlated_as_by_the_model(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder")
    texts = [line for line in LINES if line]
    (tmp_path / "pairs.tsv").write_text(
        "".join(f"{a}\t{b}\n" for a, b in zip(texts, texts[1:] + texts[:1], strict=True))
    )
    (tmp_path / "same.tsv").write_text("".join(f"{text}\t{text}\n" for text in texts))
    (tmp_path / "scored.tsv").write_text("".join(f"{n}\t{text}\t{texts[0]}\n" for n, text in enumerate(texts)))
    first, second = (
        {
            name: score_pairs(Embedder(pack, engine), TestData([tmp_path / name]), Progress())
            for name in ("pairs.tsv", "same.tsv", "scored.tsv")
        }
        for engine in engines(pack)
    )
    assert first["same.tsv"]["accuracy"] == 1
    assert first["pairs.tsv"]["accuracy"] == second["pairs.tsv"]["accuracy"] == 0
    assert first["scored.tsv"]["spearman"] == pytest.approx(second["scored.tsv"]["spearman"], abs=1e-4)
    assert first["scored.tsv"]["pearson"] == pytest.approx(second["scored.tsv"]["pearson"], abs=1e-4)


def test_a_variant_that_ctranslate2_cannot_run_is_judged_too(tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", positions="alibi")
    (tmp_path / "text.txt").write_text("\n".join(LINES), encoding="utf-8")
    found = evaluate(pack, TestData([tmp_path / "text.txt"]))
    expected = perplexity(pack, TorchEngine(pack, "cpu"), [tmp_path / "text.txt"])["loss"]
    assert found["loss"] == pytest.approx(expected, abs=1e-4)
