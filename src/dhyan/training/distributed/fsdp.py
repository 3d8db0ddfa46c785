"""FSDP: every process keeps a shard of each weight, gradient and moment, and gathers the rest when it computes."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from dhyan.model.transformer import Transformer
from dhyan.training.distributed.group import Group
from dhyan.training.objectives.objective import Loss


class ShardedLoss(nn.Module):
    """From a batch to its loss as one module, because FSDP gathers weights when a module is called."""

    def __init__(self, model: Transformer, loss: Loss) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, tensors: dict[str, Tensor]) -> Tensor:
        return self.loss(self.model, tensors)


def shard(model: Transformer, loss: Loss, group: Group, device: torch.device, bfloat16: bool) -> Loss:
    """Shard the model's weights among the processes. Returns the loss that works with them.

    bfloat16: weights are sent and used as bfloat16; the stored shards and the sums of gradients are float32.
    """
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh  # slow to import: only where it is needed
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    if group.gpu_group is None:
        mesh = init_device_mesh(device.type, (group.count,))
    else:
        mesh = DeviceMesh.from_group(group.gpu_group, device.type)
    precision = MixedPrecisionPolicy()
    if bfloat16:
        precision = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for module in model.modules():  # tables of positions are added to what is bfloat16
            for name, table in module.named_buffers(recurse=False):
                setattr(module, name, table.to(torch.bfloat16))
    module = ShardedLoss(model, loss)
    for stack in (model.enc, model.dec):
        for layer in stack.layers() if stack is not None else ():
            fully_shard(layer, mesh=mesh, mp_policy=precision)
    fully_shard(module, mesh=mesh, mp_policy=precision)  # what is outside the layers, above all the embeddings

    def sharded_loss(_: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        found: Tensor = module(tensors)
        return found

    return sharded_loss


def is_sharded(tensor: Tensor) -> bool:
    return hasattr(tensor, "full_tensor")


def full_tensor(tensor: Tensor) -> Tensor:
    """All of a weight. A collective operation: every process must call it."""
    if not is_sharded(tensor):
        return tensor
    found: Tensor = tensor.full_tensor()  # type: ignore[attr-defined]
    return found


def shard_like(tensor: Tensor, other: Tensor) -> Tensor:
    """A full tensor sharded like another one, or as it is if that is not sharded."""
    if not is_sharded(other):
        return tensor
    from torch.distributed.tensor import DTensor, distribute_tensor

    assert isinstance(other, DTensor)
    return distribute_tensor(tensor.to(other.device), other.device_mesh, other.placements, src_data_rank=None)


@contextmanager
def unsharded(model: Transformer, group: Group) -> Iterator[Transformer]:
    """The model with full weights in the main process, for validation and for saving."""
    if not any(map(is_sharded, model.parameters())):
        yield model
        return
    gathered = {}
    for name, parameter in model.named_parameters():
        full = full_tensor(parameter.detach())
        if group.is_main:
            gathered[name] = full.cpu().numpy()
    copy = Transformer(model.architecture)
    if group.is_main:
        copy.load_weights(gathered)
        copy.to(next(model.parameters()).device)
    yield copy
