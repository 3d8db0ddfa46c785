"""An explanation: one run of the model with all its numbers, the text around them, and what the model said.

It is a record. What can be found out about it is a function beside it, in `analyses`; how it is shown, in `views`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

from dhyan.core.arguments import check_whole
from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.explain.address import Head, head_name
from dhyan.explain.beam_trace import BeamTrace, Guess, Step, top_k
from dhyan.explain.edits import Edit
from dhyan.explain.formulas import Array
from dhyan.explain.label_scores import answer_address, said_of
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.token_view import Token, Tokens, piece_of
from dhyan.explain.trace import Trace
from dhyan.model.architecture import Architecture
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer

TOP = 5  # candidates per step, unless asked otherwise

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked of the model, and how the model was changed: enough to ask it again."""

    text: str
    target: str | None = None  # explain this translation or continuation instead of the model's own
    beam: int = 1
    max_length: int | None = None
    heads_off: tuple[Head, ...] = ()
    force: tuple[tuple[int, int], ...] = ()  # (step, id), in order of steps
    hide: tuple[int, ...] = ()  # words of the text that nobody may look at, by number
    set: tuple[Edit, ...] = ()  # numbers by hand; of two for the same cell the later one counts

    @property
    def unchanged(self) -> Question:
        """The same text, asked of the model as it is."""
        return replace(self, heads_off=(), force=(), hide=(), set=())

    @property
    def changed(self) -> bool:
        """Whether heads are off, tokens forced, words hidden, numbers set: then there is a before and an after."""
        return self != self.unchanged


@dataclass(eq=False, repr=False)
class Explanation:
    """Every number of one run by address, and the text around it: `explanation["enc.0.self.h3.weights"]`."""

    question: Question
    pack: Pack
    model: NumpyTransformer  # changed as the question says
    trace: Trace
    source: Tokens  # of the given text
    target: Tokens  # what the decoder reads, start mark first
    predicted: Tokens  # what each row of the decoder predicts, row by row
    written: Tokens  # the part of `predicted` that the model wrote
    first_row: int  # the decoder's row that predicts the first written token
    search: BeamTrace | None = None  # None where the target was given, and for an encoder
    _found: dict[Callable[..., Any], Any] = field(default_factory=dict)

    # -- numbers by address ----------------------------------------------------------------------------------

    def __getitem__(self, address: str) -> Array:
        return self.trace[address]

    def __contains__(self, address: object) -> bool:
        return address in self.trace

    def __iter__(self) -> Iterator[str]:
        return iter(self.trace)

    def __len__(self) -> int:
        return len(self.trace)

    def array(self, name: str) -> Array:
        """The array with exactly this name, all heads of it."""
        return self.trace.array(name)

    def once(self, analysis: Callable[[Explanation], Found]) -> Found:
        """What an analysis finds, such as `explanation.once(occlude)`: computed when first asked for, then kept."""
        if analysis not in self._found:
            self._found[analysis] = analysis(self)
        return cast(Found, self._found[analysis])

    def keep(self, analysis: Callable[[Explanation], Found], found: Found) -> None:
        """What an analysis has found already: `once` gives it from now on."""
        self._found[analysis] = found

    # -- the model and its vocabularies ----------------------------------------------------------------------

    @property
    def architecture(self) -> Architecture:
        return self.pack.manifest.architecture

    @property
    def first_source_row(self) -> int:
        """Where the given text begins in the stack that reads it: behind a decoder's start token, if it reads one."""
        special = self.architecture.special
        return 0 if self.architecture.has_encoder else len(special.begins_text(self.source.ids)) - len(self.source)

    @property
    def heads_off(self) -> tuple[str, ...]:
        return tuple(map(head_name, self.question.heads_off))

    @property
    def hidden_words(self) -> tuple[str, ...]:
        words = [word.text for word in self.source.words if not word.special]
        return tuple(words[number] for number in self.question.hide)

    @property
    def source_tokenizer(self) -> Tokenizer:
        """Of the text that is given."""
        return self.pack.source_tokenizer or self.pack.tokenizer

    @property
    def target_tokenizer(self) -> Tokenizer:
        """Of the text that is written."""
        return self.pack.target_tokenizer or self.pack.tokenizer

    def source_piece(self, number: int) -> str:
        return piece_of(self.source_tokenizer, number)

    def piece(self, number: int) -> str:
        return piece_of(self.target_tokenizer, number)

    # -- what the model said ---------------------------------------------------------------------------------

    @cached_property
    def text(self) -> str:
        """The translation, the continuation, the label; empty for an embedder."""
        if self.architecture.has_decoder:
            said = self.target_tokenizer.decode(self.written.ids)
            return said.strip() if self.architecture.has_cross else self._continuation(said)
        return said_of(self.label_kind, self.labels) if self.architecture.labels else ""

    def _continuation(self, said: str) -> str:
        """What was written as it stands behind the prompt: a text that is decoded alone has no space in front."""
        given, ids = self.target_tokenizer.decode(self.source.ids), [*self.source.ids, *self.written.ids]
        whole = self.target_tokenizer.decode(ids)
        return whole[len(given) :] if whole.startswith(given) else said

    @property
    def labels(self) -> dict[str, float]:
        """A classifier's labels and their probabilities; or the number that it says, under its name."""
        names = self.pack.manifest.labels
        return dict(zip(names, map(float, self.array(answer_address(self.label_kind))), strict=True)) if names else {}

    @property
    def label_kind(self) -> LabelKind:
        return self.pack.manifest.label_kind

    @property
    def score(self) -> float:
        """The sum of the written tokens' log-probabilities."""
        return float(sum(step.log_probability for step in self.steps))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The decoder's steps, one per written token, with the top candidates of each."""
        return tuple(self.guessed(step) for step in range(len(self.written)))

    def guessed(self, step: int, top: int = TOP) -> Step:
        """One step with so many candidates."""
        if not 0 <= check_whole(step, "a step") < len(self.written):
            raise DhyanError(f"there is no step {step}: the steps are 0 to {len(self.written) - 1}.")
        row = self.first_row + step
        logprobs = self.array("dec.out.logprobs")[row]  # (vocabulary,)
        chosen = self.written[step].id
        forced = dict(self.question.force).get(step) == chosen
        guesses = tuple(self._guess(row, number) for number in top_k(logprobs, top))
        return Step(step, row, self._guess(row, chosen), float(logprobs[chosen]), forced, guesses)

    def _guess(self, row: int, number: int) -> Guess:
        probability = float(self.array("dec.out.probs")[row, number])
        return Guess(number, self.piece(number), probability, f"dec.out.probs[{row},{number}]")

    # -- showing itself --------------------------------------------------------------------------------------

    def as_dict(self, top: int = TOP) -> dict[str, Any]:
        """A summary that can be written as JSON: tokens, words, output, steps, and every address with its shape."""
        a = self.architecture
        found: dict[str, Any] = {
            "pack": self.pack.manifest.name,
            "shape": a.shape,
            "layers": {"encoder": a.encoder_layers * a.has_encoder, "decoder": a.decoder_layers * a.has_decoder},
            "heads": a.heads,
            "d_model": a.d_model,
            "asked": self.question.text,
            "text": self.text,
            "heads_off": list(self.heads_off),
            "hide": list(self.question.hide),
            "set": [edit.said for edit in self.question.set],
            "source": tokens_as_dict(self.source),
        }
        if a.has_decoder:
            found |= {
                "beam": self.question.beam,
                "score": self.score,
                "target": tokens_as_dict(self.target),
                "predicted": tokens_as_dict(self.predicted),
                "first_row": self.first_row,
                "steps": [asdict(self.guessed(step, top)) for step in range(len(self.written))],
            }
        if self.labels:
            found["labels"] = self.labels
        if self.model.words is not None:
            found["words_head"] = {"words": list(self.model.words.words), "rows": self.model.words.rows.tolist()}
        return found | {"addresses": {name: list(shape) for name, shape in self.trace.shapes().items()}}

    def __repr__(self) -> str:
        said = f" → {self.text!r}" if self.text else ""
        return f"<Explanation of {self.question.text!r}{said}: {len(self)} arrays; see .shapes()>"


def tokens_as_dict(tokens: Tokens) -> dict[str, Any]:
    def one(token: Token) -> dict[str, Any]:
        return {
            "id": token.id,
            "piece": token.piece,
            "text": token.text,
            "word": token.word,
            "special": token.special,
        }

    return {"tokens": list(map(one, tokens)), "words": [asdict(word) for word in tokens.words]}
