"""Packs in use: translate, align, embed, similar, classify, write."""

import time

from fastapi import APIRouter

from dhyan.explain.analyses.head_alignment import align_texts
from dhyan.server import schemas
from dhyan.server.http_errors import LONGEST_SENTENCE, LONGEST_TEXT, HttpError, check_text, check_texts
from dhyan.server.served_packs import ServedPacks


def use_routes(packs: ServedPacks) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["use"])

    @routes.post("/translate")
    def translate(asked: schemas.TranslateRequest) -> schemas.Translated:
        """A text of any layout in the other language."""
        check_text(asked.text, LONGEST_TEXT)
        started = time.perf_counter()
        served = packs.find_for("translate", asked.model)
        found = packs.translator(served.name).translate([asked.text], asked.alternatives)[0]
        others = [schemas.AlternativeText.model_validate(one) for one in found.alternatives]
        return schemas.Translated(
            model=served.name,
            text=found.text,
            notes=list(found.notes),
            confidence=found.confidence,
            sentences=[schemas.SentenceText.model_validate(one) for one in found.sentences],
            alternatives=others,
            seconds=time.perf_counter() - started,
        )

    @routes.post("/align")
    def align(asked: schemas.AlignRequest) -> schemas.Aligned:
        """Which word comes from which: the mean of all cross-attention heads."""
        check_text(asked.source, LONGEST_SENTENCE, "the source")
        check_text(asked.target, LONGEST_SENTENCE, "the target")
        pack = packs.find_for("translate", asked.model).pack
        return schemas.Aligned.model_validate(align_texts(pack, asked.source, asked.target))

    @routes.post("/embed")
    def embed(asked: schemas.TextsRequest) -> schemas.Vectors:
        """A vector for each text: near when they mean the same."""
        check_texts(asked.texts)
        return schemas.Vectors(vectors=packs.embedder(asked.model)(asked.texts).tolist())

    @routes.post("/similar")
    def similar(asked: schemas.SimilarRequest) -> list[schemas.Similar]:
        """The given texts, nearest in meaning first."""
        check_texts([asked.text, *asked.among])
        if not asked.among:
            raise HttpError(400, "there is nothing to compare with: give texts in `among`.")
        vectors = packs.embedder(asked.model)([asked.text, *asked.among])  # (1 + texts, d_model)
        cosines = (vectors[1:] @ vectors[0]).tolist()
        found = [schemas.Similar(text=one, cosine=value) for one, value in zip(asked.among, cosines, strict=True)]
        return sorted(found, key=lambda one: -one.cosine)

    @routes.post("/classify")
    def classify(asked: schemas.TextsRequest) -> list[schemas.LabelledText]:
        """A label for each text, with probabilities."""
        check_texts(asked.texts)
        found = packs.classifier(asked.model).classify(asked.texts)
        return [schemas.LabelledText.model_validate(one) for one in found]

    @routes.post("/write")
    def write(asked: schemas.WriteRequest) -> schemas.Written:
        """Go on with a text."""
        check_text(asked.prompt, LONGEST_TEXT, "the prompt")
        settings = asked.model_dump(exclude={"prompt", "model"})
        return schemas.Written(text=packs.writer(asked.model)(asked.prompt, **settings))

    return routes
