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
from dhyan.core.special_tokens import END
from dhyan.explain.analyses.beam_trace import BeamTrace
from dhyan.explain.analyses.head_alignment import align_by
from dhyan.explain.analyses.head_stats import head_traits
from dhyan.explain.explanation import Explanation, tokens_as_dict
from dhyan.explain.formulas import Array
from dhyan.explain.head_names import attention_parts
from dhyan.explain.views.export import as_csv, as_json
from dhyan.explain.views.figures import figure as draw
from dhyan.explain.views.html_report import page
from dhyan.explain.views.svg import Theme
from dhyan.server import schemas as shapes
from dhyan.server.http_errors import Refused
from dhyan.server.question_params import Asking, Opened

Words = Annotated[bool, Query(description="word mode: the pieces of each word merged")]
Format = Literal["float32", "json", "csv", "npy"]
MOST_NUMBERS = 8_000_000  # of one answer: 32 MB


def opening_routes(asking: Asking) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["open up"])

    @routes.get("/explain")
    def explain(opened: Annotated[Opened, Depends(asking)]) -> shapes.Explained:
        """Run the model and keep every number; the answer is what to ask for further."""
        started = time.perf_counter()
        with opened() as trace:
            return _explained(trace, started)

    @routes.get("/attention", response_class=Response)
    def attention(opened: Annotated[Opened, Depends(asking)]) -> Response:
        """The weights of all heads for a first look, a byte each (255 is 1), in the order that explain tells."""
        with opened() as trace:
            parts = [trace.whole(f"{part}.weights") for part in attention_parts(trace.architecture)]
            shades = b"".join(np.round(weights * 255).astype(np.uint8).tobytes() for weights in parts)
        return Response(shades, media_type="application/octet-stream")

    @routes.get("/at/{address}", response_class=Response)
    def at(
        opened: Annotated[Opened, Depends(asking)],
        address: str,
        words: Words = False,
        format: Annotated[Format, Query(description="float32: little-endian bytes")] = "float32",
    ) -> Response:
        """Any number, row or array by address. Headers: Dhyan-Shape (sizes) and Dhyan-Axes (what they are)."""
        with opened() as trace:
            return _numbers(trace, address, words, format)

    @routes.get("/figure/{address}", response_class=Response)
    def figure(
        opened: Annotated[Opened, Depends(asking)],
        address: str,
        words: Words = False,
        theme: Theme = "auto",
    ) -> Response:
        """The picture of an address as SVG, the same that `dhyan explain --figure` draws."""
        with opened() as trace:
            return Response(draw(trace, address, words, theme), media_type="image/svg+xml")

    @routes.get("/html", response_class=Response)
    def html(opened: Annotated[Opened, Depends(asking)]) -> Response:
        """Everything in one file that needs no other."""
        with opened() as trace:
            return Response(
                page(trace),
                media_type="text/html; charset=utf-8",
                headers={"Content-Disposition": 'attachment; filename="explained.html"'},
            )

    @routes.get("/beam")
    def beam(opened: Annotated[Opened, Depends(asking)]) -> shapes.BeamInfo:
        """The search: every hypothesis, and why it lost."""
        with opened() as trace:
            if trace.search is None:
                raise Refused(400, "there is no beam: the text was given, or the pack writes nothing.")
            return _beam(trace, trace.search)

    @routes.get("/alignment")
    def alignment(
        opened: Annotated[Opened, Depends(asking)],
        head: Annotated[str, Query(description="another head, such as dec.1.cross.h3")] = "",
    ) -> shapes.AlignmentInfo:
        """Links by the cross-attention head that agrees best with occlusion (or another), and the occlusion."""
        with opened() as trace:
            best = trace.alignment
            if head and head not in dict(best.ranking):
                raise Refused(404, f"'{head}' is no cross-attention head; one is {best.head}.")
            found = align_by(trace, f"{head}.weights") if head else best
            real = [number for number, word in enumerate(trace.written.words) if not word.special]
            return shapes.AlignmentInfo(
                head=found.head,
                agreement=found.agreement,
                ranking=list(best.ranking),
                source=list(found.source),
                target=list(found.target),
                weights=found.weights.tolist(),
                occlusion=trace.occlusion.change[real].tolist(),
                links=list(found.links),
                said=found.said,
            )

    @routes.get("/heads/{part}")
    def heads(opened: Annotated[Opened, Depends(asking)], part: str) -> dict[str, shapes.TraitsInfo]:
        """What each head of a part (enc.0.self) does, and what switching it off costs: one run a head."""
        with opened() as trace:
            parts = attention_parts(trace.architecture)
            if part not in parts:
                raise Refused(404, f"there is no attention '{part}'; they are {parts[0]} to {parts[-1]}.")
            found = head_traits(trace, part)
            return {name: shapes.TraitsInfo(**asdict(traits)) for name, traits in found.items()}

    @routes.get("/steps/{step}")
    def guessed(
        opened: Annotated[Opened, Depends(asking)], step: int, top: Annotated[int, Query(ge=1, le=100)] = 5
    ) -> shapes.StepInfo:
        """One round of the decoder with more candidates."""
        with opened() as trace:
            if not 0 <= step < len(trace.written):
                raise Refused(404, f"there is no step {step}; {len(trace.written)} were taken.")
            return shapes.StepInfo(**asdict(trace.guessed(step, top)))

    @routes.get("/lens")
    def lens(
        opened: Annotated[Opened, Depends(asking)], top: Annotated[int, Query(ge=1, le=20)] = 3
    ) -> list[list[shapes.GlimpseInfo]]:
        """What each layer would have said, step by step."""
        with opened() as trace:
            return [[shapes.GlimpseInfo(**asdict(one)) for one in step] for step in trace.lens(top)]

    return routes


def _explained(trace: Explanation, started: float) -> shapes.Explained:
    a = trace.architecture
    told = trace.as_dict()
    parts = attention_parts(a)
    change = None
    if trace.question.heads_off or trace.question.force:
        found = trace.change
        change = shapes.ChangeInfo(
            **{name: getattr(found, name) for name in ("before", "after", "total", "score", "cosine")},
            words=list(found.words),
            labels=list(found.labels),
            log_probability=found.log_probability.tolist(),
        )
    return shapes.Explained(
        pack=told["pack"],
        asked=told["asked"],
        text=told["text"],
        beam=told.get("beam"),
        score=told.get("score"),
        heads_off=told["heads_off"],
        force=list(trace.question.force),
        source=told["source"],
        target=told.get("target"),
        predicted=tokens_as_dict(trace.predicted) if a.has_decoder else None,
        first_row=told.get("first_row"),
        steps=told.get("steps", []),
        labels=trace.labels,
        change=change,
        attention=[shapes.AttentionInfo(part=p, shape=list(trace.whole(f"{p}.weights").shape)) for p in parts],
        addresses=told["addresses"],
        seconds=time.perf_counter() - started,
    )


def _numbers(trace: Explanation, address: str, words: bool, kind: Format) -> Response:
    try:
        array: Array = trace.by_words(address) if words else trace[address]
        axes = ",".join(axis.name for axis in trace.axes(address))
        if array.size > MOST_NUMBERS:
            shape = " × ".join(map(str, array.shape))
            raise Refused(413, f"{address} is {shape}: too much at once; take a part of it, such as {address}[0:8].")
        if kind == "json":
            return JSONResponse(as_json(trace, address, words))
        if kind == "csv":
            return Response(as_csv(trace, address, words), media_type="text/csv; charset=utf-8")
    except Refused:
        raise
    except DhyanError as error:
        raise Refused(404, str(error)) from None
    headers = {"Dhyan-Shape": ",".join(map(str, array.shape)), "Dhyan-Axes": axes}
    if kind == "npy":
        held = io.BytesIO()
        np.save(held, array)
        return Response(held.getvalue(), media_type="application/octet-stream", headers=headers)
    return Response(array.astype("<f4").tobytes(), media_type="application/octet-stream", headers=headers)


def _beam(trace: Explanation, search: BeamTrace) -> shapes.BeamInfo:
    def text(ids: Iterable[int]) -> str:
        said = trace.explainer.writer.decode(list(ids))
        return said.strip() if trace.architecture.has_cross else said

    steps = [
        [
            shapes.CandidateInfo(
                **{name: getattr(one, name) for name in ("step", "rank", "parent", "id", "score", "fate", "why")},
                log_probability=one.log_probability,
                piece=trace.piece(one.id),
                text=text(one.ids),
            )
            for one in step
        ]
        for step in search.steps
    ]
    results = [
        shapes.ResultInfo(
            text=text(one.ids),
            score=one.score,
            total=one.total,
            why=one.why,
            steps=list(enumerate([*one.ids, *([END] if one.ended else [])])),
        )
        for one in search.results
    ]
    return shapes.BeamInfo(
        beam=search.beam,
        length_penalty=search.length_penalty,
        length_offset=search.length_offset,
        prefix=len(search.prefix),
        steps=steps,
        results=results,
    )
