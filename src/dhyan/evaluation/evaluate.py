"""A pack against test data: the scores that its task is judged by, computed by the engines that users run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.core.extras import needs_extra
from dhyan.core.metrics import BLEU_TOKENIZER, check_bleu_tokenizer, label_scores, translation_scores
from dhyan.core.progress import Progress
from dhyan.data.open_text import format_of
from dhyan.engines.base import Engine, start_engine
from dhyan.engines.convert import CAN_RUN, Compute
from dhyan.evaluation.perplexity import masked_perplexity, perplexity
from dhyan.evaluation.test_data import TestData, refuse_unseen_labels
from dhyan.evaluation.vectors import score_pairs
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack
from dhyan.translation.translator import Translator
from dhyan.vectors.classifier import Classifier, labelled_rows
from dhyan.vectors.embedder import Embedder

Translate = Callable[[Sequence[str]], list[str]]

LABELLED_AT_ONCE = 256  # texts between two reports of the progress


@dataclass(frozen=True)
class TextComparison:
    """How translations are compared with their references."""

    lowercase: bool = False
    tokenize: str = BLEU_TOKENIZER

    def __post_init__(self) -> None:
        check_bleu_tokenizer(self.tokenize)


def evaluate(
    pack: Pack,
    data: TestData,
    *,
    device: str = "cpu",
    compute: Compute | None = None,
    threads: int = 0,
    decoding: GenerationSettings | None = None,
    comparison: TextComparison | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The scores, and under "outputs" what the model said, one line per row.

    compute: int8 or float32 judges a translator as it is used, with all that is done around its model. Unset: the
    model alone, in float32, which takes each row as it is. On a GPU PyTorch computes, else CTranslate2.
    """
    task = pack.manifest.task
    if data.reference is not None and task != "translate":
        raise DhyanError(
            f"--source and --reference are for translation; {pack.folder} is for task {task}: use --test."
        )
    progress = progress or Progress()
    engine = _engine(pack, device, compute, threads)
    if task == "translate":
        translator = Translator(pack, engine)
        translator.decoding = decoding or pack.manifest.decoding
        translate = translator.sentence_translator if compute is None else translator
        at_once = 16_384 if device.startswith("cuda") else 512  # enough to keep the device busy
        scores = score_translations(translate, data, comparison or TextComparison(), progress, at_once)
        searched = translator.decoding.model_dump(include={"beam", "length_penalty", "length_offset"})
        return {**scores, "decoding": searched}
    if task == "classify":
        return score_labels(Classifier(pack, engine), data, progress)
    if task == "write":
        return perplexity(pack, engine, data.files)
    if any(format_of(file) in (".tsv", ".jsonl") for file in data.files):
        return score_pairs(Embedder(pack, engine), data, progress)
    return masked_perplexity(pack, engine, data.files)


def _engine(pack: Pack, device: str, compute: Compute | None, threads: int) -> Engine:
    """PyTorch on the CPU where a model is judged alone that CTranslate2 cannot run: a variant on trial, say."""
    if compute is None and device == "cpu" and pack.manifest.architecture.positions not in CAN_RUN:
        with needs_extra("train", f"a model with {pack.manifest.architecture.positions} positions"):
            from dhyan.engines.torch import TorchEngine

            return TorchEngine(pack, device)
    return start_engine(pack, device, compute or "float32", threads)


def score_translations(
    translate: Translate, data: TestData, comparison: TextComparison, progress: Progress, at_once: int
) -> dict[str, Any]:
    """BLEU and chrF. at_once: sources that go to `translate` between two reports of the progress."""
    rows = data.translation_pairs()
    sources, references = ([row.columns[side] for row in rows] for side in (0, 1))
    outputs: list[str] = []
    with progress.working("translating", len(sources)) as update:
        for begin in range(0, len(sources), at_once):
            outputs += translate(sources[begin : begin + at_once])
            update(len(outputs))
    scores = translation_scores(outputs, references, comparison.lowercase, comparison.tokenize)
    return {"rows": len(rows), **scores, "outputs": outputs}


def score_labels(classifier: Classifier, data: TestData, progress: Progress) -> dict[str, Any]:
    """Accuracy and F1."""
    rows, right = labelled_rows(data.files, data.columns)
    refuse_unseen_labels(rows, right, classifier.labels)
    texts = [row.columns[1] for row in rows]
    outputs: list[str] = []
    with progress.working("classifying", len(texts)) as update:
        for begin in range(0, len(texts), LABELLED_AT_ONCE):
            outputs += classifier(texts[begin : begin + LABELLED_AT_ONCE])
            update(len(outputs))
    number = {label: index for index, label in enumerate(classifier.labels)}
    found, wanted = ([number[label] for label in labels] for labels in (outputs, right))
    return {"rows": len(rows), **label_scores(found, wanted, classifier.labels), "outputs": outputs}
