"""The engine for what CTranslate2 cannot run, such as an SSRU in the decoder: NumPy on the CPU, float32."""

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dhyan.core.cores import usable_cores
from dhyan.core.errors import DhyanError
from dhyan.engines.base import Ids
from dhyan.engines.batched_numpy import BatchedCache, BatchedTransformer
from dhyan.engines.convert import table_length
from dhyan.engines.ctranslate2 import classifier_logits, length_limit
from dhyan.engines.numpy_search import beam_search, draw, log_sum_exp, top_k
from dhyan.explain.formulas import Array
from dhyan.explain.numpy_model import Mask
from dhyan.explain.trace import UNRECORDED
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.pack.pack import Pack

BATCH_ROWS = 16  # of about one length: with a beam of 4 the products are large, and more rows save little
BATCH_TOKENS = 2048  # that are encoded at once
LOGITS_AT_ONCE = 256  # positions

Found = TypeVar("Found")


class Padded(NamedTuple):
    """Rows of ids as one array."""

    ids: NDArray[np.intp]  # (rows, positions)
    visible: Mask  # (rows, positions): False for padding


class NumpyEngine:
    """A batch has one core, as far as NumPy's own threads allow; several cores compute several batches."""

    compute, device = "float32", "cpu"

    def __init__(self, pack: Pack, threads: int = 0) -> None:
        """threads: batches that are computed at the same time; 0 for one per core."""
        self.architecture = pack.manifest.architecture
        self.special = self.architecture.special
        self.threads, self.workers = threads, threads or usable_cores()
        self.max_tokens = table_length(self.architecture)
        self.model = BatchedTransformer(self.architecture, pack.weights)

    def translate(
        self, sources: Sequence[Ids], settings: GenerationSettings, no_repeat_ngram: int = 0
    ) -> list[list[Hypothesis]]:
        longest, most = max(map(len, sources), default=0), self.max_tokens - len(self.special.around([]))
        if longest > most:
            raise DhyanError(f"a sentence of {longest} tokens is too long for this pack ({most} at most); split it.")

        def search(numbers: list[int]) -> list[list[Hypothesis]]:
            source = self._padded([self.special.around(sources[number]) for number in numbers])
            prompt = np.tile(self.special.begins_translation, (len(numbers), 1))
            limits = [self._limit(len(sources[number]), settings) for number in numbers]
            memory = self.model.encode_rows(*source)
            return beam_search(self.model, memory, _mask(source), prompt, settings, limits, no_repeat_ngram)

        return self._in_batches([len(ids) for ids in sources], search)

    def continuations(self, source: Ids, prefix: Ids, settings: GenerationSettings, count: int) -> list[list[int]]:
        left = self._limit(len(source), settings) - len(prefix)
        if len(self.special.around(source)) > self.max_tokens or left < 1:
            return []
        memory = self.model.encode_rows(*self._padded([self.special.around(source)]))
        begun = np.array([[*self.special.begins_translation, *prefix]])
        logits = self._ruled(self.model.step(BatchedCache(), begun, memory))  # (1, vocabulary)
        tokens: list[int] = top_k(logits, min(count, logits.shape[1]))[0].tolist()
        going_on = [token for token in tokens if token != self.special.end]
        rest: dict[int, list[int]] = {}
        if going_on and left > 1:
            rows = len(going_on)
            prompt = np.column_stack([np.tile(begun, (rows, 1)), going_on])
            found = beam_search(self.model, np.tile(memory, (rows, 1, 1)), None, prompt, settings, [left - 1] * rows)
            rest = {token: ended[0].ids for token, ended in zip(going_on, found, strict=True) if ended}
        return [[*prefix, *([] if token == self.special.end else [token]), *rest.get(token, [])] for token in tokens]

    def encode(self, rows: Sequence[Ids]) -> list[NDArray[np.float32]]:
        read = [self.special.around(ids) for ids in rows]
        self._refuse_long(read)

        def encode(numbers: list[int]) -> list[NDArray[np.float32]]:
            hidden = self.model.encode_rows(*self._padded([read[number] for number in numbers]))
            return [hidden[row, : len(read[number])].copy() for row, number in enumerate(numbers)]

        return self._in_batches([len(ids) for ids in read], encode)

    def classify(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        if not self.architecture.labels:
            raise ValueError("this encoder has no classifier on top")
        return classifier_logits(self.architecture, self.model.weights, vectors)

    def write(self, prompt: Ids, settings: GenerationSettings) -> Generator[int]:
        longest = self.max_tokens if settings.max_length is not None else self.architecture.max_positions
        limit = max(1, min(settings.max_length or longest, longest - len(prompt) - 1))
        cache, chance = BatchedCache(), np.random.default_rng(settings.seed)
        newest = np.array([self.special.begins_text(prompt)])
        self._refuse_long(newest.tolist())
        for _ in range(limit):
            (logits,) = self._ruled(self.model.step(cache, newest, None)).astype(np.float64)  # (vocabulary,)
            token = draw(logits, settings, chance) if settings.sample else int(logits.argmax())
            yield token
            if token == self.special.end:
                return
            newest = np.array([[token]])

    def log_probabilities(
        self, sources: Sequence[Ids] | None, targets: Sequence[Ids], with_end: bool = True
    ) -> list[NDArray[np.float32]]:
        front = [] if sources is None else list(self.special.target_prefix)
        end = [self.special.end] if with_end else []
        rows = [[*front, *ids, *end] for ids in targets]
        read = [self.special.around(ids) for ids in sources or []]
        self._refuse_long([*rows, *read])

        def score(numbers: list[int]) -> list[NDArray[np.float32]]:
            target = self._padded([rows[number] for number in numbers])
            memory, visible = None, None
            if sources is not None:
                source = self._padded([read[number] for number in numbers])
                memory, visible = self.model.encode_rows(*source), _mask(source)
            shifted = np.column_stack([np.full(len(numbers), self.special.start), target.ids[:, :-1]])
            hidden = self.model.decode_without_logits(UNRECORDED, shifted, memory, visible)
            found = np.empty(target.ids.shape, dtype=np.float32)
            found[target.visible] = self._log_probabilities(hidden[target.visible], target.ids[target.visible])
            return [found[row, len(front) : len(rows[number])] for row, number in enumerate(numbers)]

        return self._in_batches([max(map(len, pair)) for pair in zip(rows, read or rows, strict=True)], score)

    def _log_probabilities(self, hidden: Array, right: NDArray[np.intp]) -> Array:
        """(positions, d_model), (positions,) → (positions,): few logits are there at a time."""
        found = np.empty(len(right))
        for begin in range(0, len(right), LOGITS_AT_ONCE):
            here = slice(begin, begin + LOGITS_AT_ONCE)
            logits = self.model.logits(hidden[here])
            found[here] = np.take_along_axis(logits, right[here, None], axis=1)[:, 0] - log_sum_exp(logits)
        return found

    def _in_batches(self, lengths: Sequence[int], compute: Callable[[list[int]], list[Found]]) -> list[Found]:
        """compute: the numbers of some rows, about as long as each other → what becomes of them."""
        order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
        batches: list[list[int]] = []
        while order:
            count = max(1, min(BATCH_ROWS, BATCH_TOKENS // max(1, lengths[order[0]])))
            batches.append(order[:count])
            order = order[count:]
        results: dict[int, Found] = {}
        for batch, found in zip(batches, self._mapped(compute, batches), strict=True):
            results.update(zip(batch, found, strict=True))
        return [results[number] for number in range(len(lengths))]

    def _mapped(self, compute: Callable[[list[int]], list[Found]], batches: list[list[int]]) -> Iterable[list[Found]]:
        callers = min(len(batches), self.workers)
        if callers <= 1:
            return map(compute, batches)
        with ThreadPoolExecutor(callers) as pool:  # whoever cancels is known by the context
            begun = [pool.submit(copy_context().run, compute, batch) for batch in batches]
            return [one.result() for one in begun]

    def _limit(self, length: int, settings: GenerationSettings) -> int:
        """The most tokens that a source of this length may become."""
        room = self.max_tokens - len(self.special.begins_translation)
        return min(settings.max_length or length_limit(length), room)

    def _ruled(self, logits: Array) -> Array:
        logits[..., list(self.special.never_written)] = -np.inf
        return logits

    def _padded(self, rows: Sequence[Ids]) -> Padded:
        lengths = np.array([len(row) for row in rows])
        visible = np.arange(max(1, lengths.max())) < lengths[:, None]
        ids = np.full(visible.shape, self.special.pad, dtype=np.intp)
        ids[visible] = [number for row in rows for number in row]
        return Padded(ids, visible)

    def _refuse_long(self, rows: Sequence[Ids]) -> None:
        longest = max(map(len, rows), default=0)
        if self.architecture.positions == "learned" and longest > self.max_tokens:
            raise DhyanError(
                f"a text of {longest} tokens is longer than the {self.max_tokens} positions of this pack."
            )


def _mask(rows: Padded) -> Mask | None:
    return None if rows.visible.all() else rows.visible
