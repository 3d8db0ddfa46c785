"""What a decoder is used for: going on with a text."""

from collections.abc import Iterator
from typing import Any

from dhyan.engines.loaded_model import LoadedModel, check_text
from dhyan.model.generation.settings import GenerationSettings

CANNOT_TELL = "\N{REPLACEMENT CHARACTER}"  # decoding shows it for a character whose bytes are not all there yet


class Writer(LoadedModel):
    """Continues a text. Call it for the whole continuation, or stream it as it is written."""

    task = "write"
    shipped = "writer"

    def __call__(self, prompt: str = "", **decoding: Any) -> str:
        """The continuation alone. `decoding`: max_length, temperature, top_k, top_p, seed, sample."""
        return "".join(self.stream(prompt, **decoding))

    def stream(self, prompt: str = "", **decoding: Any) -> Iterator[str]:
        """The same, piece by piece. What is longer than the window is continued from its end."""
        said = {name: value for name, value in decoding.items() if value is not None}
        settings = GenerationSettings.checked(self.pack.manifest.decoding.model_dump() | said, "write")
        tokenizer = self.pack.tokenizer
        window = self.pack.manifest.architecture.max_positions
        ids = tokenizer.encode(check_text(prompt))[-(window // 2) :]
        written: list[int] = []
        text = tokenizer.decode(ids)
        before = len(text)
        for number in self.engine.write(ids, settings):
            written.append(number)
            text = tokenizer.decode([*ids, *written])
            if not text.endswith(CANNOT_TELL):
                yield text[before:]
                before = len(text)
        if len(text) > before:
            yield text[before:]
