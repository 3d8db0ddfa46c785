"""The map of a pack's words, and the paths of a sentence's tokens over it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from dhyan.explain.analyses.meaning_map import Stage, TokenPath, parting, paths
from dhyan.explain.explanation import Question
from dhyan.explain.formulas import Array
from dhyan.server.http_errors import HttpError, check_text
from dhyan.server.kept_maps import KeptMaps
from dhyan.server.model_calls import ModelCalls
from dhyan.server.question_params import OpenExplanation, QuestionParams
from dhyan.server.served_packs import ServedPack
from dhyan.server.worker_routes import WorkerRouter

Point = tuple[float, float]
AxisWord = Annotated[str, Query(description="a word of the map: cosines with it are an axis")]


class MapWord(BaseModel):
    text: str
    near: Point
    plane: Point
    between: Point | None = None


class SpaceInfo(BaseModel):
    stages: list[Stage]
    words: list[MapWord]
    kept: float = Field(description="share of a word's ten nearest that are among its ten nearest in `near`")
    plane_kept: float = Field(description="the same in `plane`")
    share: Point = Field(description="of the variance, along each axis of `plane`")


class PathInfo(BaseModel):
    text: str
    id: int
    row: int = Field(description="the token's vector at a stage is at `stage.address[row]`")
    near: list[Point] = Field(description="stage by stage")
    plane: list[Point]
    between: list[Point] | None = None
    nearest: list[list[tuple[str, float]]] = Field(description="stage by stage: words and cosines with them")


class PartingInfo(BaseModel):
    first: list[tuple[str, float]] = Field(description="words that the first has come nearer to, and by how much")
    second: list[tuple[str, float]]


def space_routes(questions: QuestionParams, calls: ModelCalls) -> APIRouter:
    routes = WorkerRouter(calls.explain, tags=["open up"])
    maps = KeptMaps()

    @routes.get("/space")
    def space(model: str = "", across: AxisWord = "", up: AxisWord = "") -> SpaceInfo:
        """A fixed map of the commonest words that the pack knows as one piece."""
        found = maps.of(questions.packs.find(model))
        between = found.between(across, up) if across and up else None
        return SpaceInfo(
            stages=list(found.stages),
            words=[
                MapWord(
                    text=word,
                    near=_point(found.near[number]),
                    plane=_point(found.plane[number]),
                    between=None if between is None else _point(between[number]),
                )
                for number, word in enumerate(found.words)
            ],
            kept=found.kept,
            plane_kept=found.plane_kept,
            share=found.share,
        )

    @routes.get("/space/paths")
    def token_paths(
        open_explanation: Annotated[OpenExplanation, Depends(questions)],
        model: str = "",
        across: AxisWord = "",
        up: AxisWord = "",
    ) -> list[PathInfo]:
        """Where each token of a text stands on the map, stage by stage."""
        found = maps.of(questions.packs.find(model))
        axes = [found.number(across), found.number(up)] if across and up else []
        with open_explanation() as explanation:
            return [_path(one, axes) for one in paths(found, explanation)]

    @routes.get("/space/parting")
    def token_parting(
        first: str,
        second: str,
        model: str = "",
        token: Annotated[int, Query(ge=0, description="which token of the first text")] = 0,
        token2: Annotated[int, Query(ge=0, description="which token of the second text")] = 0,
        off: Annotated[list[str] | None, Query(description="heads off")] = None,
    ) -> PartingInfo:
        """Where two tokens part to: the words that each has come nearer to than the other, in the last layers."""
        served = questions.packs.find(model)
        found = maps.of(served)
        asked = [_reading(served, text, off or []) for text in (first, second)]
        with questions.cache.using_both(served, *asked) as pair:
            ways = [paths(found, explanation) for explanation in pair]
        for way, number in zip(ways, (token, token2), strict=True):
            if number >= len(way):
                raise HttpError(404, f"there is no token {number}; the tokens are 0 to {len(way) - 1}.")
        one, other = parting(found, ways[0][token], ways[1][token2])
        return PartingInfo(first=one, second=other)

    return routes


def _reading(served: ServedPack, text: str, off: list[str]) -> Question:
    """A question about what is read: as little as can be is written."""
    check_text(text, served.settings.max_sentence_characters)
    shortest = 1 if served.explainer.architecture.has_decoder else None
    return served.explainer.question(text, heads_off=off, beam=shortest, max_length=shortest)


def _path(path: TokenPath, axes: list[int]) -> PathInfo:
    return PathInfo(
        text=path.text,
        id=path.id,
        row=path.row,
        near=[_point(one) for one in path.near],
        plane=[_point(one) for one in path.plane],
        between=[_point(one) for one in path.cosines[:, axes]] if axes else None,
        nearest=[list(stage) for stage in path.nearest],
    )


def _point(place: Array) -> Point:
    return float(place[0]), float(place[1])
