"""The question that every address of a trace belongs to, read from the URL: so a URL re-creates its view."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated

from fastapi import Query

from dhyan.core.errors import DhyanError
from dhyan.explain.explainer import Question
from dhyan.explain.explanation import Explanation
from dhyan.explain.head_names import read_heads
from dhyan.server.http_errors import LONGEST_SENTENCE, Refused, check_text
from dhyan.server.served_packs import Models, Served
from dhyan.server.trace_cache import Traces

Opened = Callable[[], AbstractContextManager[Explanation]]


class Asking:
    """A FastAPI dependency: URL parameters in, a way to the trace out."""

    def __init__(self, models: Models, traces: Traces) -> None:
        self.models, self.traces = models, traces

    def __call__(
        self,
        text: Annotated[str, Query(description="one sentence, or a prompt")],
        model: Annotated[str, Query(description="a served pack; the first if empty")] = "",
        target: Annotated[str | None, Query(description="explain this text instead of the model's own")] = None,
        beam: Annotated[int | None, Query(ge=1, le=16, description="hypotheses kept at each step")] = None,
        max_length: Annotated[int | None, Query(ge=1, le=256, description="most tokens to write")] = None,
        off: Annotated[list[str] | None, Query(description="heads off, such as enc.2.h5; may be repeated")] = None,
        force: Annotated[list[str] | None, Query(description="STEP:ID or STEP:PIECE; may be repeated")] = None,
    ) -> Opened:
        served = self.models.find(model)
        check_text(text, LONGEST_SENTENCE)
        question = asked(served, text, target, beam, max_length, off or [], force or [])

        @contextmanager
        def opened() -> Iterator[Explanation]:
            with self.traces.using(served, question) as trace:
                yield trace

        return opened


def asked(
    served: Served,
    text: str,
    target: str | None = None,
    beam: int | None = None,
    max_length: int | None = None,
    off: Sequence[str] = (),
    force: Sequence[str] = (),
) -> Question:
    a, decoding = served.pack.manifest.architecture, served.pack.manifest.decoding
    if target is not None:
        check_text(target, LONGEST_SENTENCE, "the target")
    if not a.has_decoder and (target is not None or beam or max_length or force):
        raise Refused(400, f"{served.name} is an encoder and writes nothing: leave target, beam and force out.")
    if target is not None and force:
        raise Refused(400, "a target and a forced piece together: give one of them.")
    forced = sorted(_forced(served, one) for one in force)
    width = beam or (decoding.beam if a.has_cross else 1)
    return Question(text, target, width, max_length, read_heads(a, off), tuple(forced))


def _forced(served: Served, text: str) -> tuple[int, int]:
    step, colon, piece = text.partition(":")
    if not colon or not step.isdecimal() or not piece:
        raise DhyanError(f"force={text}: write a step and a piece or its id, such as 2:871.")
    return int(step), served.explainer.piece_id(int(piece) if piece.isdecimal() else piece)
