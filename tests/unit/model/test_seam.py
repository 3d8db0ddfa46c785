"""The model reads alone: registries for its variants, one place for faster backends, and no word of a GPU."""

import re
from pathlib import Path
from typing import get_args

import pytest
import torch

import dhyan.model
from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END
from dhyan.engines.torch import TorchEngine
from dhyan.model import backends, fast
from dhyan.model.architecture import Architecture, ModelSettings, Variant
from dhyan.model.attention import ATTENTIONS, attention, fused
from dhyan.model.backends import Backend
from dhyan.model.fast.backend import FastBackend
from dhyan.model.fast.packed_attention import SegmentMask
from dhyan.model.fast.static_kv_cache import KeyCounts
from dhyan.model.layers import ACTIVATIONS, NORMS
from dhyan.model.masks import CausalMask, DenseMask, padding_mask
from dhyan.model.positions import POSITIONS
from dhyan.model.transformer import Transformer
from support.models import build, rows
from support.packs import random_pack

ROOM = Path(dhyan.model.__file__).parent
GPU_WORDS = r"cuda|triton|kernel|\bgpu\b|graph|\bpack(ed|ing)\b|replay|bfloat16"


def test_the_model_is_short_and_has_no_gpu_word():
    texts = {path.name: path.read_text(encoding="utf-8") for path in ROOM.glob("*.py")}
    assert sum(len(text.splitlines()) for text in texts.values()) < 850
    assert {name: re.findall(GPU_WORDS, text, re.IGNORECASE) for name, text in texts.items()} == {
        name: [] for name in texts
    }


@pytest.mark.parametrize(("field", "registry"), [("positions", POSITIONS), ("activation", ACTIVATIONS)])
def test_a_setting_offers_what_the_registry_has(field, registry):
    offered = get_args(ModelSettings.model_fields[field].annotation)
    assert set(offered) <= set(registry)  # experiments may have registered more
    with pytest.raises(DhyanError, match=f"{field} = 'rotery' is not one of .*"):
        ModelSettings.checked({field: "rotery"}, "here")


@pytest.mark.parametrize("registry", [POSITIONS, NORMS, ACTIVATIONS, ATTENTIONS], ids=lambda one: one.part)
def test_an_unknown_variant_is_an_error_that_lists_the_known_ones(registry):
    with pytest.raises(DhyanError) as refused:
        registry["nothing like it"]
    assert all(name in str(refused.value) for name in registry)


def test_an_unknown_positional_encoding_is_never_rotary():
    architecture = Architecture(shape="encoder", d_model=16, heads=2, source_vocabulary=9)
    with pytest.raises(DhyanError, match=r"positions = 'rotery' is not one of .*did you mean 'rotary'"):
        Transformer(architecture, variant=Variant(positions="rotery"))


@torch.inference_mode()
def test_a_backend_is_asked_first_and_its_none_is_respected(monkeypatch):
    asked = []

    class Curious(Backend):
        def attend(self, query, key, value, mask, dropout):
            asked.append("attend")

        def project_and_attend(self, part, x, memory, mask):
            asked.append("project_and_attend")

        def layer_norm(self, x, gamma, beta, epsilon):
            asked.append("layer_norm")

    model, source, target = build("encoder-decoder"), rows([7, 5, 9, END]), rows([1, 6])
    expected = model(target, source)
    monkeypatch.setattr(backends, "current", Curious())
    assert torch.equal(model(target, source), expected)
    assert set(asked) == {"attend", "project_and_attend", "layer_norm"}

    class Wrong(Backend):
        def attend(self, query, key, value, mask, dropout):
            return torch.zeros_like(query)

    monkeypatch.setattr(backends, "current", Wrong())
    assert not torch.allclose(model(target, source), expected)


def test_the_fast_backend_is_installed_once_by_who_wants_speed(monkeypatch, tmp_path):
    monkeypatch.setattr(backends, "current", Backend())
    TorchEngine(random_pack(tmp_path / "pack", "decoder"), "cpu")
    installed = backends.current
    assert isinstance(installed, FastBackend)
    fast.install()
    assert backends.current is installed


@pytest.mark.parametrize(
    "mask",
    [
        None,
        CausalMask(torch.device("cpu")),
        padding_mask(torch.tensor([[5, 6, 7, 8, 0], [5, 6, 0, 0, 0]]), pad=0),
        SegmentMask(torch.tensor([[1, 1, 2, 2, 0]] * 2), torch.tensor([[1, 2, 2, 2, 0]] * 2), is_causal=False),
        KeyCounts(torch.tensor([2, 5], dtype=torch.int32)),
        KeyCounts(torch.tensor([2, 5], dtype=torch.int32)).plus(torch.randn(1, 3, 5, 5)),
        CausalMask(torch.device("cpu")).plus(torch.randn(1, 3, 5, 5)),
        DenseMask(torch.randn(2, 3, 5, 5)),
    ],
    ids=lambda mask: type(mask).__name__,
)
def test_fused_attention_is_the_formula_under_every_kind_of_mask(mask):
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 3, 5, 4)
    expected = attention(query, key, value, mask)
    torch.testing.assert_close(fused(query, key, value, mask, 0.0), expected.context)
    torch.testing.assert_close(expected.weights.sum(-1), torch.ones(2, 3, 5))


def test_packed_sequences_see_their_own_segment_alone():
    ids = torch.tensor([[1, 1, 2, 0]])
    assert (SegmentMask(ids, ids, is_causal=True).dense(torch.float32, 4, 4)[0, 0] == 0).int().tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 0, 1, 0],
        [1, 1, 1, 1],
    ]
