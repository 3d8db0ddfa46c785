"""Without the mask, parallel training sees the future: the loss looks wonderful, and inference fails."""

import random

import pytest
import torch

from dhyan.core.progress import Progress
from dhyan.model.generation.settings import GenerationSettings
from dhyan.training.prepare import open_prepared, prepare
from dhyan.training.train import plan
from dhyan.training.trainer import Trainer
from support.models import translate
from support.tiny import reversed_digits

pytestmark = pytest.mark.long

SIZES = {"d_model": 64, "heads": 4, "d_ff": 128, "encoder_layers": 2, "decoder_layers": 1}
TRAINING = {"steps": 300, "batch_tokens": 1536, "learning_rate": 4e-3, "dropout": 0.0, "label_smoothing": 0.0}


def rows(count, seed):
    """Digits, and the same reversed with three more that nobody can know: an honest loss cannot come to zero."""
    draw = random.Random(seed)
    for source, target in reversed_digits(count, seed, longest=4):
        yield source, " ".join([target, *(str(draw.randint(0, 9)) for _ in range(3))])


def trained(folder, masked):
    """The training loss at the end, and the share of answers that real generation gets right."""
    path = folder / "rows.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in rows(3000, seed=1)))
    values = {"task": "translate", "out": folder / f"masked-{masked}", "data": {"train": [path]}, "model": SIZES}
    planned = plan(values | {"training": TRAINING})
    prepare(planned, Progress())
    prepared = open_prepared(planned.recipe.folder, planned.recipe)
    trainer = Trainer(prepared, Progress())
    trainer.model.decoder.is_causal = masked
    losses = []
    step = trainer.step
    trainer.step = lambda batch: losses.append(float(loss := step(batch))) or loss
    trainer.run()
    trainer.model.eval()
    sources, targets = zip(*reversed_digits(200, seed=5, longest=4), strict=True)
    tokenizers, greedy = prepared.tokenizers, GenerationSettings(beam=1, max_length=16)
    with torch.inference_mode():
        said = translate(trainer.model, tokenizers["source"], tokenizers["target"], sources, greedy)
    right = sum(text.startswith(target) for text, target in zip(said, targets, strict=True))
    return sum(losses[-20:]) / 20, right / len(sources)


def test_the_leak(tmp_path):
    honest_loss, honest = trained(tmp_path, masked=True)
    leaking_loss, leaking = trained(tmp_path, masked=False)
    assert leaking_loss < 0.1 * honest_loss  # it copies the answer that it is shown
    assert honest > 0.9
    assert leaking < 0.1  # and has no answer when none is shown
