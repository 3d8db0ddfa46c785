"""FSDP: every process keeps a part of each weight, gradient and moment, and borrows the rest for a moment."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from dhyan.model.transformer import Transformer
from dhyan.training.distributed.group import Ranks
from dhyan.training.objectives.objective import Loss


class ShardedLoss(nn.Module):
    """The way from a batch to its loss as one module, for FSDP brings weights together when a module is called."""

    def __init__(self, model: Transformer, loss: Loss) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, tensors: dict[str, Tensor]) -> Tensor:
        return self.loss(self.model, tensors)


def shard(model: Transformer, loss: Loss, ranks: Ranks, device: torch.device, half: bool) -> Loss:
    """Cut the model's weights up among the processes. Returns the loss that works with them.

    half: weights travel and work as bfloat16; the parts that are kept, and the sums of gradients, are float32.
    """
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh  # slow to import: only where it is needed
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    if ranks.workers is None:
        mesh = init_device_mesh(device.type, (ranks.count,))
    else:
        mesh = DeviceMesh.from_group(ranks.workers, device.type)
    precision = MixedPrecisionPolicy()
    if half:
        precision = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for module in model.modules():  # tables of positions are added to what is bfloat16
            for name, table in module.named_buffers(recurse=False):
                setattr(module, name, table.to(torch.bfloat16))
    whole = ShardedLoss(model, loss)
    for stack in (model.enc, model.dec):
        for layer in stack.layers() if stack is not None else ():
            fully_shard(layer, mesh=mesh, mp_policy=precision)
    fully_shard(whole, mesh=mesh, mp_policy=precision)  # what stands outside of the layers, embeddings above all

    def sharded_loss(_: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        found: Tensor = whole(tensors)
        return found

    return sharded_loss


def is_cut_up(tensor: Tensor) -> bool:
    return hasattr(tensor, "full_tensor")


def whole(tensor: Tensor) -> Tensor:
    """All of a weight; every process must ask for it at the same time."""
    if not is_cut_up(tensor):
        return tensor
    found: Tensor = tensor.full_tensor()  # type: ignore[attr-defined]
    return found


def like(tensor: Tensor, other: Tensor) -> Tensor:
    """A whole tensor cut up like another one, or as it is if that is whole."""
    if not is_cut_up(other):
        return tensor
    from torch.distributed.tensor import DTensor, distribute_tensor

    assert isinstance(other, DTensor)
    return distribute_tensor(tensor.to(other.device), other.device_mesh, other.placements, src_data_rank=None)


@contextmanager
def put_together(model: Transformer, ranks: Ranks) -> Iterator[Transformer]:
    """The model with whole weights in the first process, to be validated or stored."""
    if not any(map(is_cut_up, model.parameters())):
        yield model
        return
    gathered = {}
    for name, parameter in model.named_parameters():
        one = whole(parameter.detach())
        if ranks.first:
            gathered[name] = one.cpu().numpy()
    copy = Transformer(model.architecture)
    if ranks.first:
        copy.load_weights(gathered)
        copy.to(next(model.parameters()).device)
    yield copy
