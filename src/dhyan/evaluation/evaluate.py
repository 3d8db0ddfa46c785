"""A pack against test data: the scores that its task is judged by, computed by the engines that users run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.core.metrics import BLEU_TOKENIZER, check_bleu_tokenizer, translation_scores
from dhyan.core.progress import Progress
from dhyan.data.open_text import has_columns
from dhyan.engines.base import start_engine
from dhyan.engines.convert import Compute
from dhyan.evaluation.label_answers import score_labels
from dhyan.evaluation.perplexity import masked_perplexity, perplexity
from dhyan.evaluation.test_data import TestData
from dhyan.evaluation.vectors import score_pairs
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack
from dhyan.translation.translator import Translator
from dhyan.vectors.classifier import Classifier
from dhyan.vectors.embedder import Embedder

Translate = Callable[[Sequence[str]], list[str]]


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
    engine = start_engine(pack, device, compute or "float32", threads)
    if task == "translate":
        translator = Translator(pack, engine)
        translator.decoding = decoding or pack.manifest.decoding
        translate = translator.sentence_translator if compute is None else translator
        at_once = 16_384 if device.startswith("cuda") else 512  # enough to keep the device busy
        data = replace(data, languages=(pack.manifest.source_language, pack.manifest.target_language))
        scores = score_translations(translate, data, comparison or TextComparison(), progress, at_once)
        searched = translator.decoding.model_dump(include={"beam", "length_penalty", "length_offset"})
        return {**scores, "decoding": searched}
    if task == "classify":
        return score_labels(Classifier(pack, engine), data, progress)
    if task == "write":
        return perplexity(pack, engine, data.files)
    if any(map(has_columns, data.files)):
        return score_pairs(Embedder(pack, engine), data, progress)
    return masked_perplexity(pack, engine, data.files)


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
