"""The light engine: CTranslate2 on the CPU, int8 or float32."""

import atexit
import ctypes
import os
import weakref
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.cores import usable_cores
from dhyan.core.errors import DhyanError
from dhyan.engines.base import Ids
from dhyan.engines.convert import CLASSIFIER, Compute, table_length, vocabulary
from dhyan.engines.converted_cache import converted_model
from dhyan.engines.import_ctranslate2 import ctranslate2
from dhyan.engines.seeded_sampling import SeededSampler, StreamedText
from dhyan.engines.shared_lengths import SharedLengths, Try, by_length
from dhyan.model.architecture import Architecture
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer

BATCH_TOKENS = 2048
TRIED_STEPS = 12  # of a search that tries whether lengths may share a batch
BATCH_ROWS = 12  # of about one length: eight cost half of what they cost alone, and more than so many save little
NO_PENALTY = 1e-7  # at exactly 0 CTranslate2 searches by another rule: it waits for the most probable to end


class CTranslate2Engine:
    """Token names go in and come out: CTranslate2 has its own copy of the vocabularies.

    With int8 the same text has the same result alone and in any batch: sequences share a batch only if that was tried
    on this machine (shared_lengths.py). With float32 only sequences of one length do.

    A batch has one core: its products are small, and threads that share them wait for each other longer than they
    compute (docs/measured/runtime-speed.md). Several cores compute several batches.
    """

    device = "cpu"

    def __init__(self, pack: Pack, compute: Compute = "int8", threads: int = 0) -> None:
        """threads: batches that are computed at the same time, a core each; 0 for one per core."""
        self.architecture = pack.manifest.architecture
        self.special = self.architecture.special
        self.compute, self.threads, self.workers = compute, threads, threads or usable_cores()
        self.folder = str(converted_model(pack, compute))
        self.max_tokens = table_length(self.architecture)
        self._source, self._target = pack.source_tokenizer, pack.target_tokenizer
        self._started: Any = self._start(self.workers)
        self._sampler = SeededSampler(self._start, bytes_per_text=self._cache_bytes())
        vocabulary_size = self.architecture.source_vocabulary or self.architecture.target_vocabulary
        marks = len(self.special.around([]))
        self._shared_lengths = SharedLengths(vocabulary_size, self.max_tokens - max(0, marks - 1))
        self._texts: weakref.WeakSet[StreamedText] = weakref.WeakSet()  # that are being written
        _engines.add(self)

    @property
    def model(self) -> Any:
        """CTranslate2's own object."""
        if self._started is None:
            self._started = self._start(self.workers)
        return self._started

    def _close(self) -> None:
        """When the process ends: a thread that comes back to Python after its end would abort it."""
        for text in self._texts:
            text.is_stopped = True
        self._started = None

    def _after_fork(self) -> None:
        """A fork copies no threads, so a child process starts a model for itself when it needs one.

        CTranslate2's destructor waits for the threads that are not there, so it must never run.
        """
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._started))
        self._started, self.threads, self.workers = None, 1, 1
        self._sampler.forget()

    def _start(self, workers: int = 1) -> Any:
        kind = {
            "encoder-decoder": ctranslate2.Translator,
            "encoder": ctranslate2.Encoder,
            "decoder": ctranslate2.Generator,
        }[self.architecture.shape]
        return kind(
            self.folder,
            device="cpu",
            compute_type=self.compute,
            inter_threads=workers,
            intra_threads=1,
        )

    def _cache_bytes(self) -> int:
        """Keys and values of a text of full length, float32."""
        a = self.architecture
        return 2 * 4 * a.decoder_layers * a.d_model * a.max_positions

    @cached_property
    def source_names(self) -> list[str]:
        return vocabulary(_present(self._source))

    @cached_property
    def target_names(self) -> list[str]:
        return vocabulary(_present(self._target))

    @cached_property
    def suppressed(self) -> list[list[str]]:
        return [[self.target_names[number]] for number in self.special.never_written]

    @cached_property
    def target_ids(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.target_names)}

    def translate(
        self, sources: Sequence[Ids], settings: GenerationSettings, no_repeat_ngram: int = 0
    ) -> list[list[Hypothesis]]:
        longest, most = max(map(len, sources), default=0), self.max_tokens - len(self.special.around([]))
        if longest > most:
            raise DhyanError(f"a sentence of {longest} tokens is too long for this pack ({most} at most); split it.")

        def search(rows: Sequence[Ids]) -> list[list[Hypothesis]]:
            return self._translated(self._begin(rows, settings, no_repeat_ngram), settings)

        def attempt(rows: Sequence[Ids]) -> list[Hashable]:
            few = settings.model_copy(update={"max_length": TRIED_STEPS})
            found = self._translated(self._begin(rows, few, no_repeat_ngram), few)
            return [tuple((tuple(one.ids), one.score) for one in hypotheses) for hypotheses in found]

        results: list[list[Hypothesis]] = [[] for _ in sources]
        groups = self._divided(self._groups(sources, settings.beam, attempt), sources)
        begun = [
            (numbers, self._begin([sources[number] for number in numbers], settings, no_repeat_ngram))
            for numbers in groups
        ]
        for numbers, batch in begun:
            most = max(len(sources[number]) for number in numbers)
            for number, hypotheses in zip(numbers, self._translated(batch, settings), strict=True):
                limit = self._limit(len(sources[number]), settings)
                # In a batch the longest has the say; what went on for longer than its own limit is searched anew.
                if limit < self._limit(most, settings) and max(one.length for one in hypotheses) >= limit:
                    (hypotheses,) = search([sources[number]])
                results[number] = hypotheses[: settings.alternatives]
        return results

    def _groups(self, rows: Sequence[Ids], how: Hashable, attempt: Try) -> list[list[int]]:
        """The numbers of the rows, batch by batch."""
        lengths = [len(row) for row in rows]
        if self.compute != "int8":
            return by_length(lengths, range(len(rows)))
        return self._shared_lengths.groups(lengths, how, attempt)

    def _divided(self, groups: list[list[int]], rows: Sequence[Ids]) -> list[list[int]]:
        """Large batches as several of rows that are about as long: they end together, and workers share them."""
        found = []
        for numbers in groups:
            ordered = sorted(numbers, key=lambda number: len(rows[number]))
            count = max(1, round(len(ordered) / BATCH_ROWS))
            if len(groups) < self.workers and len(ordered) >= BATCH_ROWS:
                count = max(count, self.workers)
            size = -(-len(ordered) // count)
            found += [ordered[begin : begin + size] for begin in range(0, len(ordered), size)]
        return sorted(found, key=lambda numbers: -sum(len(rows[number]) for number in numbers))

    def _limit(self, length: int, settings: GenerationSettings) -> int:
        """The most tokens that a source of this length may become."""
        return min(settings.max_length or length_limit(length), self.max_tokens - 1)

    def _begin(self, sources: Sequence[Ids], settings: GenerationSettings, no_repeat_ngram: int) -> list[Any]:
        """Let the workers begin with a batch; what it gives can be waited for."""
        longest = max(map(len, sources))
        results: list[Any] = self.model.translate_batch(
            [self._source_row(ids) for ids in sources],
            target_prefix=[self._target_prefix] * len(sources) if self._target_prefix else None,
            max_batch_size=max(BATCH_TOKENS, longest + len(self.special.around([]))),
            batch_type="tokens",
            beam_size=settings.beam,
            num_hypotheses=settings.beam,
            length_penalty=settings.kept_by or NO_PENALTY,
            no_repeat_ngram_size=no_repeat_ngram,
            suppress_sequences=self.suppressed,
            max_input_length=0,  # never cut
            max_decoding_length=self._limit(longest, settings) + len(self._target_prefix),
            min_decoding_length=0,
            return_scores=True,
            return_end_token=True,
            asynchronous=True,
        )
        return results

    def _translated(self, begun: Sequence[Any], settings: GenerationSettings) -> list[list[Hypothesis]]:
        results = [one.result() for one in begun]
        return [self._ranked(result.hypotheses, result.scores, settings) for result in results]

    def _ranked(self, found: list[list[str]], scores: list[float], settings: GenerationSettings) -> list[Hypothesis]:
        """Best first, by the settings' own score; CTranslate2 has divided by a power of the length."""
        hypotheses = []
        for written, score in zip(found, scores, strict=True):
            names = written[len(self._target_prefix) :]
            length = max(1, len(names))  # one that was cut off at once has none
            score *= length**settings.kept_by / settings.divisor(length)
            hypotheses.append(Hypothesis.of([self.target_ids[name] for name in names], score, self.special.end))
        return sorted(hypotheses, key=lambda hypothesis: -hypothesis.score)

    def continuations(self, source: Ids, prefix: Ids, settings: GenerationSettings, count: int) -> list[list[int]]:
        limit = self._limit(len(source), settings)
        if len(self.special.around(source)) > self.max_tokens or len(prefix) >= limit:
            return []
        (result,) = self.model.translate_batch(
            [self._source_row(source)],
            target_prefix=[[*self._target_prefix, *(self.target_names[number] for number in prefix)]],
            return_alternatives=True,
            num_hypotheses=count,
            beam_size=settings.beam,
            length_penalty=settings.kept_by or NO_PENALTY,
            suppress_sequences=self.suppressed,
            max_input_length=0,
            max_decoding_length=limit + len(self._target_prefix),
        )
        front = len(self._target_prefix)
        return [[self.target_ids[name] for name in names[front:]] for names in result.hypotheses]

    def _source_row(self, ids: Ids) -> list[str]:
        """The names that CTranslate2 is given: where a text has only its end around it, it adds that itself."""
        is_added = self.special.around([]) == [self.special.end]
        return [self.source_names[number] for number in (ids if is_added else self.special.around(ids))]

    @cached_property
    def _target_prefix(self) -> list[str]:
        return [self.target_names[number] for number in self.special.target_prefix]

    def encode(self, rows: Sequence[Ids]) -> list[NDArray[np.float32]]:
        if self.architecture.has_decoder:
            raise ValueError("CTranslate2 gives no vectors of an encoder–decoder")

        def attempt(some: Sequence[Ids]) -> list[Hashable]:
            return [found.tobytes() for found in self._encode_batch(some)]

        batches: list[list[int]] = []
        for numbers in self._groups(rows, "encode", attempt):
            count = max(1, BATCH_TOKENS // (max(len(rows[number]) for number in numbers) + 1))
            batches += [numbers[begin : begin + count] for begin in range(0, len(numbers), count)]
        vectors: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(rows)
        for batch, encoded in zip(batches, self._encode_batches(batches, rows), strict=True):
            for number, found in zip(batch, encoded, strict=True):
                vectors[number] = found
        return vectors

    def _encode_batches(self, batches: list[list[int]], rows: Sequence[Ids]) -> list[list[NDArray[np.float32]]]:
        """CTranslate2 encodes while its caller waits, so that several batches need several callers."""

        def encode(batch: list[int]) -> list[NDArray[np.float32]]:
            return self._encode_batch([rows[number] for number in batch])

        if min(len(batches), self.workers) <= 1:
            return list(map(encode, batches))
        with ThreadPoolExecutor(min(len(batches), self.workers)) as callers:
            return list(callers.map(encode, batches))

    def _encode_batch(self, rows: Sequence[Ids]) -> list[NDArray[np.float32]]:
        read = [self.special.around(row) for row in rows]
        output = self.model.forward_batch(read)
        hidden = np.array(output.last_hidden_state)  # (rows, positions of the longest, d_model)
        return [found[: len(row)].copy() for found, row in zip(hidden, read, strict=True)]

    def classify(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        with np.load(Path(self.folder) / CLASSIFIER) as head:
            return classifier_logits(self.architecture, head, vectors)

    def write(self, prompt: Ids, settings: GenerationSettings) -> Generator[int]:
        longest = self.max_tokens if settings.max_length is not None else self.architecture.max_positions
        limit = max(1, min(settings.max_length or longest, longest - len(prompt) - 1))
        for step in self._sampled(prompt, limit, settings) if settings.sample else self._greedy(prompt, limit):
            yield step.token_id
            if step.token_id == self.special.end:
                return

    def _greedy(self, prompt: Ids, limit: int) -> Iterable[Any]:
        text = StreamedText()
        self._texts.add(text)
        options = {"max_length": limit, "sampling_topk": 1, "suppress_sequences": self.suppressed}
        text.begin(self.model, self._prompt_names(prompt), options)
        return text.read(text.next_step())

    def _sampled(self, prompt: Ids, limit: int, settings: GenerationSettings) -> Iterable[Any]:
        return self._sampler.sample(
            self._prompt_names(prompt),
            settings.seed,
            max_length=limit,
            sampling_topk=min(settings.top_k, len(self.target_names)),
            sampling_topp=settings.top_p,
            sampling_temperature=settings.temperature,
            suppress_sequences=self.suppressed,
        )

    def _prompt_names(self, prompt: Ids) -> list[str]:
        return [self.target_names[number] for number in self.special.begins_text(prompt)]

    def log_probabilities(
        self, sources: Sequence[Ids] | None, targets: Sequence[Ids], with_end: bool = True
    ) -> list[NDArray[np.float32]]:
        names = [[self.target_names[number] for number in ids] for ids in targets]
        if sources is None:
            start, end = self.target_names[self.special.start], self.target_names[self.special.end]
            read = [[[start, *row, *([end] if with_end else [])] for row in names]]
        else:
            read = [[self._source_row(ids) for ids in sources], [[*self._target_prefix, *row] for row in names]]
        longest = max((len(row) + 1 for side in read for row in side), default=1)
        results = self.model.score_batch(*read, max_batch_size=max(1, BATCH_TOKENS // longest), max_input_length=0)
        front = 0 if sources is None else len(self._target_prefix)
        found = [np.asarray(result.log_probs, dtype=np.float32)[front:] for result in results]
        return [row[: len(ids) + with_end] for row, ids in zip(found, targets, strict=True)]


def classifier_logits(
    a: Architecture, weights: Mapping[str, NDArray[np.float32]], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(rows, d_model) → (rows, labels), row by row: the same in every batch."""

    def logits(vector: NDArray[np.float32]) -> NDArray[np.float32]:
        if a.classifier_hidden != "none":
            hidden = weights["cls.hidden.W"] @ vector + weights["cls.hidden.b"]
            vector = np.tanh(hidden) if a.classifier_hidden == "tanh" else np.maximum(hidden, 0)
        return weights["cls.W"] @ vector + weights["cls.b"]

    return np.array([logits(vector) for vector in vectors])


def length_limit(source_length: int) -> int:
    """The most tokens that a source may become: twice as many and some, its end mark counted."""
    return 2 * (source_length + 1) + 20


def _present(tokenizer: Tokenizer | None) -> Tokenizer:
    if tokenizer is None:
        raise ValueError("this pack has no vocabulary for that side")
    return tokenizer


_engines: "weakref.WeakSet[CTranslate2Engine]" = weakref.WeakSet()


def _after_fork() -> None:
    for engine in _engines:
        engine._after_fork()


@atexit.register
def _close() -> None:
    for engine in _engines:
        engine._close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
