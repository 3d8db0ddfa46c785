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

    def __call__(self, prompt: str = "", **settings: Any) -> str:
        """The continuation alone. `settings`: max_length, temperature, top_k, top_p, seed, sample."""
        return "".join(self.stream(prompt, **settings))

    def stream(self, prompt: str = "", **settings: Any) -> Iterator[str]:
        """The same, piece by piece. What is longer than the window is continued from its end."""
        given = {name: value for name, value in settings.items() if value is not None}
        generation = GenerationSettings.checked(self.pack.manifest.decoding.model_dump() | given, "write")
        tokenizer = self.pack.tokenizer
        window = self.pack.manifest.architecture.max_positions
        ids = tokenizer.encode(check_text(prompt))[-(window // 2) :]
        written: list[int] = []
        text = tokenizer.decode(ids)
        before = len(text)
        for number in self.engine.write(ids, generation):
            written.append(number)
            text = tokenizer.decode([*ids, *written])
            if not text.endswith(CANNOT_TELL):
                yield text[before:]
                before = len(text)
        if len(text) > before:
            yield text[before:]
