"""Packs in use: translate, align, embed, similar, classify, write."""

import re
import time

from fastapi import APIRouter, Request

from dhyan.explain.analyses.head_alignment import align_texts
from dhyan.server import schemas
from dhyan.server.http_errors import HttpError, check_text
from dhyan.server.model_calls import ModelCalls
from dhyan.server.settings import ServerSettings
from dhyan.text.language_id import detect_language
from dhyan.text.romanise import romanise

_DEVANAGARI = re.compile("[\u0904-\u0939\u0958-\u0961]")


def use_routes(calls: ModelCalls, settings: ServerSettings) -> APIRouter:
    routes = APIRouter(tags=["use"])

    @routes.post("/translate")
    async def translate(
        request: Request, asked: schemas.TranslateRequest
    ) -> schemas.Translated | schemas.TranslatedTexts:
        """A text of any layout in the other language; or many, in the order they came."""
        started = time.perf_counter()
        texts = [asked.text] if asked.text is not None else asked.texts or []
        chosen = asked.model_dump(include={"alternatives", "style", "formality", "gender", "glossary"})
        if asked.text is not None:
            check_text(asked.text, settings.max_characters)
        found = await calls.translate(request, texts, asked.model, **chosen)
        timed = {
            "model": calls.packs.find_for("translate", asked.model).name,
            "seconds": time.perf_counter() - started,
        }
        if asked.text is not None:
            one = schemas.TranslatedText.model_validate(found[0])
            for sentence in one.sentences if asked.roman else ():
                sentence.roman = in_latin_letters(sentence.text)
            return schemas.Translated(
                **one.model_dump(),
                **timed,
                detected=schemas.LanguageGuess.model_validate(detect_language(asked.text)),
                roman=in_latin_letters(one.text) if asked.roman else None,
                source_roman=in_latin_letters(asked.text) if asked.roman else None,
            )
        return schemas.TranslatedTexts(
            translations=[schemas.TranslatedText.model_validate(one) for one in found], **timed
        )

    @routes.post("/continuations")
    async def continuations(request: Request, asked: schemas.ContinueRequest) -> list[schemas.ContinuedText]:
        """Other ways to go on behind the first words of a sentence's translation, the best first."""
        chosen = asked.model_dump(include={"count", "style", "formality", "gender"})
        found = await calls.continuations(request, asked.text, asked.prefix, asked.model, **chosen)
        several = [schemas.ContinuedText.model_validate(one) for one in found]
        return [one.model_copy(update={"roman": in_latin_letters(one.text)}) for one in several]

    @routes.post("/align")
    async def align(request: Request, asked: schemas.AlignRequest) -> schemas.Aligned:
        """Which word comes from which: the mean of all cross-attention heads."""
        check_text(asked.source, settings.max_sentence_characters, "the source")
        check_text(asked.target, settings.max_sentence_characters, "the target")
        pack = calls.packs.find_for("translate", asked.model).pack
        found = await calls.explain(request, lambda: align_texts(pack, asked.source, asked.target))
        return schemas.Aligned.model_validate(found)

    @routes.post("/embed")
    async def embed(request: Request, asked: schemas.TextsRequest) -> schemas.Vectors:
        """A vector for each text: near when they mean the same."""
        return schemas.Vectors(vectors=(await calls.embed(request, asked.texts, asked.model)).tolist())

    @routes.post("/similar")
    async def similar(request: Request, asked: schemas.SimilarRequest) -> list[schemas.Similar]:
        """The given texts, nearest in meaning first."""
        if not asked.among:
            raise HttpError(400, "there is nothing to compare with: give texts in `among`.")
        vectors = await calls.embed(request, [asked.text, *asked.among], asked.model)  # (1 + texts, d_model)
        cosines = (vectors[1:] @ vectors[0]).tolist()
        found = [schemas.Similar(text=one, cosine=value) for one, value in zip(asked.among, cosines, strict=True)]
        return sorted(found, key=lambda one: -one.cosine)

    @routes.post("/classify")
    async def classify(request: Request, asked: schemas.ClassifyRequest) -> schemas.Answers:
        """A label for each text (or pair of texts), with probabilities; several labels; or a number."""
        kind = calls.packs.find_for("classify", asked.model).pack.manifest.label_kind
        found = await calls.classify(request, asked.texts, asked.model)
        if kind == "number":
            return [schemas.NumberText.model_validate(one) for one in found]
        if kind == "several":
            return [schemas.SeveralLabelsText.model_validate(one) for one in found]
        return [schemas.LabelledText.model_validate(one) for one in found]

    @routes.post("/write")
    async def write(request: Request, asked: schemas.WriteRequest) -> schemas.Written:
        """Go on with a text."""
        chosen = asked.model_dump(exclude={"prompt", "model"})
        return schemas.Written(text=await calls.write(request, asked.prompt, asked.model, **chosen))

    return routes


def in_latin_letters(text: str) -> str | None:
    """As it is spoken; None for a text without Devanagari."""
    return romanise(text) if _DEVANAGARI.search(text) else None
