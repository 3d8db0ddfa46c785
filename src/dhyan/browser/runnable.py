"""Which packs a tab can run: its modules know fewer variants of the Transformer than Dhyan itself.

`js/pack/manifest.js` reads the same tables.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from dhyan.core.errors import DhyanError
from dhyan.pack.manifest import Manifest
from dhyan.text.imported_tokenizer import ImportedTokenizer
from dhyan.text.tokenizer import Tokenizer

CHOICES = {
    "shape": ("encoder-decoder", "encoder", "decoder"),
    "positions": ("sinusoidal", "learned", "rotary", "alibi"),
    "norm": ("pre", "post"),
    "activation": ("relu", "gelu", "swiglu"),
    "tie": ("none", "output", "all"),
}
ANY = (  # settings that may be as they like
    *("d_model", "heads", "d_ff", "encoder_layers", "decoder_layers", "max_positions"),
    *("source_vocabulary", "target_vocabulary", "labels", "masked_head"),
)


def _fixed() -> Iterator[tuple[str, str]]:
    """All other settings of an architecture, with the only value that a tab can run: their default, as JSON."""
    architecture = Manifest.model_fields["architecture"].annotation
    assert architecture is not None
    assert issubclass(architecture, BaseModel)
    for name, field in architecture.model_fields.items():
        if name not in CHOICES and name not in ANY:
            default = field.get_default(call_default_factory=True)
            plain = default.model_dump(mode="json") if isinstance(default, BaseModel) else default
            yield name, json.dumps(plain)


FIXED = dict(_fixed())


def check_runnable(name: str, architecture: BaseModel) -> None:
    settings: Mapping[str, Any] = architecture.model_dump(mode="json")
    for key, value in settings.items():
        if value not in CHOICES.get(key, (value,)) or json.dumps(value) != FIXED.get(key, json.dumps(value)):
            raise DhyanError(
                f"{name} has {key} = {json.dumps(value)}, which a browser's tab cannot run: leave it out, or use"
                " `dhyan serve`."
            )


def check_answers(name: str, manifest: Manifest) -> None:
    """A tab reads one text at a time."""
    if manifest.reads_pairs:
        raise DhyanError(
            f"{name} reads pairs of texts, which a browser's tab cannot run: leave it out, or use `dhyan serve`."
        )


def check_readable(name: str, tokenizers: Iterable[Tokenizer]) -> None:
    if any(isinstance(one, ImportedTokenizer) for one in tokenizers):
        raise DhyanError(
            f"{name} has the tokenizer of another program, which a browser's tab cannot read: leave it out, or use"
            " `dhyan serve`."
        )
