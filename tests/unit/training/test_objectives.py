"""How rows become batches: what is shown, what is asked for, and that nothing of the answer is shown."""

import math

import numpy as np
import pytest
import torch

from dhyan.core.special_tokens import END, MASK, PAD, START
from dhyan.data.id_store import IdStore, IdStoreWriter
from dhyan.model.architecture import Architecture
from dhyan.model.layers import Dropout
from dhyan.model.transformer import Transformer
from dhyan.training.batching import DataPosition
from dhyan.training.losses import IGNORED, token_loss
from dhyan.training.objectives import KINDS
from dhyan.training.objectives.classification import mask_tokens
from dhyan.training.objectives.translation import shift_right
from dhyan.training.prepare import Prepared
from dhyan.training.recipe import Recipe
from dhyan.training.vocabularies import Tokenizers

SIZES = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1, "max_positions": 8}
TASK = {"masked": "embed", "contrastive": "embed", "next-token": "write", "translation": "translate"}


@pytest.fixture
def objective(tmp_path):
    def make(name, columns, **training):
        with IdStoreWriter(tmp_path / "store", list(columns), [tmp_path], [50] * len(columns)) as writer:
            rows = list(columns.values())
            writer.append(rows, [(tmp_path, line + 1) for line in range(len(rows[0]))])
        settings = {"objective": name, **training}
        recipe = Recipe(task=TASK[name], out=tmp_path / "x", model=SIZES, training=settings)
        architecture = Architecture(
            **SIZES, shape=recipe.shape, source_vocabulary=50, target_vocabulary=50, masked_head=name == "masked"
        )
        store = IdStore(tmp_path / "store")
        return KINDS[name](Prepared(recipe, architecture, Tokenizers({}, {}), [], store, store, True)), store

    return make


def everything(store):
    return np.arange(len(store))


def test_the_decoder_reads_the_target_one_place_later():
    target = torch.tensor([[7, 8, END], [9, END, IGNORED]])
    assert shift_right(target).tolist() == [[START, 7, 8], [START, 9, END]]


def test_translation_counts_real_tokens_only(objective):
    one, store = objective("translation", {"source": [[5, 6, END], [7, END]], "target": [[8, END], [9, 9, 9, END]]})
    batch = one.batch(store, everything(store), DataPosition())
    assert batch.tensors["source"].tolist() == [[5, 6, END], [7, END, PAD]]
    assert batch.tensors["target"].tolist() == [[8, END, IGNORED, IGNORED], [9, 9, 9, END]]
    assert (batch.tokens, batch.units) == (11, 6)


def test_padding_costs_nothing_and_an_ignorant_model_costs_log_v():
    logits = torch.zeros(1, 4, 50)
    assert float(token_loss(logits, torch.tensor([[5, 6, END, IGNORED]]), 0.0)) == pytest.approx(
        3 * math.log(50), rel=1e-5
    )


def test_masking_hides_what_is_asked_for_and_never_the_end(objective):
    random = np.random.default_rng(0)
    rows = [[*random.integers(5, 50, 30).tolist(), END] for _ in range(100)]
    one, store = objective("masked", {"text": rows}, mask_probability=0.2)
    batch = one.batch(store, everything(store), DataPosition(3, 4))
    text, shown = torch.tensor(rows), batch.tensors["input"]
    positions, wanted = batch.tensors["masked_positions"], batch.tensors["target"]
    assert torch.equal(wanted[wanted != IGNORED], text.gather(1, positions)[wanted != IGNORED])
    asked = torch.zeros_like(text, dtype=torch.bool).scatter(1, positions, wanted != IGNORED)
    assert int(asked.sum()) == int((wanted != IGNORED).sum())  # no place twice
    assert torch.equal(shown[~asked], text[~asked])
    assert not (asked & (text == END)).any()
    assert asked.float().mean() == pytest.approx(0.2 * 30 / 31, abs=0.02)
    assert (shown[asked] == MASK).float().mean() == pytest.approx(0.8, abs=0.05)
    assert (shown[asked] == text[asked]).float().mean() == pytest.approx(0.1, abs=0.04)
    assert batch.units == int(asked.sum())
    again, other = (one.batch(store, everything(store), place) for place in (DataPosition(3, 4), DataPosition(3, 5)))
    assert torch.equal(again.tensors["input"], shown)
    assert not torch.equal(other.tensors["input"], shown)


def test_only_what_is_asked_for_is_scored(objective):
    rows = [[*range(5, 5 + length), END] for length in (3, 6, 7)]
    one, store = objective("masked", {"text": rows}, mask_probability=0.4)
    torch.manual_seed(0)
    model = Transformer(one.prepared.architecture).eval()
    tensors = one.batch(store, everything(store), DataPosition()).tensors
    with torch.inference_mode():
        scores = model.mlm(model.encode(tensors["input"])[0]).log_softmax(-1)  # of every position
    asked = [
        (row, int(place), int(wanted))
        for row in range(len(rows))
        for place, wanted in zip(tensors["masked_positions"][row], tensors["target"][row], strict=True)
        if wanted != IGNORED
    ]
    expected = -sum(float(scores[place]) for place in asked)
    assert one.loss(model, tensors).item() == pytest.approx(expected, rel=1e-5)


def test_word_dropout_hides_words_while_training_and_never_the_end_or_padding():
    torch.manual_seed(0)
    text = torch.randint(5, 50, (200, 30))
    text[:, -2], text[:, -1] = END, PAD
    seen = mask_tokens(text, 0.25, MASK, range(5))
    assert torch.equal(seen[:, -2:], text[:, -2:])
    assert torch.equal(seen[seen != MASK], text[seen != MASK])
    assert (seen[:, :-2] == MASK).float().mean() == pytest.approx(0.25, abs=0.02)


def test_contrastive_draws_two_different_texts_of_each_row(objective):
    texts = {f"text{number}": [[10 * number + row, END] for row in range(3)] for number in (1, 2)}
    texts["text3"] = [[], [31, END], []]  # only the second row has a third paraphrase
    one, store = objective("contrastive", texts)
    seen = set()
    for number in range(40):
        batch = one.batch(store, everything(store), DataPosition(0, number))
        for row, pair in enumerate(zip(batch.tensors["first"], batch.tensors["second"], strict=True)):
            first, second = (int(side[0]) for side in pair)
            assert first != second
            assert first % 10 == second % 10 == row
            seen.add((first, second))
    assert {(11, 31), (31, 21), (10, 20), (20, 10)} <= seen


def test_contrast_is_zero_when_partners_are_alike_and_others_are_not(objective):
    one, _ = objective("contrastive", {"text1": [[5, END]], "text2": [[5, END]]}, contrastive_temperature=0.01)
    one.similarities = lambda model, tensors: torch.eye(4)
    assert float(one.loss(None, {})) == pytest.approx(0, abs=1e-6)
    one.similarities = lambda model, tensors: torch.ones(4, 4)
    assert float(one.loss(None, {})) == pytest.approx(4 * math.log(4), rel=1e-5)


def test_windows_cover_the_text_and_every_epoch_cuts_it_elsewhere(objective):
    one, store = objective("next-token", {"text": [list(range(5, 45))]})
    windows = one.lengths(store)
    assert windows.tolist() == [[8]] * 4  # 40 tokens, a window spared for the shift
    starts = set()
    for epoch in range(20):
        batch = one.batch(store, np.arange(4), DataPosition(epoch, 0))
        flat = batch.tensors["target"].flatten().tolist()
        assert flat == list(range(flat[0], flat[0] + 32))
        starts.add(flat[0])
    assert len(starts) > 3


def test_a_text_shorter_than_the_window_is_one_window(objective):
    one, store = objective("next-token", {"text": [[5, 6, 7]]})
    assert one.batch(store, np.arange(1), DataPosition()).tensors["target"].tolist() == [[5, 6, 7]]


def test_no_position_sees_its_own_answer(objective):
    """Changing a token changes no prediction at or before its place: the mask keeps parallel training honest."""
    torch.manual_seed(0)
    one, _ = objective("next-token", {"text": [[5, 6, 7, 8]]})
    model = Transformer(one.prepared.architecture).eval()
    first, second = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[5, 6, 9, 8]])
    with torch.inference_mode():
        a, b = (model(shift_right(target))[0] for target in (first, second))
    torch.testing.assert_close(a[:3], b[:3])
    assert not torch.allclose(a[3], b[3])


def test_every_token_of_a_short_text_is_learnt_sooner_or_later(objective):
    one, store = objective("next-token", {"text": [list(range(5, 20))]})  # 15 tokens, a window of 8
    batches = [one.batch(store, np.arange(len(one.lengths(store))), DataPosition(epoch)) for epoch in range(60)]
    seen = {token for batch in batches for token in batch.tensors["target"].flatten().tolist()}
    assert seen == set(range(5, 20))


def test_validation_reads_the_text_to_its_end(objective, tmp_path):
    one, _ = objective("next-token", {"text": [list(range(5, 20))]})
    other = IdStore(tmp_path / "store")  # the same text, held out
    assert one.lengths(other).tolist() == [[8], [7]]
    batch = one.batch(other, np.arange(2), DataPosition())
    assert batch.units == 15
    assert batch.tensors["target"][1].tolist() == [*range(13, 20), IGNORED]


def test_r_drop_asks_two_passes_to_agree(objective):
    pairs = {"source": [[5, 6, END], [7, END]], "target": [[8, END], [9, 9, 9, END]]}
    one, store = objective("translation", pairs, r_drop=5.0)
    tensors = one.batch(store, everything(store), DataPosition()).tensors
    torch.manual_seed(0)
    model = Transformer(one.prepared.architecture, Dropout(residual=0.3))
    assert one.training_loss(model.eval(), tensors).item() == pytest.approx(one.loss(model, tensors).item(), rel=1e-5)
    apart = torch.stack([one.training_loss(model.train(), tensors) for _ in range(50)]).mean()
    alone = torch.stack([one.loss(model.train(), tensors) for _ in range(50)]).mean()
    assert apart > alone + 0.1
    with pytest.raises(ValueError, match="r_drop is for objective"):
        Recipe(task="write", out="x", training={"objective": "next-token", "r_drop": 1.0})
