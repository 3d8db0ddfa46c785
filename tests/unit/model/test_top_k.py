"""The likeliest tokens are those that softmax and topk find."""

import pytest
import torch

from dhyan.model.generation.top_k import largest, top_k


@pytest.mark.parametrize("size", [5, 64, 1000, 1024, 1025, 5000])
@pytest.mark.parametrize("count", [1, 5])
def test_largest_is_topk(size, count):
    generator = torch.Generator().manual_seed(size)
    x = torch.randn(3, 4, size, generator=generator)
    x[0, 0, :-2] = -torch.inf  # fewer real numbers than are asked for
    values, where = largest(x, count)
    assert torch.equal(values, x.topk(count).values)
    assert torch.equal(x.gather(-1, where), values)


def test_log_probabilities_are_those_of_all_tokens():
    torch.manual_seed(0)
    logits = torch.randn(2, 3, 2000)
    logprobs, ids = top_k(logits, 7)
    expected = logits.log_softmax(-1).topk(7)
    assert torch.equal(logprobs, expected.values)
    assert torch.equal(ids, expected.indices)
