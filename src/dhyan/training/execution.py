"""How a training runs on this machine: device, precision, packing, sharding, compilation. Decided once, up front."""

from dataclasses import dataclass

import torch

from dhyan.core.errors import DhyanError
from dhyan.model.architecture import Architecture
from dhyan.training.distributed.group import Group
from dhyan.training.objectives import Objective
from dhyan.training.precision import uses_bfloat16
from dhyan.training.recipe import TrainingSettings


@dataclass(frozen=True)
class Execution:
    device: torch.device
    bfloat16: bool  # products in bfloat16, weights and sums in float32
    packed: bool  # sequences packed, so that there is little padding
    sharded: bool  # FSDP
    compiled: bool

    @classmethod
    def choose(
        cls, settings: TrainingSettings, architecture: Architecture, objective: Objective, group: Group
    ) -> "Execution":
        """Raises where the settings do not go together here. Changes nothing."""
        device = group.find_device(settings.device)
        bfloat16 = uses_bfloat16(settings, device)
        sharded = settings.parallel == "fsdp" and group.count > 1
        if group.count > 1 and not objective.can_split:
            raise DhyanError(
                f"objective = '{settings.objective}' cannot be trained by several processes, because a row's"
                " negatives are all the other rows of its batch; start one process."
            )
        if sharded and settings.compile:
            raise DhyanError("--compile does not go with --parallel fsdp; leave one of them out.")
        return cls(
            device=device,
            bfloat16=bfloat16,
            # It pays off on a GPU, whose attention kernel for packed sequences needs such sizes.
            packed=objective.can_pack and bfloat16 and architecture.d_head % 8 == 0,
            sharded=sharded,
            compiled=settings.compile,
        )
