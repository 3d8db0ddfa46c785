"""A pack against test data: the scores that its task is judged by."""

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from sacrebleu.metrics.bleu import BLEU
from torch.nn import functional as F

from dhyan.errors import DhyanError, did_you_mean
from dhyan.model.decoding import Decoding
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.special import END, MASK, PAD, SPECIAL
from dhyan.text.corpus import read_lines, read_parallel, read_rows, read_text
from dhyan.text.opening import format_of
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.inference import by_tokens, rows_to_tensor, sentence_vectors, translate
from dhyan.training.metrics import label_scores, pearson, spearman, translation_scores
from dhyan.training.objectives.translation import shift_right
from dhyan.training.reporting import Reporter
from dhyan.training.scored_pairs import is_number, read_scored_pairs
from dhyan.training.token_loss import token_loss

TranslateTexts = Callable[[Sequence[str]], list[str]]


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
    decoding: Decoding | None = None,
    comparison: Comparison | None = None,
    reporter: Reporter | None = None,
    translator: TranslateTexts | None = None,
) -> dict[str, Any]:
    """The scores, and under "outputs" what the model said, a line a row.

    translator: what translates instead of the PyTorch model (the light engine, say).
    """
    if translator is not None:
        used = decoding or pack.manifest.decoding
        return _translation(pack, translator, data, used, comparison or Comparison(), reporter or Reporter())
    model = Transformer(pack.manifest.architecture)
    model.load_weights(pack.weights)
    model.eval().to(device)
    reporter = reporter or Reporter()
    with torch.inference_mode():
        task = pack.manifest.task
        if task == "translate":
            decoding = decoding or pack.manifest.decoding
            return _translation(pack, model, data, decoding, comparison or Comparison(), reporter)
        if data.reference is not None:
            raise DhyanError(
                f"--source and --reference are for translation; {pack.folder} is for task {task}: use --test."
            )
        if task == "classify":
            return _classification(pack, model, data)
        if task == "write":
            return _perplexity(pack, model, data, reporter)
        return _embedding(pack, model, data)


def _translation(
    pack: Pack,
    model: Transformer | TranslateTexts,
    data: TestData,
    decoding: Decoding,
    comparison: Comparison,
    reporter: Reporter,
) -> dict[str, Any]:
    if data.reference is not None:
        rows = list(read_parallel([*data.files, data.reference]))
    else:
        rows = list(read_rows(data.files, ("source", "target"), data.columns))
    if pack.source is None or pack.target is None:
        raise DhyanError(f"{pack.folder} lacks a vocabulary.")
    sources, references = ([row.columns[side] for row in rows] for side in (0, 1))
    with reporter.working("translating", len(sources)) as progress:
        if isinstance(model, Transformer):
            outputs = translate(model, pack.source, pack.target, sources, decoding, progress)
        else:
            outputs = model(sources)
    scores = translation_scores(outputs, references, comparison.lowercase, comparison.tokenize)
    searched = {"beam": decoding.beam, "length_penalty": decoding.length_penalty}
    return {"rows": len(rows), **scores, "decoding": searched, "outputs": outputs}


def _classification(pack: Pack, model: Transformer, data: TestData) -> dict[str, Any]:
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
    if model.cls is None:
        raise DhyanError(f"{pack.folder} has no classifier.")
    logits = model.cls(sentence_vectors(model, pack.text, [row.columns[1] for row in rows]))  # (rows, labels)
    found = logits.argmax(-1).tolist()
    scores = label_scores(found, [number[label] for label in labels], pack.manifest.labels)
    return {"rows": len(rows), **scores, "outputs": [pack.manifest.labels[index] for index in found]}


def _perplexity(pack: Pack, model: Transformer, data: TestData, reporter: Reporter) -> dict[str, Any]:
    """e to the mean loss: among how many tokens the model is torn, on average. Also bits a character."""
    window = pack.manifest.architecture.max_positions
    device = next(model.parameters()).device
    loss, tokens, characters = 0.0, 0, 0
    for text in read_text(data.files):
        ids = pack.text.encode(text)
        rows = [ids[begin : begin + window] for begin in range(0, len(ids), window)]
        for numbers in by_tokens(rows, 16_384):
            target = rows_to_tensor([rows[number] for number in numbers], device)
            loss += float(token_loss(model(shift_right(target)), target, 0.0))
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


def _embedding(pack: Pack, model: Transformer, data: TestData) -> dict[str, Any]:
    """Scored pairs (the score first or last): correlation. Pairs: is the partner nearest? Text: masked tokens."""
    if not any(format_of(file) in (".tsv", ".jsonl") for file in data.files):
        return _masked(pack, model, data)
    first_row = next(iter(_columns(data)))
    if len(first_row) >= 3 and (is_number(first_row[0]) or (len(first_row) == 3 and is_number(first_row[2]))):
        return _similarity(pack, model, data)
    rows = [columns[:2] for columns in _columns(data)]
    first, second = (_unit(model, pack.text, [row[side] for row in rows]) for side in (0, 1))
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
    first = _unit(model, pack.text, [pair.first for pair in pairs])
    second = _unit(model, pack.text, [pair.second for pair in pairs])
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
        encoded = pack.text.encode_batch([row.columns[0] for row in rows])
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
