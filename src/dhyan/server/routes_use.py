"""Packs in use: translate, align, embed, similar, classify, write."""

import time

from fastapi import APIRouter

from dhyan.server import schemas as shapes
from dhyan.server.http_errors import LONGEST_SENTENCE, LONGEST_TEXT, Refused, check_text, check_texts
from dhyan.server.served_packs import Models


def using_routes(models: Models) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["use"])

    @routes.post("/translate")
    def translate(asked: shapes.ToTranslate) -> shapes.Translated:
        """A text of any layout in the other language."""
        check_text(asked.text, LONGEST_TEXT)
        started = time.perf_counter()
        served = models.find_for("translate", asked.model)
        found = models.translator(served.name).translate([asked.text], asked.alternatives)[0]
        others = [shapes.AlternativeText(text=one.text, score=one.score) for one in found.alternatives]
        return shapes.Translated(
            model=served.name,
            text=found.text,
            notes=list(found.notes),
            alternatives=others,
            seconds=time.perf_counter() - started,
        )

    @routes.post("/align")
    def align(asked: shapes.ToAlign) -> shapes.Aligned:
        """Which word comes from which: the mean of all cross-attention heads."""
        check_text(asked.source, LONGEST_SENTENCE, "the source")
        check_text(asked.target, LONGEST_SENTENCE, "the target")
        explainer = models.find_for("translate", asked.model).explainer
        from dhyan.translation.alignment import align as aligned

        found = aligned(explainer.pack, asked.source, asked.target)
        return shapes.Aligned(
            source=list(found.source),
            target=list(found.target),
            weights=found.weights.tolist(),
            links=list(found.links),
        )

    @routes.post("/embed")
    def embed(asked: shapes.Texts) -> shapes.Vectors:
        """A vector for each text: near when they mean the same."""
        check_texts(asked.texts)
        return shapes.Vectors(vectors=models.embedder(asked.model)(asked.texts).tolist())

    @routes.post("/similar")
    def similar(asked: shapes.ToCompare) -> list[shapes.Similar]:
        """The given texts, nearest in meaning first."""
        check_texts([asked.text, *asked.among])
        if not asked.among:
            raise Refused(400, "there is nothing to compare with: give texts in `among`.")
        vectors = models.embedder(asked.model)([asked.text, *asked.among])  # (1 + texts, d_model)
        cosines = (vectors[1:] @ vectors[0]).tolist()
        found = [shapes.Similar(text=one, cosine=value) for one, value in zip(asked.among, cosines, strict=True)]
        return sorted(found, key=lambda one: -one.cosine)

    @routes.post("/classify")
    def classify(asked: shapes.Texts) -> list[shapes.LabelledText]:
        """A label for each text, with probabilities."""
        check_texts(asked.texts)
        found = models.classifier(asked.model).classify(asked.texts)
        return [shapes.LabelledText(label=one.label, probabilities=one.probabilities) for one in found]

    @routes.post("/write")
    def write(asked: shapes.ToWrite) -> shapes.Written:
        """Go on with a text."""
        check_text(asked.prompt, LONGEST_TEXT, "the prompt")
        settings = asked.model_dump(exclude={"prompt", "model"})
        return shapes.Written(text=models.writer(asked.model)(asked.prompt, **settings))

    return routes
