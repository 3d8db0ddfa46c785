"""Checkpoints: weights, optimizer state, weight average, random state and data position, for an exact resume.

Plain safetensors and JSON, written atomically: a kill at any moment leaves a complete checkpoint.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
from torch import Tensor, nn

from dhyan.core.atomic import atomic_folder, recover_folder, write_atomic
from dhyan.core.errors import DhyanError
from dhyan.core.settings import to_toml
from dhyan.pack.training_folder import RECIPE
from dhyan.training.batching import DataPosition
from dhyan.training.distributed.fsdp import full_tensor, shard_like
from dhyan.training.ema import WeightAverage
from dhyan.training.recipe import Recipe

STATE, TENSORS = "state.json", "tensors.safetensors"
MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass
class State:
    """How far a training has come."""

    step: int = 0
    position: DataPosition = field(default_factory=DataPosition)
    micro_batch_tokens: int = 0
    best_step: int = 0
    validations_since_best: int = 0
    seconds: float = 0.0  # of training, over all runs
    validations: int = 0
    validation_seconds: float = 0.0  # of all of them
    other_seconds: float = 0.0  # of a time limit: what is neither step nor validation takes so long
    tokens: int = 0  # real ones seen
    steps: int = 0  # that fit into the time limit; 0: as many as the recipe says
    threads: int = 0  # that a time limit has chosen
    metrics: dict[str, float] = field(default_factory=dict)  # of the best step


def gather(
    model: nn.Module, optimizer: torch.optim.Optimizer, average: WeightAverage | None, keep: bool = True
) -> dict[str, Tensor]:
    """All numbers of a training, unsharded, by name. A collective operation; `keep`: whether to return them."""
    names = [name for name, _ in model.named_parameters()]
    tensors: dict[str, Tensor] = {f"model/{name}": p.detach() for name, p in model.named_parameters()}
    for name, parameter in model.named_parameters():
        for moment in MOMENTS:
            if parameter in optimizer.state:
                tensors[f"{moment}/{name}"] = optimizer.state[parameter][moment]
    if average is not None:
        tensors |= {f"average/{name}": mean for name, mean in zip(names, average.mean, strict=True)}
    gathered = {}
    for name, tensor in tensors.items():
        full = full_tensor(tensor)
        if keep:
            gathered[name] = full.cpu().contiguous()
    gathered["random/cpu"] = torch.get_rng_state()
    device = next(model.parameters()).device
    if device.type == "cuda":
        gathered["random/cuda"] = torch.cuda.get_rng_state(device)
    return gathered


def save_checkpoint(folder: Path, recipe: Recipe, state: State, tensors: dict[str, Tensor]) -> None:
    with atomic_folder(folder) as part:
        write_atomic(part / TENSORS, to_bytes(tensors))
        write_atomic(part / STATE, json.dumps(asdict(state), indent=1))
        write_atomic(part / RECIPE, to_toml(recipe))


def read_state(folder: Path) -> State | None:
    """The state of a checkpoint, or None when there is none yet."""
    recover_folder(folder)
    path = folder / STATE
    if not path.exists():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        position = values.pop("place", None) or values["position"]  # its name before version 0.2
        return State(**(values | {"position": DataPosition(**position)}))
    except (ValueError, TypeError, KeyError):
        raise DhyanError(
            f"{path} is not a checkpoint's state; remove {folder} to start this training over."
        ) from None


def restore(
    folder: Path, state: State, model: nn.Module, optimizer: torch.optim.Optimizer, average: WeightAverage | None
) -> None:
    """Load everything back, the random state last."""
    try:
        tensors = load_file(folder / TENSORS)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(shard_like(tensors[f"model/{name}"], parameter))
            if average is not None:
                for (name, _), mean in zip(model.named_parameters(), average.mean, strict=True):
                    mean.copy_(shard_like(tensors[f"average/{name}"], mean))
    except Exception as error:
        raise DhyanError(f"{folder} cannot be read back ({error}); remove it to start this training over.") from None
    described = optimizer.state_dict()
    by_parameter = {parameter: name for name, parameter in model.named_parameters()}
    order = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    described["state"] = {
        index: {
            "step": torch.tensor(float(state.step)),
            **{moment: shard_like(tensors[f"{moment}/{by_parameter[parameter]}"], parameter) for moment in MOMENTS},
        }
        for index, parameter in enumerate(order)
        if f"{MOMENTS[0]}/{by_parameter[parameter]}" in tensors
    }
    optimizer.load_state_dict(described)
    torch.set_rng_state(tensors["random/cpu"])
    device = next(model.parameters()).device
    if "random/cuda" in tensors and device.type == "cuda":
        torch.cuda.set_rng_state(tensors["random/cuda"], device)
