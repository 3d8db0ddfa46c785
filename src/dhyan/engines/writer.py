"""What a decoder is used for: going on with a text."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, Literal, NamedTuple

from dhyan.core.arguments import check_text, check_texts
from dhyan.engines.loaded_model import LoadedModel
from dhyan.model.generation.settings import GenerationSettings
from dhyan.text.incremental_decoder import IncrementalDecoder


class Piece(NamedTuple):
    """Some more of a text that is being written."""

    text: str
    tokens: int  # written so far, the end mark not counted
    finish: Literal["stop", "length"] | None = None  # of the last piece: it came to an end, or to the length limit


class Writer(LoadedModel):
    """Continues a text. Call it for the whole continuation, or stream it as it is written."""

    task = "write"
    shipped = "writer"

    def __call__(self, prompt: str = "", **settings: Any) -> str:
        """The continuation alone. `settings`: max_length, temperature, top_k, top_p, seed, sample, stop."""
        return "".join(self.stream(prompt, **settings))

    def stream(self, prompt: str = "", **settings: Any) -> Iterator[str]:
        """The same, piece by piece. What is longer than the window is continued from its end."""
        with closing(self.pieces(prompt, **settings)) as pieces:
            yield from (piece.text for piece in pieces if piece.text)

    def pieces(self, prompt: str = "", stop: str | Sequence[str] = (), **settings: Any) -> Generator[Piece]:
        """The same, with the tokens counted, and at last why it ended.

        stop: texts that end it; none of them is part of the continuation. Who reads no further stops the writing.
        """
        given = {name: value for name, value in settings.items() if value is not None}
        generation = GenerationSettings.checked(self.pack.manifest.decoding.model_dump() | given, "write")
        stops = StopTexts(check_texts(stop))
        ids = self.pack.tokenizer.encode(check_text(prompt))[-self.longest_prompt :]
        decoder = IncrementalDecoder(self.pack.tokenizer, ids)
        tokens, has_ended, end = 0, False, self.pack.manifest.architecture.special.end
        with closing(self.engine.write(ids, generation)) as numbers:
            for number in numbers:
                if has_ended := number == end:
                    break
                tokens += 1
                text = stops.add(decoder.add(number))
                if stops.is_found:
                    yield Piece(text, tokens, "stop")
                    return
                if text:
                    yield Piece(text, tokens)
        rest = stops.add(decoder.end()) + stops.end()
        yield Piece(rest, tokens, "stop" if has_ended or stops.is_found else "length")

    @property
    def longest_prompt(self) -> int:
        """In tokens. The other half of the window is for what follows."""
        return self.pack.manifest.architecture.max_positions // 2


class StopTexts:
    """Looks for texts that end a text that comes piece by piece; what may be the beginning of one waits."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._waiting = ""
        self.is_found = False

    def add(self, text: str) -> str:
        """What stands in front of a stop, or is certainly no part of one."""
        self._waiting += text
        begins = [at for stop in self._stops if (at := self._waiting.find(stop)) >= 0]
        self.is_found = bool(begins)
        cut = min(begins) if begins else self._first_beginning()
        certain, self._waiting = self._waiting[:cut], "" if begins else self._waiting[cut:]
        return certain

    def end(self) -> str:
        """What waited in vain."""
        rest, self._waiting = self._waiting, ""
        return rest

    def _first_beginning(self) -> int:
        """Where the rest may be the beginning of a stop; at the end if nowhere."""
        longest = max(map(len, self._stops), default=1)
        for at in range(max(0, len(self._waiting) - longest + 1), len(self._waiting)):
            if any(stop.startswith(self._waiting[at:]) for stop in self._stops):
                return at
        return len(self._waiting)
