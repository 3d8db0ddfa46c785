"""Things to try: one word in two sentences, words hidden, heads off on a dev set; and the code that runs."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Query

from dhyan.explain import formulas
from dhyan.explain.analyses.logit_lens import lens
from dhyan.explain.analyses.moving import moved_by, plane, with_words_hidden
from dhyan.explain.analyses.occlusion import written_log_probabilities
from dhyan.explain.analyses.word_in_context import compare_contexts, find_word, neighbours, word_vectors
from dhyan.explain.explainer import Explainer, Question
from dhyan.explain.explanation import Explanation
from dhyan.explain.head_names import read_heads
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.server import schemas as shapes
from dhyan.server.http_errors import LONGEST_SENTENCE, Refused, check_text
from dhyan.server.question_params import Asking, Opened, asked
from dhyan.text.tokenizer import Tokenizer

# What the cards of the walk show: the lines that really compute the number beside them.
CODE: dict[str, Callable[..., Any]] = {
    "encode": Tokenizer.encode,
    "embed": NumpyTransformer.embed,
    "positions": formulas.positional_encoding,
    "rotate": formulas.rotate,
    "layer_norm": formulas.layer_norm,
    "attend": NumpyTransformer.attend,
    "attention": formulas.attention,
    "causal_mask": formulas.causal_mask,
    "softmax": formulas.softmax,
    "add_and_norm": NumpyTransformer.add_and_norm,
    "feed_forward": NumpyTransformer.feed_forward,
    "encoder": NumpyTransformer.encode,
    "decoder": NumpyTransformer.through_decoder,
    "logits": NumpyTransformer.logits,
    "step": NumpyTransformer.step,
    "lens": lens,
}
ROOT = Path(formulas.__file__).parents[2]


def trying_routes(asking: Asking, dev: Sequence[tuple[str, str]]) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["try"])

    @routes.get("/contexts")
    def contexts(first: str, second: str, word: str, model: str = "") -> shapes.ContextsInfo:
        """One word in two sentences: its cosine by layer, what moved it, its neighbours, a map."""
        served = asking.models.find(model)
        for sentence in (first, second):
            check_text(sentence, LONGEST_SENTENCE)
        if not served.pack.manifest.architecture.has_encoder:
            raise Refused(400, f"{served.name} has no encoder: words in context are for packs that have one.")
        traces = []
        for sentence in (first, second):
            question = asked(served, sentence)
            with asking.traces.using(served, question) as trace:
                traces.append(trace)
        return _contexts(traces[0], traces[1], word)

    @routes.get("/hide")
    def hide(
        opened: Annotated[Opened, Depends(asking)], hidden: Annotated[list[int] | None, Query()] = None
    ) -> shapes.HiddenInfo:
        """An encoder's answer when words (by number) are hidden."""
        with opened() as trace:
            if trace.architecture.has_decoder:
                raise Refused(400, "hiding words one by one is for encoders; a translator has `occlusion`.")
            words = sum(not word.special for word in trace.source.words)
            if any(not 0 <= number < words for number in hidden or []):
                raise Refused(400, f"there are {words} words, numbered 0 to {words - 1}.")
            labels, cosine = with_words_hidden(trace, hidden or [])
            return shapes.HiddenInfo(labels=labels, cosine=cosine)

    @routes.get("/dev")
    def dev_set(
        model: str = "", off: Annotated[list[str] | None, Query(description="heads off")] = None
    ) -> shapes.DevInfo:
        """How likely the model finds the dev set's translations, with and without some heads."""
        served = asking.models.find_for("translate", model)
        if not dev:
            raise Refused(404, "there is no dev set: start `dhyan serve --dev pairs.tsv` with a file of pairs.")
        return _on_dev(served.explainer, dev, off or [])

    @routes.get("/code")
    def code() -> dict[str, shapes.CodeInfo]:
        """The lines of Dhyan that compute each stage of the walk."""
        return {name: _code(function) for name, function in CODE.items()}

    return routes


def _contexts(first: Explanation, second: Explanation, word: str) -> shapes.ContextsInfo:
    found = compare_contexts(first, second, word)
    pair = (first, second)
    vectors = [word_vectors(trace, word) for trace in pair]
    places, points = [], []
    for number, trace in enumerate(pair):
        here = find_word(trace, word)
        for one in (each for each in trace.source.words if not each.special):
            points.append(trace.whole("enc.output")[one.start : one.end].mean(axis=0))
            places.append((number, one.text, one == here))
    flat = plane(points).tolist()
    drawn = [
        shapes.PlaceInfo(sentence=sentence, word=text, x=x, y=y, asked=is_asked)
        for (sentence, text, is_asked), (x, y) in zip(places, flat, strict=True)
    ]
    return shapes.ContextsInfo(
        word=found.word,
        stages=list(found.stages),
        cosines=list(found.cosines),
        moved_by=[moved_by(trace, word) for trace in pair],
        static=neighbours(first, vectors[0][0]),
        contextual=[neighbours(trace, stages[-1]) for trace, stages in zip(pair, vectors, strict=True)],
        map=drawn,
    )


def _on_dev(explainer: Explainer, dev: Sequence[tuple[str, str]], off: Sequence[str]) -> shapes.DevInfo:
    heads = read_heads(explainer.architecture, off)
    changed = explainer.model(heads)
    before, after = [], []
    for source, target in dev:
        trace = explainer.answer(Question(source, target))
        before.append(written_log_probabilities(trace, trace.model))
        after.append(written_log_probabilities(trace, changed))
    with_all, without = np.concatenate(before), np.concatenate(after)
    return shapes.DevInfo(
        pairs=len(dev), tokens=with_all.size, before=float(with_all.mean()), after=float(without.mean())
    )


def _code(function: Callable[..., Any]) -> shapes.CodeInfo:
    lines, first = inspect.getsourcelines(function)
    file = Path(inspect.getsourcefile(function) or "").relative_to(ROOT)
    indent = len(lines[0]) - len(lines[0].lstrip())
    return shapes.CodeInfo(file=str(file), line=first, text="".join(line[indent:] or "\n" for line in lines).rstrip())
