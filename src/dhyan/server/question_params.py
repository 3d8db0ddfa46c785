"""The question that every address of a trace belongs to, read from the URL: so a URL re-creates its view."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Annotated

from fastapi import Query

from dhyan.core.errors import DhyanError, shortened
from dhyan.explain.edits import numbers_in
from dhyan.explain.explanation import Question
from dhyan.explain.formulas import Array
from dhyan.explain.interactive import InteractiveExplanation
from dhyan.explain.read_edits import written_edits
from dhyan.explain.token_view import word_asked
from dhyan.server.http_errors import check_text
from dhyan.server.served_packs import ServedPack, ServedPacks
from dhyan.server.trace_cache import TraceCache

OpenExplanation = Callable[[], AbstractContextManager[InteractiveExplanation]]

MOST_BEAM = 16  # of a question: more would keep the server busy
MOST_SET = 64  # addresses
MOST_TEXTS = 8  # to copy from: each has to be run
MOST_NUMBERS_SET = 1_000_000  # 4 MB, kept for as long as the trace is
TOO_MANY_SET = f"at most {MOST_NUMBERS_SET:,} numbers can be set at once; copy less."
LONGEST_NUMBER = 100  # digits; `int` refuses thousands of them


class QuestionParams:
    """A FastAPI dependency: URL parameters in, a way to open the explanation out."""

    def __init__(self, packs: ServedPacks, cache: TraceCache) -> None:
        self.packs, self.cache = packs, cache

    def __call__(
        self,
        text: Annotated[str, Query(description="one sentence, or a prompt")],
        model: Annotated[str, Query(description="a served pack; the first if empty")] = "",
        target: Annotated[str | None, Query(description="explain this text instead of the model's own")] = None,
        beam: Annotated[int | None, Query(le=MOST_BEAM, description="hypotheses kept at each step")] = None,
        max_length: Annotated[int | None, Query(ge=1, le=256, description="most tokens to write")] = None,
        off: Annotated[list[str] | None, Query(description="heads off, such as enc.2.h5; may be repeated")] = None,
        force: Annotated[list[str] | None, Query(description="STEP:ID or STEP:PIECE; may be repeated")] = None,
        hide: Annotated[list[str] | None, Query(description="words to hide, by number; may be repeated")] = None,
        numbers: Annotated[
            list[str] | None,
            Query(
                alias="set",
                max_length=MOST_SET,
                description="ADDRESS=VALUE: a number, several (0.1,0.2), or OTHER_ADDRESS~TEXT to copy",
            ),
        ] = None,
        patch: Annotated[
            list[str] | None,
            Query(max_length=MOST_SET, description="an address to copy from the text of `from`; may be repeated"),
        ] = None,
        other: Annotated[
            str | None, Query(alias="from", description="the text whose numbers are copied; unset: the same text")
        ] = None,
    ) -> OpenExplanation:
        served = self.packs.find(model)
        most = self.packs.settings.max_sentence_characters
        check_text(text, most)
        if target is not None:
            check_text(target, most, "the target")
        if patch and other is None:
            raise DhyanError("patch copies from the run of another text: give it as `from`.")
        ask = served.explainer.question
        read = partial(
            ask,
            text,
            target=target,
            beam=beam,
            max_length=max_length,
            heads_off=off or (),
            force=_forced(force or []),
            hide=list(map(word_asked, hide or [])),
        )
        if not numbers and not patch:
            question = read()
            return lambda: self.cache.using(served, question)

        texts: set[str] = set()
        copied = 0  # numbers

        def look(address: str, named: str | None) -> Array:
            nonlocal copied
            run_of = next(one for one in (named, other, text) if one is not None)
            texts.add(run_of)
            if len(texts) > MOST_TEXTS:
                raise DhyanError(f"numbers can be copied from at most {MOST_TEXTS} texts at once.")
            check_text(run_of, most, "the text to copy from")
            with self.cache.using(served, ask(run_of, beam=beam, max_length=max_length)) as run:
                found = run[address]
            copied += found.size
            if copied > MOST_NUMBERS_SET:  # said now: sixty-four such copies would fill the memory
                raise DhyanError(TOO_MANY_SET)
            return found

        @contextmanager
        def open_late() -> Iterator[InteractiveExplanation]:
            """Whoever computes reads the question, too: what is copied has to be computed first."""
            question = read(set=written_edits(numbers or [], patch or [], look))
            if numbers_in(question.set) > MOST_NUMBERS_SET:
                raise DhyanError(TOO_MANY_SET)
            with self.cache.using(served, question) as explanation:
                yield explanation

        return open_late


def question_about(served: ServedPack, text: str) -> Question:
    """A text on its own, with nothing switched off or forced."""
    check_text(text, served.settings.max_sentence_characters)
    return served.explainer.question(text)


def _forced(asked: Sequence[str]) -> dict[int, int | str]:
    """["2:871", "4:नदी"] → {2: 871, 4: "नदी"}"""
    found: dict[int, int | str] = {}
    for one in asked:
        step, colon, piece = one.partition(":")
        if not colon or not _is_number(step) or not piece:
            raise DhyanError(f"force={shortened(one)}: write a step and a piece or its id, such as 2:871.")
        found[int(step)] = int(piece) if _is_number(piece) else piece
    return found


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= LONGEST_NUMBER
