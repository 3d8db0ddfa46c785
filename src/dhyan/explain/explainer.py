"""A pack and a text → an explanation: the model is run in NumPy, and every number of it is kept."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar

from dhyan.core.arguments import check_mapping, check_several, check_text, check_whole
from dhyan.core.errors import DhyanError
from dhyan.explain.address import Head, read_heads
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.logit_lens import logit_lens
from dhyan.explain.analyses.occlusion import can_hide, check_can_hide, occlude
from dhyan.explain.beam_trace import BeamTrace, log_probabilities, search
from dhyan.explain.edits import Edit
from dhyan.explain.explanation import Explanation, Question
from dhyan.explain.formulas import Array
from dhyan.explain.interactive import InteractiveExplanation
from dhyan.explain.known_words import KnownWords
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.pair_view import pair_tokens, text_pair
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
        self.architecture, self.label_kind = pack.manifest.architecture, pack.manifest.label_kind
        self.special = self.architecture.special
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
        heads_off: str | Iterable[str] = (),
        force: Mapping[int, int | str] | None = None,
        hide: int | str | Iterable[int | str] = (),
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
        if target is not None:
            check_text(target, "the target")
        if target is not None and force:
            raise DhyanError("a target and a forced piece together: give one of them.")
        given = {name: value for name, value in (("beam", beam), ("max_length", max_length)) if value is not None}
        GenerationSettings.checked(given, "explain")
        chosen = beam or (decoding.beam if self.architecture.has_cross else 1)
        forced = self._forced(force)
        heads = read_heads(self.architecture, heads_off)
        to_hide = check_several(hide, "a word of the text")
        if to_hide:
            check_can_hide(self.architecture)
        hidden = read_words(self._tokens(text), to_hide) if to_hide else ()
        return Question(
            text, target, chosen, max_length, heads, tuple(sorted(forced)), hidden, self._edits(text, set)
        )

    def answer(self, question: Question) -> InteractiveExplanation:
        """Run the model on a question that was read already."""
        source = self._tokens(question.text)
        model = self._changed_model(question, source)
        given = self._ids(question.text)
        trace, memory = Trace(model.weights), None
        if self.architecture.has_encoder:
            encoded, memory = self._encode(model, question, source.ids)
            trace = encoded.copy()
        prompt, written, searched = [], [], None
        if self.architecture.has_decoder:
            prompt = self.special.begins_translation if memory is not None else self.special.begins_text(given)
            if question.target is None:
                searched = self._search(model, question, given, prompt, memory)
                written = [*searched.best.ids, *([self.special.end] if searched.best.ended else [])]
            else:
                written = [*self.target_tokenizer.encode(question.target), self.special.end]
                self._refuse_long(len(prompt) + len(written), "the target")
            model.decode(trace, [*prompt, *written[:-1]], memory)
        begins = len(prompt) - (0 if memory is not None else len(given))  # tokens of the prompt that are not text
        found = InteractiveExplanation(
            question,
            self.pack,
            model,
            trace,
            source=source,
            target=Tokens.of(self.target_tokenizer, [*prompt, *written[:-1]], before=begins),
            predicted=Tokens.of(self.target_tokenizer, [*prompt[1:], *written], before=max(0, begins - 1)),
            written=Tokens.of(self.target_tokenizer, written),
            first_row=max(0, len(prompt) - 1),
            search=searched,
            ask=self.answer,
        )
        add_lazy_arrays(found)
        return found

    def model(self, heads_off: Sequence[Head] = ()) -> NumpyTransformer:
        """The model with some heads switched off."""
        return NumpyTransformer(self.architecture, self._weights, heads_off, label_kind=self.label_kind)

    # -- the runs --------------------------------------------------------------------------------------------

    def _changed_model(self, question: Question, source: Tokens) -> NumpyTransformer:
        """The model as the question wants it."""
        shift = 0 if self.architecture.has_encoder else len(self.special.begins_text(source.ids)) - len(source)
        words = [word for word in source.words if not word.special]
        hidden = [shift + at for number in question.hide for at in range(words[number].start, words[number].end)]
        known = self._known_words(question.text, source)
        changes = question.heads_off, hidden, question.set
        return NumpyTransformer(self.architecture, self._weights, *changes, known, self.label_kind)

    @cached_property
    def _weights(self) -> Mapping[str, Array]:
        """All that was learnt, by address."""
        head = self.pack.words_head
        return self.pack.weights | head.by_address() if head else self.pack.weights

    def _known_words(self, text: str, source: Tokens) -> KnownWords | None:
        head = self.pack.words_head
        return KnownWords.of(head, text, source) if head else None

    @cached_property
    def _shortest_run(self) -> Trace:
        """Which arrays there are: of the shortest text, as quickly as can be."""
        source = self.special.around([]) or [self.special.end] if self.architecture.has_encoder else None
        target = [self.special.start] if self.architecture.has_decoder else None
        model = self.model()
        model.words = self._known_words("", Tokens.of(self.source_tokenizer, source or []))
        return model.trace(source, target)

    def _edits(self, text: str, asked: Mapping[str, Value] | None) -> tuple[Edit, ...]:
        if not asked:
            return ()
        source = self._tokens(text)
        known = self._known_words(text, source)
        return read_edits(asked, self._shortest_run, len(source), len(known.words) if known else 0)

    def _forced(self, force: Mapping[int, int | str] | None) -> list[tuple[int, int]]:
        """(step, id) of each piece."""
        given = check_mapping(force or {}, "force", '{2: "नदी"}')
        return [
            (check_whole(step, "a step"), piece_id(self.target_tokenizer, piece, self.special))
            for step, piece in given.items()
        ]

    def _encode(self, model: NumpyTransformer, question: Question, ids: list[int]) -> tuple[Trace, Array]:
        def run() -> tuple[Trace, Array]:
            trace = Trace(model.weights)
            memory = model.encode(trace, ids)
            model.heads_on_top(trace, memory)
            return trace, memory

        given = question.text if model.words else ""  # texts of the same ids may be of different words
        return self._encoded.get((given, tuple(ids), question.heads_off, question.hide, question.set), run)

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
            written = [*found.best.ids, *([self.special.end] if found.best.ended else [])]
            if not 0 <= step < len(written):
                raise DhyanError(f"there is no step {step} to force: the steps are 0 to {len(written) - 1}.")
            found = run((*written[:step], forced))
        return found

    def _limit(self, question: Question, given: list[int], prompt: list[int]) -> int:
        """The most tokens that may be written: as the engines have it."""
        a = self.architecture
        asked = question.max_length or self.pack.manifest.decoding.max_length
        own = 2 * len(self.special.around(given)) + 20 if a.has_cross else WRITES
        room = a.max_positions if a.positions == "learned" else 2 * MOST_TOKENS + 20
        return max(1, min(asked or own, room - len(prompt)))

    # -- refusals --------------------------------------------------------------------------------------------

    def _tokens(self, text: str) -> Tokens:
        """Of the given text, with its special tokens where there is an encoder."""
        if not text.strip():
            raise DhyanError("there is no text to explain; write at least one word.")
        text, ids = self._read(text), self._ids(text)
        self._refuse_long(
            len(self.special.around(ids)) if self.architecture.has_encoder else len(ids) + 1, "the text"
        )
        if not self.architecture.has_encoder:
            return Tokens.of(self.source_tokenizer, ids, text)
        before = len(self.special.source_prefix)
        if self.pack.manifest.reads_pairs:
            return pair_tokens(self.source_tokenizer, self.special, *text_pair(text))
        return Tokens.of(self.source_tokenizer, self.special.around(ids), text, before)

    def _ids(self, text: str) -> list[int]:
        """Of the given text, or of both texts of a pair with what stands between them."""
        if not self.pack.manifest.reads_pairs:
            return self.source_tokenizer.encode(self._read(text))
        first, second = (self.source_tokenizer.encode(one) for one in text_pair(text))
        return [*first, *self.special.between, *second]

    def _read(self, text: str) -> str:
        """A text as the model reads it: an encoder's without the spaces around it."""
        return text.strip() if self.architecture.has_encoder else text

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
        later("dec.out.logprobs", logits.shape, lambda: log_probabilities(logits, a.special.never_written))
        later("dec.lens.probs", (a.decoder_layers + 1, *logits.shape), lambda: logit_lens(explanation))
    elif a.labels:
        later("enc.lens.probs", (a.encoder_layers + 1, a.labels), lambda: logit_lens(explanation))
    rows = len(explanation.written.words) if a.has_decoder else a.labels or 1
    if can_hide(a):
        later("occlusion", (rows, given), lambda: explanation.once(occlude).change)
    if a.has_cross:
        written = sum(not word.special for word in explanation.written.words)
        later("alignment", (written, given), lambda: explanation.once(alignment).weights)
