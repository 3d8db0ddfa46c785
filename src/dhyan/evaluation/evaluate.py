"""A pack against test data: the scores that its task is judged by."""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from torch.nn import functional as F

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.metrics import label_scores, pearson, spearman, translation_scores
from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, MASK, PAD, SPECIAL
from dhyan.data.corpus import read_lines, read_parallel, read_rows, read_text
from dhyan.data.open_text import format_of
from dhyan.data.scored_pairs import is_number, read_scored_pairs
from dhyan.model.generation.batched import by_tokens, rows_to_tensor, sentence_vectors, translate
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.losses import token_loss
from dhyan.training.objectives.translation import shift_right

AT_ONCE = 256  # texts that another engine labels between two looks at the progress


class Instead(Protocol):
    """What does the work instead of the PyTorch model: the light engine, say."""

    def answer(self, texts: Sequence[str]) -> list[str]:
        """The texts' translations or labels."""

    def rate(self, rows: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """The log-probability of each id of a row, and of an end behind them: (positions + 1,)."""


@dataclass(frozen=True)
class TestData:
    """A test file, or two parallel ones."""

    __test__ = False  # not a test itself, whatever pytest may think

    files: Sequence[Path]
    reference: Path | None = None
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """How translations are compared with their references."""

    lowercase: bool = False
    tokenize: str = "13a"

    def __post_init__(self) -> None:
        if self.tokenize not in BLEU.TOKENIZERS:
            known = list(BLEU.TOKENIZERS)
            nearest = did_you_mean(self.tokenize, known)
            raise DhyanError(f"--tokenize {self.tokenize!r} is not one of {', '.join(known)}{nearest}.")


def evaluate(
    pack: Pack,
    data: TestData,
    device: torch.device,
    decoding: GenerationSettings | None = None,
    comparison: Comparison | None = None,
    reporter: Progress | None = None,
    instead: Instead | None = None,
) -> dict[str, Any]:
    """The scores, and under "outputs" what the model said, a line a row."""
    task = pack.manifest.task
    if data.reference is not None and task != "translate":
        raise DhyanError(
            f"--source and --reference are for translation; {pack.folder} is for task {task}: use --test."
        )
    reporter = reporter or Progress()
    worker = instead or _model(pack, device)
    with torch.inference_mode():
        if task == "translate":
            decoding = decoding or pack.manifest.decoding
            return _translation(pack, worker, data, decoding, comparison or Comparison(), reporter)
        if task == "classify":
            return _classification(pack, worker, data, reporter)
        if task == "write":
            return _perplexity(pack, worker, data)
        if not isinstance(worker, Transformer):
            raise DhyanError(
                f"{pack.folder} makes vectors: say with --task what they are judged by (similarity, labels, clusters,"
                " senses), or leave --compute out."
            )
        return _embedding(pack, worker, data)


def _model(pack: Pack, device: torch.device) -> Transformer:
    model = Transformer(pack.manifest.architecture)
    model.load_weights(pack.weights)
    return model.eval().to(device)


def _translation(
    pack: Pack,
    worker: Transformer | Instead,
    data: TestData,
    decoding: GenerationSettings,
    comparison: Comparison,
    reporter: Progress,
) -> dict[str, Any]:
    if data.reference is not None:
        rows = list(read_parallel([*data.files, data.reference]))
    else:
        rows = list(read_rows(data.files, ("source", "target"), data.columns))
    if pack.source_tokenizer is None or pack.target_tokenizer is None:
        raise DhyanError(f"{pack.folder} lacks a vocabulary.")
    sources, references = ([row.columns[side] for row in rows] for side in (0, 1))
    with reporter.working("translating", len(sources)) as progress:
        if isinstance(worker, Transformer):
            outputs = translate(worker, pack.source_tokenizer, pack.target_tokenizer, sources, decoding, progress)
        else:
            outputs = worker.answer(sources)
    scores = translation_scores(outputs, references, comparison.lowercase, comparison.tokenize)
    searched = decoding.model_dump(include={"beam", "length_penalty", "length_offset"})
    return {"rows": len(rows), **scores, "decoding": searched, "outputs": outputs}


def _classification(pack: Pack, worker: Transformer | Instead, data: TestData, reporter: Progress) -> dict[str, Any]:
    rows = list(read_rows(data.files, ("label", "text"), data.columns))
    labels = [unicodedata.normalize("NFC", row.columns[0]).strip() for row in rows]  # as in training
    number = {label: index for index, label in enumerate(pack.manifest.labels)}
    for row, label in zip(rows, labels, strict=True):
        if label not in number:
            known = ", ".join(list(number)[:10]) + (", …" if len(number) > 10 else "")
            raise DhyanError(
                f"{row.file}, line {row.line}: the label '{label}' was not in training ({known}); mend the row, or"
                " say where the label stands, e.g. --columns label=2,text=1."
            )
    texts = [row.columns[1] for row in rows]
    outputs: list[str] = []
    with reporter.working("classifying", len(texts)) as progress:
        for begin in range(0, len(texts), AT_ONCE):
            outputs += _labels(pack, worker, texts[begin : begin + AT_ONCE])
            progress(len(outputs))
    found, right = ([number[label] for label in some] for some in (outputs, labels))
    return {"rows": len(rows), **label_scores(found, right, pack.manifest.labels), "outputs": outputs}


def _labels(pack: Pack, worker: Transformer | Instead, texts: Sequence[str]) -> list[str]:
    if not isinstance(worker, Transformer):
        return worker.answer(texts)
    if worker.cls is None:
        raise DhyanError(f"{pack.folder} has no classifier.")
    logits = worker.cls(sentence_vectors(worker, pack.tokenizer, texts))  # (texts, labels)
    return [pack.manifest.labels[index] for index in logits.argmax(-1).tolist()]


def _perplexity(pack: Pack, worker: Transformer | Instead, data: TestData) -> dict[str, Any]:
    """e to the mean loss: among how many tokens the model is torn, on average. Also bits a character."""
    window = pack.manifest.architecture.max_positions
    if not isinstance(worker, Transformer):
        window -= 1  # the end that is rated besides takes a place
    loss, tokens, characters = 0.0, 0, 0
    for text in read_text(data.files):
        ids = pack.tokenizer.encode(text)
        rows = [ids[begin : begin + window] for begin in range(0, len(ids), window)]
        for numbers in by_tokens(rows, 16_384):
            loss += _loss(worker, [rows[number] for number in numbers])
        tokens += len(ids)
        characters += len(text)
    mean = loss / max(1, tokens)
    return {
        "tokens": tokens,
        "loss": mean,
        "perplexity": math.exp(mean),
        "bits_per_character": loss / math.log(2) / max(1, characters),
        "window": window,
        "outputs": [],
    }


def _loss(worker: Transformer | Instead, rows: Sequence[Sequence[int]]) -> float:
    """Σ −log p over the ids of all rows, each row from its beginning."""
    if not isinstance(worker, Transformer):
        return -sum(float(rated[:-1].sum()) for rated in worker.rate(rows))
    target = rows_to_tensor(rows, next(worker.parameters()).device)
    return float(token_loss(worker(shift_right(target)), target, 0.0))


def _embedding(pack: Pack, model: Transformer, data: TestData) -> dict[str, Any]:
    """Scored pairs (the score first or last): correlation. Pairs: is the partner nearest? Text: masked tokens."""
    if not any(format_of(file) in (".tsv", ".jsonl") for file in data.files):
        return _masked(pack, model, data)
    first_row = next(iter(_columns(data)))
    if len(first_row) >= 3 and (is_number(first_row[0]) or (len(first_row) == 3 and is_number(first_row[2]))):
        return _similarity(pack, model, data)
    rows = [columns[:2] for columns in _columns(data)]
    first, second = (_unit(model, pack.tokenizer, [row[side] for row in rows]) for side in (0, 1))
    hits, chunk = 0, 1024
    for begin in range(0, len(rows), chunk):
        nearest = (first[begin : begin + chunk] @ second.T).argmax(dim=1)
        hits += int((nearest == torch.arange(begin, begin + len(nearest), device=nearest.device)).sum())
    return {
        "rows": len(rows),
        "accuracy": hits / len(rows),
        "measures": "partner found first among all",
        "outputs": [],
    }


def _columns(data: TestData) -> Iterator[tuple[str, ...]]:
    names = ("score", "first", "second") if "score" in data.columns else ("text*",)
    return (row.columns for row in read_rows(data.files, names, data.columns))


def _similarity(pack: Pack, model: Transformer, data: TestData) -> dict[str, Any]:
    pairs = [pair for file in data.files for pair in read_scored_pairs(file, data.columns)]
    right = [pair.score for pair in pairs]
    first = _unit(model, pack.tokenizer, [pair.first for pair in pairs])
    second = _unit(model, pack.tokenizer, [pair.second for pair in pairs])
    cosine = (first * second).sum(dim=1).tolist()
    scores = {"spearman": spearman(cosine, right), "pearson": pearson(cosine, right)}
    return {"rows": len(pairs), **scores, "outputs": [f"{value:.4f}" for value in cosine]}


def _masked(pack: Pack, model: Transformer, data: TestData) -> dict[str, Any]:
    """Every seventh token is hidden, starting at another one in each line: the same guesses for every model."""
    if model.mlm is None:
        raise DhyanError(f"{pack.folder} cannot fill in masked tokens; give it pairs (TSV) instead of plain text.")
    device = next(model.parameters()).device
    room, loss, guesses, hits = model.architecture.max_positions - 1, 0.0, 0, 0
    lines = read_lines(data.files)
    while rows := list(islice(lines, 64)):
        encoded = pack.tokenizer.encode_batch([row.columns[0] for row in rows])
        windows = [[*ids[at : at + room], END] for ids in encoded for at in range(0, max(1, len(ids)), room)]
        ids = rows_to_tensor(windows, device)
        turn = torch.arange(ids.shape[1], device=device)[None] + torch.arange(len(windows), device=device)[:, None]
        hidden = (turn % 7 == 3) & (ids >= len(SPECIAL))
        logits = model.mlm(model.encode(ids.masked_fill(hidden, MASK))[0])
        loss += float(token_loss(logits, ids.masked_fill(~hidden, PAD), 0.0))
        guesses += int(hidden.sum())
        hits += int(((logits.argmax(-1) == ids) & hidden).sum())
    mean = loss / max(1, guesses)
    return {
        "tokens": guesses,
        "loss": mean,
        "perplexity": math.exp(mean),
        "accuracy": hits / max(1, guesses),
        "outputs": [],
    }


def _unit(model: Transformer, tokenizer: Tokenizer, texts: Sequence[str]) -> torch.Tensor:
    return F.normalize(sentence_vectors(model, tokenizer, texts), dim=-1)
