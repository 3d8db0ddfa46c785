"""The walk and its code; what if: one word in two sentences, words hidden, heads off on a dev set."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Depends, Query

from dhyan.core.special_tokens import NEVER_WRITTEN
from dhyan.explain.address import read_heads
from dhyan.explain.analyses.occlusion import written_log_probabilities
from dhyan.explain.analyses.word_in_context import (
    compare_contexts,
    find_word,
    moved_by,
    neighbours,
    principal_plane,
    with_words_hidden,
    word_vectors,
)
from dhyan.explain.explainer import Explainer
from dhyan.explain.explanation import Explanation, Question
from dhyan.explain.trace import PER_HEAD
from dhyan.explain.views.code_lines import CodeLines, code_lines
from dhyan.explain.views.notation import FORMULAS
from dhyan.explain.views.stages import CODE, Stage, Where, stages
from dhyan.server import schemas
from dhyan.server.http_errors import HttpError
from dhyan.server.model_calls import ModelCalls
from dhyan.server.question_params import OpenExplanation, QuestionParams, question_about
from dhyan.server.worker_routes import WorkerRouter

Count = Annotated[int, Query(ge=0)]


def what_if_routes(questions: QuestionParams, dev: Sequence[tuple[str, str]], calls: ModelCalls) -> APIRouter:
    routes = WorkerRouter(calls.explain, tags=["try"])

    @routes.get("/contexts")
    def contexts(first: str, second: str, word: str, model: str = "") -> schemas.ContextsInfo:
        """One word in two sentences: its cosine by layer, what moved it, its neighbours, a map."""
        served = questions.packs.find(model)
        asked = [question_about(served, sentence) for sentence in (first, second)]
        if not served.pack.manifest.architecture.has_encoder:
            raise HttpError(400, f"{served.name} has no encoder: words in context are for packs that have one.")
        with questions.cache.using_both(served, *asked) as pair:
            return _contexts(pair, word)

    @routes.get("/hide")
    def hide(
        open_explanation: Annotated[OpenExplanation, Depends(questions)],
        hidden: Annotated[list[int] | None, Query()] = None,
    ) -> schemas.HiddenInfo:
        """An encoder's answer when words (by number) are hidden."""
        with open_explanation() as explanation:
            if explanation.architecture.has_decoder:
                raise HttpError(400, "hiding words one by one is for encoders; a translator has `occlusion`.")
            words = sum(not word.special for word in explanation.source.words)
            if any(not 0 <= number < words for number in hidden or []):
                raise HttpError(400, f"there are {words} words, numbered 0 to {words - 1}.")
            labels, cosine = with_words_hidden(explanation, hidden or [])
            return schemas.HiddenInfo(labels=labels, cosine=cosine)

    @routes.get("/dev")
    def dev_set(
        model: str = "", off: Annotated[list[str] | None, Query(description="heads off")] = None
    ) -> schemas.DevInfo:
        """How likely the model finds the dev set's translations, with and without some heads."""
        served = questions.packs.find_for("translate", model)
        if not dev:
            raise HttpError(404, "there is no dev set: start `dhyan serve --dev pairs.tsv` with a file of pairs.")
        return _on_dev(served.explainer, dev, off or [])

    @routes.get("/walk")
    def walk(
        open_explanation: Annotated[OpenExplanation, Depends(questions)],
        token: Count = 0,
        layer: Count = 0,
        head: Count = 0,
        step: Count = 0,
        column: Count = 0,
    ) -> list[Stage]:
        """The cards of the walk from the text to the next token: the address of each number, and its code."""
        with open_explanation() as explanation:
            return list(stages(explanation, Where(token, layer, head, step, column)))

    @routes.get("/notation")
    def notation() -> schemas.Notation:
        """What the page writes as Python does."""
        return schemas.Notation(formulas=FORMULAS, per_head=sorted(PER_HEAD), never_written=sorted(NEVER_WRITTEN))

    @routes.get("/code")
    def code() -> dict[str, CodeLines]:
        """The lines of Dhyan that compute each stage of the walk."""
        return {name: code_lines(function) for name, function in CODE.items()}

    return routes


def _contexts(pair: tuple[Explanation, Explanation], word: str) -> schemas.ContextsInfo:
    compared = compare_contexts(*pair, word)
    stages = [word_vectors(explanation, word) for explanation in pair]
    words, vectors = [], []
    for sentence, explanation in enumerate(pair):
        asked = find_word(explanation, word)
        for one in (each for each in explanation.source.words if not each.special):
            vectors.append(explanation.array("enc.output")[one.start : one.end].mean(axis=0))
            words.append({"sentence": sentence, "word": one.text, "asked": one == asked})
    points = principal_plane(vectors).tolist()
    return schemas.ContextsInfo(
        **asdict(compared),
        moved_by=[moved_by(explanation, word) for explanation in pair],
        static=neighbours(pair[0], stages[0][0]),
        contextual=[neighbours(explanation, vectors[-1]) for explanation, vectors in zip(pair, stages, strict=True)],
        map=[schemas.MapPoint(x=x, y=y, **one) for one, (x, y) in zip(words, points, strict=True)],
    )


def _on_dev(explainer: Explainer, dev: Sequence[tuple[str, str]], off: Sequence[str]) -> schemas.DevInfo:
    heads = read_heads(explainer.architecture, off)
    changed = explainer.model(heads)
    before, after = [], []
    for source, target in dev:
        explanation = explainer.answer(Question(source, target))
        before.append(written_log_probabilities(explanation, explanation.model))
        after.append(written_log_probabilities(explanation, changed))
        explanation.let_go()
    with_all, without = np.concatenate(before), np.concatenate(after)
    return schemas.DevInfo(
        pairs=len(dev), tokens=with_all.size, before=float(with_all.mean()), after=float(without.mean())
    )
