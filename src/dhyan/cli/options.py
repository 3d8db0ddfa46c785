"""How a pack searches: as it says itself, unless flags say otherwise."""

from typing import Annotated

import typer

from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack

Beam = Annotated[int | None, typer.Option("--beam", help="hypotheses kept at each step")]
LengthPenalty = Annotated[float | None, typer.Option("--length-penalty", help="power of the length")]
LengthOffset = Annotated[
    int | None, typer.Option("--length-offset", help="added to the length first: more is gentler on short texts")
]


def searched_as_asked(pack: Pack, **asked: float | None) -> GenerationSettings:
    """The pack's own settings with what was asked for; None asks for nothing."""
    said = {name: value for name, value in asked.items() if value is not None}
    return GenerationSettings.checked(pack.manifest.decoding.model_dump() | said, "command line")
