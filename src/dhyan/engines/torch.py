"""The heavy engine: PyTorch, for a GPU (and for comparison). Needs the extra `train`."""

from collections.abc import Generator, Sequence
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from dhyan.core.device import find_device
from dhyan.engines.base import Ids
from dhyan.model import fast
from dhyan.model.generation.batched import by_tokens, for_search, rows_to_tensor, search_ids
from dhyan.model.generation.generate import generate, length_limits, sample
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack

BATCH_TOKENS = 8192


class TorchEngine:
    compute = "float32"
    threads = 0  # as many as PyTorch likes

    def __init__(self, pack: Pack, device: str = "cuda") -> None:
        self.device = find_device(device)
        fast.install()
        self.special = pack.manifest.architecture.special
        self.model = Transformer(pack.manifest.architecture)
        self.model.load_weights(pack.weights)
        self.model.eval().to(self.device)

    @cached_property
    def search_model(self) -> Transformer:
        return for_search(self.model)

    def translate(
        self, sources: Sequence[Ids], settings: GenerationSettings, no_repeat_ngram: int = 0
    ) -> list[list[Hypothesis]]:
        return search_ids(
            self.search_model,
            [self.special.around(ids) for ids in sources],
            settings,
            no_repeat_ngram=no_repeat_ngram,
        )

    @torch.inference_mode()
    def continuations(self, source: Ids, prefix: Ids, settings: GenerationSettings, count: int) -> list[list[int]]:
        device, model = torch.device(self.device), self.search_model
        read = rows_to_tensor([self.special.around(source)], device)
        begun = self.special.begins_translation
        logits = model(rows_to_tensor([[*begun, *prefix]], device), read)[0, -1].float()  # (vocabulary,)
        logits[list(self.special.never_written)] = -torch.inf
        found = []
        for token in logits.topk(min(count, len(logits))).indices.tolist():
            if token == self.special.end:
                found.append(list(prefix))
                continue
            (ended,) = generate(model, settings, read, rows_to_tensor([[*begun, *prefix, token]], device))
            found.append([*prefix, token, *(ended[0].ids if ended else [])])
        return found

    @torch.inference_mode()
    def encode(self, rows: Sequence[Ids]) -> list[NDArray[np.float32]]:
        sequences = [self.special.around(ids) for ids in rows]
        vectors: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(sequences)
        for numbers in by_tokens(sequences, BATCH_TOKENS):
            hidden, _ = self.model.encode(self._tensor([sequences[number] for number in numbers]))
            for number, row in zip(numbers, hidden.float().cpu().numpy(), strict=True):
                vectors[number] = row[: len(sequences[number])]
        return vectors

    def write(self, prompt: Ids, settings: GenerationSettings) -> Generator[int]:
        start = torch.tensor([self.special.begins_text(prompt)], device=self.device)
        choice = settings if settings.sample else settings.model_copy(update={"sample": True, "top_k": 1})
        (limit,) = length_limits(self.model, choice, None, start)
        for token, _ in sample(self.model, choice, None, start, limit):
            yield int(token[0])

    @torch.inference_mode()
    def classify(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.model.cls is None:
            raise ValueError("this encoder has no classifier on top")
        logits: NDArray[np.float32] = self.model.cls(torch.from_numpy(vectors).to(self.device)).cpu().numpy()
        return logits

    @torch.inference_mode()
    def log_probabilities(
        self, sources: Sequence[Ids] | None, targets: Sequence[Ids], with_end: bool = True
    ) -> list[NDArray[np.float32]]:
        end = [self.special.end] if with_end else []
        front = [] if sources is None else list(self.special.target_prefix)
        rows = [[*front, *ids, *end] for ids in targets]
        found: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(rows)
        for numbers in by_tokens(rows, BATCH_TOKENS):
            target = self._tensor([rows[number] for number in numbers])  # (batch, positions)
            source = None
            if sources is not None:
                source = self._tensor([self.special.around(sources[number]) for number in numbers])
            logits = self.model(F.pad(target[:, :-1], (1, 0), value=self.special.start), source).float()
            right = logits.log_softmax(-1).gather(2, target[..., None])[..., 0]  # (batch, positions)
            for number, row in zip(numbers, right.cpu().numpy(), strict=True):
                found[number] = row[len(front) : len(rows[number])]
        return found

    def _tensor(self, rows: Sequence[Ids]) -> torch.Tensor:
        return rows_to_tensor(rows, self.device, self.special.pad)
