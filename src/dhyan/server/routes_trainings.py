"""Trainings that were named when the server started, watched while they run or afterwards."""

import json
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path as Folder
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Path, Query, Response

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.explain.trace import Trace
from dhyan.pack.training_folder import Samples
from dhyan.server import schemas_trainings as schemas
from dhyan.server.http_errors import HttpError
from dhyan.server.model_calls import ModelCalls
from dhyan.server.schemas import TokensInfo
from dhyan.server.training_reader import TrainingReader, name_of
from dhyan.server.worker_routes import WorkerRouter

Step = Annotated[int, Path(ge=0, lt=10**12, description="one of the training's `checkpoints`")]


def training_routes(trainings: Sequence[TrainingReader], calls: ModelCalls) -> APIRouter:
    routes = WorkerRouter(calls.watch, prefix="/trainings", tags=["trainings"])
    by_name = {one.name: one for one in trainings}

    def found(name: str) -> TrainingReader:
        if name not in by_name:
            raise HttpError(404, f"no training '{name}' is watched here{did_you_mean(name, by_name)}.")
        return by_name[name]

    @routes.get("")
    def list_trainings() -> list[schemas.TrainingSummary]:
        """What is watched, and how far it is."""
        return [schemas.TrainingSummary.model_validate(one.look()) for one in trainings]

    @routes.get("/{name}")
    def training(
        name: str, seen: Annotated[str, Query(max_length=64, description="the last answer's `tag`")] = ""
    ) -> schemas.TrainingInfo | None:
        """Its curves so far and its checkpoints; null where nothing has changed since `seen`."""
        now = found(name).look() | {"pack": name if name in calls.packs.served else None}
        tag = sha256(json.dumps(now, sort_keys=True, default=str).encode()).hexdigest()[:16]
        return None if tag == seen else schemas.TrainingInfo.model_validate(now | {"tag": tag, "now": time.time()})

    @routes.get("/{name}/samples/{step}")
    def samples(name: str, step: Step) -> schemas.SamplesInfo:
        """What the checkpoint made of the fixed texts, and the tokens that its attention is of."""
        training = found(name)
        known, weights = _samples(training, step), _weights(training, step)

        def tokens(side: str, ids: list[int]) -> TokensInfo | None:
            return TokensInfo.model_validate(training.tokens(side, ids)) if ids else None

        parts = [{"part": part.removesuffix(".weights"), "shape": weights.array(part).shape} for part in weights]
        return schemas.SamplesInfo(
            step=step,
            results=known.results,
            source=tokens("source", known.source),
            target=tokens("target", known.target),
            predicted=tokens("target", known.predicted),
            attention=parts,
        )

    @routes.get("/{name}/samples/{step}/attention", response_class=Response)
    def attention(name: str, step: Step) -> Response:
        """The weights of all heads, float32, in the order that the samples give."""
        weights = _weights(found(name), step)
        numbers = b"".join(weights.array(part).astype("<f4").tobytes() for part in weights)
        return Response(numbers, media_type="application/octet-stream")

    @routes.get("/{name}/samples/{step}/at/{address}")
    def at(name: str, step: Step, address: str) -> list[float] | list[list[float]] | list[list[list[float]]] | float:
        """One weight, a row or a matrix of it by address, such as dec.0.cross.h1.weights[2,3]."""
        weights = _weights(found(name), step)
        try:
            numbers = weights[address]
        except DhyanError as error:
            raise HttpError(404, str(error)) from None
        return np.asarray(numbers, dtype=np.float64).tolist()  # type: ignore[no-any-return]

    return routes


def _samples(training: TrainingReader, step: int) -> Samples:
    try:
        return training.samples(step)
    except DhyanError as error:
        raise HttpError(404, str(error)) from None


def _weights(training: TrainingReader, step: int) -> Trace:
    try:
        return training.attention(step)
    except DhyanError as error:
        raise HttpError(404, str(error)) from None


def trainings_named(folders: Sequence[Folder]) -> list[TrainingReader]:
    """Refuses two of the same name: the page could not tell them."""
    names = [name_of(folder) for folder in folders]
    if len(set(names)) < len(names):
        raise DhyanError(
            "two trainings of the same name: rename one of their folders, so that the page can tell them."
        )
    return [TrainingReader(folder) for folder in folders]
