"""Texts → the columns of the result, by the same calls that the single-file commands make.

A missing text gets missing results; a blank one what its command gives it. A text that fails is found by halving its
batch, and its row holds the error: one bad text among a million does not cost the shard. Where all of them fail,
the shard fails: the fault is not in the texts.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from dhyan.bulk.job import Job
from dhyan.data.text_pairs import pair_on_line
from dhyan.engines.writer import Writer
from dhyan.loading import Model
from dhyan.pack.manifest import Manifest, Task
from dhyan.translation.translator import Translator
from dhyan.vectors.answers import Labelled
from dhyan.vectors.classifier import Classifier
from dhyan.vectors.embedder import Embedder

Row = dict[str, Any]  # column → value, the prefix left out
ProcessTexts = Callable[[Sequence[str]], list[Row]]

# Each command's columns begin with a word of their own, so that they seldom meet a column that is there already.
PREFIX: dict[Task, str] = {
    "translate": "translation",
    "embed": "embedding",
    "classify": "predicted",
    "write": "continuation",
}
ERROR = "error"


def column_names(task: Task, settings: dict[str, Any]) -> list[str]:
    first = PREFIX[task]
    more = {"translate": ["notes"], "classify": ["probability"]}.get(task, [])
    more += ["probabilities"] if settings.get("all") else []
    return [first, *(f"{first}_{name}" for name in (*more, ERROR))]


class ResultColumns:
    """Gives each batch of texts its result columns. Call it with texts, None among them where there is none."""

    def __init__(self, job: Job, model: Model) -> None:
        self.names = column_names(job.task, job.settings)
        self.types = _types(job, model.pack.manifest)
        self.answer = _processor(job, model)

    def __call__(self, texts: Sequence[str | None]) -> tuple[list[pa.Array], int]:
        """The columns, and how many texts have an error."""
        # The same text has the same answer; tables say the same thing over and over.
        different = list(dict.fromkeys(text for text in texts if text is not None))
        answers = dict(zip(different, _answered(different, self.answer), strict=True))
        if len(different) > 1 and all(ERROR in row for row in answers.values()):
            raise RuntimeError(f"no text could be answered: {answers[different[0]][ERROR]}")
        rows = [answers[text] if text is not None else {} for text in texts]
        keys = ["", *(name.partition("_")[2] for name in self.names[1:])]
        columns = [pa.array([row.get(key) for row in rows], type) for key, type in zip(keys, self.types, strict=True)]
        return columns, sum(ERROR in row for row in rows)


def _answered(texts: Sequence[str], answer: ProcessTexts) -> list[Row]:
    if not texts:
        return []
    try:
        return answer(texts)
    except Exception as error:
        if len(texts) == 1:
            return [{ERROR: " ".join(str(error).split()) or type(error).__name__}]
    middle = len(texts) // 2
    return _answered(texts[:middle], answer) + _answered(texts[middle:], answer)


def _types(job: Job, manifest: Manifest) -> list[pa.DataType]:
    answer = {"one": pa.string(), "several": pa.list_(pa.string()), "number": pa.float64()}[manifest.label_kind]
    by_task = {
        "translate": [pa.string(), pa.list_(pa.string())],
        "embed": [pa.list_(pa.float32(), manifest.architecture.d_model)],
        "classify": [answer, pa.float32()],
        "write": [pa.string()],
    }
    every = [pa.map_(pa.string(), pa.float32())] if job.settings.get("all") else []
    return [*by_task[job.task], *every, pa.string()]


def _processor(job: Job, model: Model) -> ProcessTexts:
    match model:
        case Translator():
            return _translations(model, job)
        case Embedder():
            return _embeddings(model)
        case Classifier():
            return _numbers(model) if model.label_kind == "number" else _labels(model)
        case Writer():
            return _continuations(model, job)


def _translations(translator: Translator, job: Job) -> ProcessTexts:
    translator.glossary = job.glossary
    translator.decoding = translator.decoding.model_copy(update=job.settings)

    def answer(texts: Sequence[str]) -> list[Row]:
        return [{"": found.text, "notes": list(found.notes)} for found in translator.translate(texts)]

    return answer


def _embeddings(embedder: Embedder) -> ProcessTexts:
    width = embedder.pack.manifest.architecture.d_model

    def answer(texts: Sequence[str]) -> list[Row]:
        vectors = np.zeros((len(texts), width), dtype=np.float32)  # (texts, d_model): a blank text is near nothing
        if filled := [number for number, text in enumerate(texts) if text.strip()]:
            vectors[filled] = embedder([texts[number] for number in filled])
        return [{"": vector} for vector in vectors]

    return answer


def _labels(classifier: Classifier) -> ProcessTexts:
    def answer(texts: Sequence[str]) -> list[Row]:
        found = iter(_classified(classifier, texts))
        return [labelled(next(found)) if text.strip() else {} for text in texts]

    def labelled(one: Labelled) -> Row:
        said = list(one.labels) if classifier.label_kind == "several" else one.label
        probability = next(iter(one.probabilities.values()))  # the most probable comes first
        return {"": said, "probability": probability, "probabilities": list(one.probabilities.items())}

    return answer


def _classified(classifier: Classifier, texts: Sequence[str]) -> list[Labelled]:
    """Of the texts that are not blank; a pair stands in one text, with a tab between."""
    filled = [text for text in texts if text.strip()]
    if classifier.reads_pairs:
        return classifier.classify([pair_on_line(text, "the text") for text in filled])
    return classifier.classify(filled)


def _numbers(classifier: Classifier) -> ProcessTexts:
    def answer(texts: Sequence[str]) -> list[Row]:
        found = iter(_classified(classifier, texts))
        return [{"": next(found).value} if text.strip() else {} for text in texts]

    return answer


def _continuations(writer: Writer, job: Job) -> ProcessTexts:
    return lambda texts: [{"": writer(text, **job.settings)} for text in texts]
