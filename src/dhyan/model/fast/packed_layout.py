"""Packed sequences: several on one row, so that little of it is padding. Masks keep them from seeing each other."""

from typing import NamedTuple

from torch import Tensor

from dhyan.model.attention import fused
from dhyan.model.fast import packed_attention
from dhyan.model.layers import MultiHeadAttention
from dhyan.model.masks import DenseMask, Mask
from dhyan.model.positions import PositionIds
from dhyan.model.transformer import Transformer


class PackedLayout(NamedTuple):
    """Which sequence each token of a row belongs to, and where in that sequence it stands."""

    segment_ids: Tensor  # (rows, row length): the sequence's number on its row, from 1; 0 is padding
    position_ids: Tensor  # (rows, row length)


def packed_hidden(
    model: Transformer, target: Tensor, source: Tensor, target_at: PackedLayout, source_at: PackedLayout
) -> Tensor:
    """`Transformer.hidden` for packed sequences: (rows, row length) ids each → (rows, row length, d_model)."""
    has_kernels = kernels_suffice(model, target)

    def mask(queries: PackedLayout, keys: PackedLayout, is_causal: bool) -> Mask:
        if has_kernels:
            return packed_attention.KernelSegmentMask(queries.segment_ids, keys.segment_ids, is_causal)
        segments = packed_attention.SegmentMask(queries.segment_ids, keys.segment_ids, is_causal)
        lengths = queries.segment_ids.shape[1], keys.segment_ids.shape[1]
        return DenseMask(segments.dense(model.decoder.E.dtype, *lengths))  # once for all layers

    memory = model.encoder(source, mask(source_at, source_at, False), source_at.position_ids)
    own, across = mask(target_at, target_at, True), mask(target_at, source_at, False)
    hidden: Tensor = model.decoder(target, memory, across, mask=own, position_ids=target_at.position_ids)
    return hidden


def kernels_suffice(model: Transformer, rows: Tensor) -> bool:
    """Whether our kernels can do all the attention of such rows, (rows, row length): they do not rotate or drop."""
    part = next(part for part in model.modules() if isinstance(part, MultiHeadAttention))
    rotates = model.decoder.positions.rotation(PositionIds(0, 0)) is not None
    bare = not rotates and part.attention_dropout == 0.0 and part.attend is fused
    return bare and packed_attention.is_usable(rows.device, rows.shape[1], model.architecture.d_head)
