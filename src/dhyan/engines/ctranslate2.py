"""The light engine: CTranslate2 on the CPU, int8 or float32."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END, NEVER_WRITTEN, SPECIAL, START
from dhyan.engines.convert import CLASSIFIER, Compute, pieces, table_length
from dhyan.engines.converted_cache import engine_model
from dhyan.engines.import_ctranslate2 import ctranslate2
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer

Ids = Sequence[int]
SUPPRESSED = [[SPECIAL[number]] for number in NEVER_WRITTEN]
BATCH_TOKENS = 2048
NO_PENALTY = 1e-7  # at exactly 0 the engine searches by another rule: it waits for the likeliest to end


class CTranslate2Engine:
    """Token names go in and come out: CTranslate2 has its own copy of the vocabularies."""

    device = "cpu"

    def __init__(self, pack: Pack, compute: Compute = "int8", threads: int = 0) -> None:
        self.architecture = pack.manifest.architecture
        self.folder = str(engine_model(pack, compute))
        self.room = table_length(self.architecture)
        self.compute, self.threads = compute, threads
        self.model = self.start()
        self._source, self._target = pack.source_tokenizer, pack.target_tokenizer

    def start(self) -> Any:
        kind = {
            "encoder-decoder": ctranslate2.Translator,
            "encoder": ctranslate2.Encoder,
            "decoder": ctranslate2.Generator,
        }[self.architecture.shape]
        return kind(self.folder, device="cpu", compute_type=self.compute, intra_threads=self.threads)

    @cached_property
    def source_names(self) -> list[str]:
        return pieces(_there(self._source))

    @cached_property
    def target_names(self) -> list[str]:
        return pieces(_there(self._target))

    @cached_property
    def target_ids(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.target_names)}

    def translate(
        self, sources: Sequence[Ids], decoding: GenerationSettings, never_twice: int = 0
    ) -> list[list[Hypothesis]]:
        """The engine has one length limit a batch; a row that reached its own is done again with its equals.

        So what becomes of a row never depends on who stands beside it.
        """
        found = self.translate_batch(sources, decoding, never_twice)
        ran_away: dict[int, list[int]] = {}
        for number, (ids, hypotheses) in enumerate(zip(sources, found, strict=True)):
            if decoding.max_length is None and any(len(one.ids) >= own_limit(ids) for one in hypotheses):
                ran_away.setdefault(len(ids), []).append(number)
        for numbers in ran_away.values():
            again = self.translate_batch([sources[number] for number in numbers], decoding, never_twice)
            for number, hypotheses in zip(numbers, again, strict=True):
                found[number] = hypotheses
        return [hypotheses[: decoding.alternatives] for hypotheses in found]

    def translate_batch(
        self, sources: Sequence[Ids], decoding: GenerationSettings, never_twice: int
    ) -> list[list[Hypothesis]]:
        if not sources:
            return []
        longest = max(len(ids) for ids in sources)
        if longest >= self.room:
            raise DhyanError(
                f"a sentence of {longest} tokens is too long for this pack ({self.room - 1} at most); split it."
            )
        results = self.model.translate_batch(
            [[self.source_names[number] for number in ids] for ids in sources],
            max_batch_size=max(BATCH_TOKENS, longest + 1),
            batch_type="tokens",
            beam_size=decoding.beam,
            num_hypotheses=decoding.beam,
            length_penalty=decoding.kept_by or NO_PENALTY,
            no_repeat_ngram_size=never_twice,
            suppress_sequences=SUPPRESSED,
            max_input_length=0,  # never cut
            max_decoding_length=min(decoding.max_length or max(map(own_limit, sources)), self.room - 1),
            min_decoding_length=0,
            return_scores=True,
            return_end_token=True,
        )
        return [self.ranked(result.hypotheses, result.scores, decoding) for result in results]

    def ranked(self, found: list[list[str]], scores: list[float], decoding: GenerationSettings) -> list[Hypothesis]:
        """Best first, by the score that was asked for; the engine has divided by a power of the length."""
        hypotheses = []
        for names, score in zip(found, scores, strict=True):
            length = max(1, len(names))  # one that was cut off at once has none
            score *= length**decoding.kept_by / decoding.divisor(length)
            hypotheses.append(Hypothesis.of([self.target_ids[name] for name in names], score))
        return sorted(hypotheses, key=lambda one: -one.score)

    def encode(self, rows: Sequence[Ids]) -> list[NDArray[np.float32]]:
        if self.architecture.has_decoder:
            raise ValueError("CTranslate2 gives no vectors of an encoder–decoder")
        vectors: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(rows)
        order = sorted(range(len(rows)), key=lambda number: -len(rows[number]))
        while order:
            count = max(1, BATCH_TOKENS // (len(rows[order[0]]) + 1))
            batch, order = order[:count], order[count:]
            hidden = np.array(self.model.forward_batch([[*rows[number], END] for number in batch]).last_hidden_state)
            for number, row in zip(batch, hidden, strict=True):
                vectors[number] = row[: len(rows[number]) + 1]
        return vectors

    def write(self, prompt: Ids, decoding: GenerationSettings) -> Iterator[int]:
        most = self.room if decoding.max_length is not None else self.architecture.max_positions
        room = min(decoding.max_length or most, most - len(prompt) - 1)
        model = self.model
        if decoding.sample:  # a generator's threads take the seed when they start, and keep to it: so a new one
            ctranslate2.set_random_seed(decoding.seed)
            model = self.start()
        steps = model.generate_tokens(
            [SPECIAL[START], *(self.target_names[number] for number in prompt)],
            max_length=max(1, room),
            sampling_topk=min(decoding.top_k, len(self.target_names)) if decoding.sample else 1,
            sampling_topp=decoding.top_p,
            sampling_temperature=decoding.temperature,
            suppress_sequences=SUPPRESSED,
        )
        for step in steps:
            if step.token_id == END:
                return
            yield step.token_id

    def classify(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        with np.load(Path(self.folder) / CLASSIFIER) as head:
            return np.asarray(vectors @ head["weight"].T + head["bias"])

    def log_probabilities(
        self, sources: Sequence[Ids] | None, targets: Sequence[Ids], with_end: bool = True
    ) -> list[NDArray[np.float32]]:
        names = [[self.target_names[number] for number in ids] for ids in targets]
        if sources is None:
            end = [SPECIAL[END]] if with_end else []
            results = self.model.score_batch([[SPECIAL[START], *row, *end] for row in names])
        else:
            results = self.model.score_batch(
                [[self.source_names[number] for number in ids] for ids in sources], names
            )
        found = [np.asarray(result.log_probs, dtype=np.float32) for result in results]
        return [row[: len(ids) + with_end] for row, ids in zip(found, targets, strict=True)]


def own_limit(ids: Ids) -> int:
    """The most tokens that a source may become: twice as many and some, its end mark counted."""
    return 2 * (len(ids) + 1) + 20


def _there(tokenizer: Tokenizer | None) -> Tokenizer:
    if tokenizer is None:
        raise ValueError("this pack has no vocabulary for that side")
    return tokenizer
