"""A pack and a text → an explanation: the model is run in NumPy, and every number of it is kept."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END, START
from dhyan.explain.address import Head, read_heads
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.logit_lens import logit_lens
from dhyan.explain.analyses.occlusion import occlude
from dhyan.explain.beam_trace import BeamTrace, log_probabilities, search
from dhyan.explain.edits import Edit
from dhyan.explain.explanation import Explanation, Question
from dhyan.explain.formulas import Array
from dhyan.explain.interactive import InteractiveExplanation
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.read_edits import Value, read_edits
from dhyan.explain.token_view import Tokens, piece_id, read_words
from dhyan.explain.trace import Trace
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack

MOST_TOKENS = 256  # every number of a longer text is more than anybody looks at, and fills the memory
WRITES = 20  # tokens that a writer goes on with unless asked otherwise
REMEMBERED = 8  # runs of the encoder and searches that are kept: the next question is often about the same text

Kept = TypeVar("Kept")


class Memory(Generic[Kept]):
    """The last few results, for many threads at once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Any, compute: Callable[[], Kept]) -> Kept:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = compute()
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        return found


class Explainer:
    """Opens a pack up. Keep one for as long as you ask about the same pack: what it has computed it remembers."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.architecture = pack.manifest.architecture
        self.source_tokenizer = pack.source_tokenizer or pack.tokenizer  # of the text that is given
        self.target_tokenizer = pack.target_tokenizer or pack.tokenizer  # of the text that is written
        self._encoded: Memory[tuple[Trace, Array]] = Memory()
        self._searches: Memory[BeamTrace] = Memory()

    def explain(self, text: str, **options: Any) -> InteractiveExplanation:
        """Run the model on one text and keep every number. `options` are those of `question`."""
        return self.answer(self.question(text, **options))

    def question(
        self,
        text: str,
        *,
        target: str | None = None,
        beam: int | None = None,
        max_length: int | None = None,
        heads_off: Sequence[str] = (),
        force: Mapping[int, int | str] | None = None,
        hide: Sequence[int | str] = (),
        set: Mapping[str, Value] | None = None,
    ) -> Question:
        """What is asked, checked: the one place where a question is read.

        target: explain this translation (or continuation) instead of the model's own. beam: hypotheses kept at each
        step; unset: as the pack says for a translator, 1 (greedy) for a writer. max_length: most tokens to write.
        heads_off: heads whose result counts as zero, such as "enc.2.h5". force: step → the piece (or its id) that is
        written there, whatever the model would choose; what stands before it stays, what follows is searched anew.
        hide: words of the text, by number or written out, that nobody may look at, as nobody looks at padding.
        set: address → a number, an array, or another trace (the same address of it): the model goes on from there.
        """
        decoding = self.pack.manifest.decoding
        if not self.architecture.has_decoder:
            self._refuse_decoding(target=target, beam=beam, max_length=max_length, force=force)
        if target is not None and force:
            raise DhyanError("a target and a forced piece together: give one of them.")
        given = {name: value for name, value in (("beam", beam), ("max_length", max_length)) if value is not None}
        GenerationSettings.checked(given, "explain")
        chosen = beam or (decoding.beam if self.architecture.has_cross else 1)
        forced = [(int(step), piece_id(self.target_tokenizer, piece)) for step, piece in (force or {}).items()]
        heads = read_heads(self.architecture, heads_off)
        hidden = read_words(self._tokens(text), hide) if hide else ()
        return Question(
            text, target, chosen, max_length, heads, tuple(sorted(forced)), hidden, self._edits(text, set)
        )

    def answer(self, question: Question) -> InteractiveExplanation:
        """Run the model on a question that was read already."""
        source = self._tokens(question.text)
        model = self._changed_model(question, source)
        given = source.ids[:-1] if self.architecture.has_encoder else source.ids
        trace, memory = Trace(model.weights), None
        if self.architecture.has_encoder:
            encoded, memory = self._encode(model, question, source.ids)
            trace = encoded.copy()
        prompt, written, searched = [], [], None
        if self.architecture.has_decoder:
            prompt = [START] if memory is not None else [START, *given]
            if question.target is None:
                searched = self._search(model, question, given, prompt, memory)
                written = [*searched.best.ids, *([END] if searched.best.ended else [])]
            else:
                written = [*self.target_tokenizer.encode(question.target), END]
                self._refuse_long(len(prompt) + len(written), "the target")
            model.decode(trace, [*prompt, *written[:-1]], memory)
        found = InteractiveExplanation(
            question,
            self.pack,
            model,
            trace,
            source=source,
            target=Tokens.of(self.target_tokenizer, [*prompt, *written[:-1]]),
            predicted=Tokens.of(self.target_tokenizer, [*prompt[1:], *written]),
            written=Tokens.of(self.target_tokenizer, written),
            first_row=max(0, len(prompt) - 1),
            search=searched,
            ask=self.answer,
        )
        add_lazy_arrays(found)
        return found

    def model(self, heads_off: Sequence[Head] = ()) -> NumpyTransformer:
        """The model with some heads switched off."""
        return NumpyTransformer(self.architecture, self.pack.weights, heads_off)

    # -- the runs --------------------------------------------------------------------------------------------

    def _changed_model(self, question: Question, source: Tokens) -> NumpyTransformer:
        """The model as the question wants it."""
        shift = 0 if self.architecture.has_encoder else 1  # behind the start mark
        words = [word for word in source.words if not word.special]
        hidden = [shift + at for number in question.hide for at in range(words[number].start, words[number].end)]
        return NumpyTransformer(self.architecture, self.pack.weights, question.heads_off, hidden, question.set)

    @cached_property
    def _shortest_run(self) -> Trace:
        """Which arrays there are: of the shortest text, as quickly as can be."""
        source = [END] if self.architecture.has_encoder else None
        target = [START] if self.architecture.has_decoder else None
        return self.model().trace(source, target)

    def _edits(self, text: str, asked: Mapping[str, Value] | None) -> tuple[Edit, ...]:
        return read_edits(asked, self._shortest_run, len(self._tokens(text))) if asked else ()

    def _encode(self, model: NumpyTransformer, question: Question, ids: list[int]) -> tuple[Trace, Array]:
        def run() -> tuple[Trace, Array]:
            trace = Trace(model.weights)
            memory = model.encode(trace, ids)
            model.heads_on_top(trace, memory)
            return trace, memory

        return self._encoded.get((tuple(ids), question.heads_off, question.hide, question.set), run)

    def _search(
        self, model: NumpyTransformer, question: Question, given: list[int], prompt: list[int], memory: Array | None
    ) -> BeamTrace:
        decoding = self.pack.manifest.decoding
        limit = self._limit(question, given, prompt)

        def run(prefix: tuple[int, ...]) -> BeamTrace:
            changes = question.heads_off, question.hide, question.set
            key = (tuple(given), changes, question.beam, limit, prefix)
            return self._searches.get(
                key,
                lambda: search(model, memory, prompt, prefix, question.beam, decoding, limit),
            )

        found = run(())
        for step, forced in question.force:
            written = [*found.best.ids, *([END] if found.best.ended else [])]
            if not 0 <= step < len(written):
                raise DhyanError(f"there is no step {step} to force: the steps are 0 to {len(written) - 1}.")
            found = run((*written[:step], forced))
        return found

    def _limit(self, question: Question, given: list[int], prompt: list[int]) -> int:
        """The most tokens that may be written: as the engines have it."""
        a = self.architecture
        asked = question.max_length or self.pack.manifest.decoding.max_length
        own = 2 * (len(given) + 1) + 20 if a.has_cross else WRITES
        room = a.max_positions if a.positions == "learned" else 2 * MOST_TOKENS + 20
        return max(1, min(asked or own, room - len(prompt)))

    # -- refusals --------------------------------------------------------------------------------------------

    def _tokens(self, text: str) -> Tokens:
        """Of the given text, with its end mark where there is an encoder."""
        if not text.strip():
            raise DhyanError("there is no text to explain; write at least one word.")
        text = text.strip() if self.architecture.has_encoder else text
        ids = self.source_tokenizer.encode(text)
        self._refuse_long(len(ids) + 1, "the text")
        return Tokens.of(self.source_tokenizer, [*ids, END] if self.architecture.has_encoder else ids, text)

    def _refuse_long(self, tokens: int, what: str) -> None:
        a = self.architecture
        room = min(MOST_TOKENS, a.max_positions) if a.positions == "learned" else MOST_TOKENS
        if tokens > room:
            raise DhyanError(
                f"{what} is {tokens} tokens long, marks included; at most {room} can be opened up: give one sentence."
            )

    def _refuse_decoding(self, **asked: Any) -> None:
        for name, value in asked.items():
            if value:
                raise DhyanError(f"{self.pack.folder.name} is an encoder and writes nothing: leave {name} out.")


def add_lazy_arrays(explanation: Explanation) -> None:
    """The addresses whose numbers are computed when somebody asks for them."""
    a, later = explanation.architecture, explanation.trace.record_when_asked
    given = sum(not word.special for word in explanation.source.words)
    if a.has_decoder:
        logits = explanation.array("dec.out.logits")
        later("dec.out.logprobs", logits.shape, lambda: log_probabilities(logits))
        later("dec.lens.probs", (a.decoder_layers + 1, *logits.shape), lambda: logit_lens(explanation))
    elif a.labels:
        later("enc.lens.probs", (a.encoder_layers + 1, a.labels), lambda: logit_lens(explanation))
    rows = len(explanation.written.words) if a.has_decoder else a.labels or 1
    later("occlusion", (rows, given), lambda: explanation.once(occlude).change)
    if a.has_cross:
        written = sum(not word.special for word in explanation.written.words)
        later("alignment", (written, given), lambda: explanation.once(alignment).weights)
