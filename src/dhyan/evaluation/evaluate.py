"""A pack against test data: the scores that its task is judged by, computed by the engines that users run."""

from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.core.extras import needs_extra
from dhyan.core.progress import Progress
from dhyan.data.open_text import format_of
from dhyan.engines.base import Engine, start_engine
from dhyan.engines.convert import CAN_RUN, Compute
from dhyan.evaluation.classification import score_labels
from dhyan.evaluation.perplexity import masked_perplexity, perplexity
from dhyan.evaluation.test_data import TestData
from dhyan.evaluation.translation import TextComparison, score_translations
from dhyan.evaluation.vectors import score_pairs
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack
from dhyan.translation.translator import Translator
from dhyan.vectors.classifier import Classifier
from dhyan.vectors.embedder import Embedder


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
