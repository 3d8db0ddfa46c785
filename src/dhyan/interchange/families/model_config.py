"""Settings of another program, read with distrust: each is there and of its kind, or one sentence says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.families.imported_model import refused

# transformers' names of activations → ours.
ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_fast": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "silu": "swish",
    "swish": "swish",
}


@dataclass(frozen=True)
class ModelConfig:
    where: object  # the file or folder, for messages
    values: Mapping[str, Any]

    def get(self, *names: str) -> Any:
        """The first that is set: what one release calls `n_embd`, another calls `hidden_size`."""
        return next((self.values[name] for name in names if self.values.get(name) is not None), None)

    def whole(self, *names: str, default: int | None = None) -> int:
        found = self.get(*names)
        found = default if found is None else found
        if type(found) is not int or found < 0:
            raise self._wrong(names[0], "a whole number")
        return found

    def number(self, *names: str, default: float | None = None) -> float:
        found = self.get(*names)
        found = default if found is None else found
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise self._wrong(names[0], "a number")
        return float(found)

    def flag(self, *names: str, default: bool = False) -> bool:
        found = self.get(*names)
        return default if found is None else bool(found)

    def activation(self, *names: str, default: str = "gelu") -> str:
        found = str(self.get(*names) or default)
        if found not in ACTIVATIONS:
            raise refused(self.where, f"the activation {shortened(found)}")
        return ACTIVATIONS[found]

    def refuse(self, what: str, *names: str) -> None:
        """If one of these settings is on."""
        if any(self.values.get(name) for name in names):
            raise refused(self.where, what)

    def token(self, *names: str, default: int | None = None) -> int:
        """The id of a special token; the first where there are several."""
        found = self.get(*names)
        first = found[0] if isinstance(found, list) and found else found
        return ModelConfig(self.where, {names[0]: first}).whole(names[0], default=default)

    def _wrong(self, name: str, kind: str) -> DhyanError:
        found = self.get(name)
        said = "is missing" if found is None else f"is {shortened(str(found))}"
        return DhyanError(f"{self.where}: '{name}' {said}, where {kind} should be; download its settings again.")
