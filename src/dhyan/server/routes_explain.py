"""Packs opened up: the trace, and any number of it by address."""

import io
import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import JSONResponse

from dhyan.core.errors import DhyanError
from dhyan.core.svg import Theme
from dhyan.explain.address import attention_parts
from dhyan.explain.analyses.head_alignment import alignment as alignment_by
from dhyan.explain.analyses.head_alignment import weights_of
from dhyan.explain.analyses.head_stats import HeadStats, head_stats
from dhyan.explain.analyses.logit_lens import LayerGuess
from dhyan.explain.analyses.occlusion import BATCH, by_target_words, hide_each
from dhyan.explain.axes import axes_of, by_words
from dhyan.explain.beam_trace import BeamTrace, Step
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.explain.interactive import InteractiveExplanation
from dhyan.explain.views.export import as_csv, as_json
from dhyan.explain.views.figures import figure as draw
from dhyan.explain.views.html_report import page
from dhyan.server import schemas
from dhyan.server.http_errors import HttpError
from dhyan.server.model_calls import ModelCalls
from dhyan.server.question_params import OpenExplanation, QuestionParams
from dhyan.server.worker_routes import WorkerRouter

Words = Annotated[bool, Query(description="word mode: the pieces of each word merged")]
Format = Literal["float32", "json", "csv", "npy"]
MOST_NUMBERS = 8_000_000  # of one answer: 32 MB


def explain_routes(questions: QuestionParams, calls: ModelCalls) -> APIRouter:
    routes = WorkerRouter(calls.explain, tags=["open up"])
    Opened = Annotated[OpenExplanation, Depends(questions)]

    @routes.get("/explain")
    def explain(open_explanation: Opened) -> schemas.Explained:
        """Run the model and keep every number; the answer is what to ask for further."""
        started = time.perf_counter()
        with open_explanation() as explanation:
            return _explained(explanation, started)

    @routes.get("/attention", response_class=Response)
    def attention(open_explanation: Opened) -> Response:
        """The weights of all heads for a first look, a byte each (255 is 1), in the order that `explain` gives."""
        with open_explanation() as explanation:
            parts = [explanation.array(f"{part}.weights") for part in attention_parts(explanation.architecture)]
            shades = b"".join(np.round(weights * 255).astype(np.uint8).tobytes() for weights in parts)
        return Response(shades, media_type="application/octet-stream")

    @routes.get("/at/{address}", response_class=Response)
    def at(
        open_explanation: Opened,
        address: str,
        words: Words = False,
        format: Annotated[Format, Query(description="float32: little-endian bytes")] = "float32",
    ) -> Response:
        """Any number, row or array by address. Headers: Dhyan-Shape (sizes) and Dhyan-Axes (what they are)."""
        with open_explanation() as explanation:
            return _numbers(explanation, address, words, format)

    @routes.get("/figure/{address}", response_class=Response)
    def figure(
        open_explanation: Opened,
        address: str,
        words: Words = False,
        theme: Theme = "auto",
    ) -> Response:
        """The picture of an address as SVG, the same that `dhyan explain --figure` draws."""
        with open_explanation() as explanation:
            return Response(draw(explanation, address, words, theme), media_type="image/svg+xml")

    @routes.get("/html", response_class=Response)
    def html(open_explanation: Opened) -> Response:
        """Everything in one file that needs no other."""
        with open_explanation() as explanation:
            return Response(
                page(explanation, explanation.change if explanation.question.changed else None),
                media_type="text/html; charset=utf-8",
                headers={"Content-Disposition": 'attachment; filename="explained.html"'},
            )

    @routes.get("/beam")
    def beam(open_explanation: Opened) -> schemas.BeamInfo:
        """The search: every hypothesis, and why it lost."""
        with open_explanation() as explanation:
            if explanation.search is None:
                raise HttpError(400, "there is no beam: the text was given, or the pack writes nothing.")
            return _beam(explanation, explanation.search)

    @routes.get("/alignment")
    def alignment(
        open_explanation: Opened,
        head: Annotated[str, Query(description="another head, such as dec.1.cross.h3")] = "",
        quick: Annotated[
            bool, Query(description="no occlusion: the mean of all heads, or `head`; agreement and ranking are empty")
        ] = False,
    ) -> schemas.AlignmentInfo:
        """Links by the cross-attention head that agrees best with occlusion (or another), and the occlusion."""
        with open_explanation() as explanation:
            heads = [address.removesuffix(".weights") for address in explanation.trace.heads("cross")]
            if head and heads and head not in heads:
                raise HttpError(404, f"'{head}' is no cross-attention head; one is {heads[0]}.")
            if quick:
                found = weights_of(explanation, head) if head else alignment_by(explanation, "mean")
                return schemas.AlignmentInfo(**vars(found) | {"occlusion": []})
            best = explanation.alignment
            found = alignment_by(explanation, head) if head else best
            real = [number for number, word in enumerate(explanation.written.words) if not word.special]
            occlusion = explanation.occlusion.change[real]
            return schemas.AlignmentInfo(**vars(found) | {"ranking": best.ranking, "occlusion": occlusion})

    @routes.get("/occlusion")
    def occlusion(
        open_explanation: Opened,
        first: Annotated[int, Query(ge=0, description="number of a word of the text")] = 0,
        count: Annotated[int, Query(ge=1, description="how many words are hidden, each alone")] = BATCH,
    ) -> schemas.OcclusionInfo:
        """Some columns of the address `occlusion`, so that a long text's can be shown as they arrive."""
        with open_explanation() as explanation:
            words = sum(not word.special for word in explanation.source.words)
            tokens = hide_each(explanation, range(min(first, words), min(first + count, words))).T
            is_written = explanation.architecture.has_decoder
            change = by_target_words(explanation, tokens) if is_written else tokens
            return schemas.OcclusionInfo(first=first, words=words, change=change)

    @routes.get("/heads/{part}")
    def heads(open_explanation: Opened, part: str) -> dict[str, HeadStats]:
        """What each head of a part (enc.0.self) does, and what switching each off costs."""
        with open_explanation() as explanation:
            parts = attention_parts(explanation.architecture)
            if part not in parts:
                raise HttpError(404, f"there is no attention '{part}'; they are {parts[0]} to {parts[-1]}.")
            return head_stats(explanation, part)

    @routes.get("/steps/{step}")
    def guessed(open_explanation: Opened, step: int, top: Annotated[int, Query(ge=1, le=100)] = 5) -> Step:
        """One step of the decoder with more candidates."""
        with open_explanation() as explanation:
            if not 0 <= step < len(explanation.written):
                raise HttpError(404, f"there is no step {step}; {len(explanation.written)} were taken.")
            return explanation.guessed(step, top)

    @routes.get("/lens")
    def lens(
        open_explanation: Opened, top: Annotated[int, Query(ge=1, le=20)] = 3
    ) -> tuple[tuple[LayerGuess, ...], ...]:
        """What each layer would have said, step by step."""
        with open_explanation() as explanation:
            return explanation.lens(top)

    return routes


def _explained(explanation: InteractiveExplanation, started: float) -> schemas.Explained:
    parts = attention_parts(explanation.architecture)
    more = {
        "force": explanation.question.force,
        "change": schemas.ChangeInfo.model_validate(explanation.change) if explanation.question.changed else None,
        "attention": [{"part": part, "shape": explanation.array(f"{part}.weights").shape} for part in parts],
        "seconds": time.perf_counter() - started,
        "spelt_out": _spelt_out(explanation),
    }
    return schemas.Explained(**explanation.as_dict() | more)


def _spelt_out(explanation: Explanation) -> str:
    from dhyan.translation.spelt_out import spelt_out  # takes a moment to import, and the page should be there before

    return spelt_out(explanation.pack, explanation.question.text)


def _numbers(explanation: Explanation, address: str, words: bool, kind: Format) -> Response:
    try:
        array: Array = by_words(explanation, address) if words else explanation[address]
        axes = ",".join(axis.name for axis in axes_of(explanation, address))
        if array.size > MOST_NUMBERS:
            shape = " × ".join(map(str, array.shape))
            raise HttpError(
                413, f"{address} is {shape}: too much at once; take a part of it, such as {address}[0:8]."
            )
        if kind == "json":
            return JSONResponse(as_json(explanation, address, words))
        if kind == "csv":
            return Response(as_csv(explanation, address, words), media_type="text/csv; charset=utf-8")
    except HttpError:
        raise
    except DhyanError as error:
        raise HttpError(404, str(error)) from None
    headers = {"Dhyan-Shape": ",".join(map(str, array.shape)), "Dhyan-Axes": axes}
    if kind == "npy":
        held = io.BytesIO()
        np.save(held, array)
        return Response(held.getvalue(), media_type="application/octet-stream", headers=headers)
    return Response(array.astype("<f4").tobytes(), media_type="application/octet-stream", headers=headers)


def _beam(explanation: Explanation, search: BeamTrace) -> schemas.BeamInfo:
    def text(ids: Iterable[int]) -> str:
        said = explanation.target_tokenizer.decode(list(ids))
        return said.strip() if explanation.architecture.has_cross else said

    steps = [
        [schemas.CandidateInfo(**asdict(one), piece=explanation.piece(one.id), text=text(one.ids)) for one in step]
        for step in search.steps
    ]
    results = [
        schemas.ResultInfo(
            text=text(one.ids),
            score=one.score,
            total=one.total,
            why=one.why,
            steps=list(enumerate([*one.ids, *([explanation.architecture.special.end] if one.ended else [])])),
        )
        for one in search.results
    ]
    return schemas.BeamInfo(
        beam=search.beam,
        length_penalty=search.length_penalty,
        length_offset=search.length_offset,
        prefix=len(search.prefix),
        steps=steps,
        results=results,
    )
