"""An explanation: a trace together with its text, what the model said, and what can be asked about it further."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dhyan.core.errors import DhyanError
from dhyan.explain.address import Address
from dhyan.explain.analyses.ablation_diff import Change, compare
from dhyan.explain.analyses.beam_trace import BeamTrace, log_probabilities
from dhyan.explain.analyses.guesses import Guess, Step, likeliest
from dhyan.explain.analyses.head_alignment import HeadAlignment, choose_head
from dhyan.explain.analyses.head_stats import HeadStats, head_traits
from dhyan.explain.analyses.logit_lens import Glimpse, glimpses, lens
from dhyan.explain.analyses.occlusion import Occlusion, occlude
from dhyan.explain.axes import Axis, axes_of
from dhyan.explain.formulas import Array
from dhyan.explain.head_names import head_name, read_heads
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.token_view import Token, Tokens, merge_columns, merge_rows, piece_of
from dhyan.explain.trace import PER_HEAD, Trace

if TYPE_CHECKING:
    from dhyan.explain.explainer import Explainer, Question

TOP = 5  # candidates that are shown a step unless told otherwise


class Explanation(Trace):
    """Every number of one run by address, and the text around it.

    question: what was asked. source: tokens of the given text. target: what the decoder reads, start mark first.
    predicted: what each row of the decoder predicts, row by row. written: the part of it that the model wrote.
    search: the beam's record, None where the target was given.
    """

    def __init__(
        self,
        explainer: Explainer,
        question: Question,
        model: NumpyTransformer,
        trace: Trace,
        source: Tokens,
        prompt: Sequence[int] = (),
        written: Sequence[int] = (),
        search: BeamTrace | None = None,
    ) -> None:
        super().__init__(explainer.pack.weights)
        self._arrays = {name: trace.whole(name) for name in trace}
        self.explainer, self.question, self.model = explainer, question, model
        self.architecture = explainer.architecture
        self.source, self.search = source, search
        self.first_row = max(0, len(prompt) - 1)  # the decoder's row that predicts the first written token
        writer = explainer.writer
        self.target = Tokens.of(writer, [*prompt, *written[:-1]])
        self.predicted = Tokens.of(writer, [*prompt[1:], *written])
        self.written = Tokens.of(writer, list(written))
        self._promise()

    def _promise(self) -> None:
        """The addresses whose numbers are computed when somebody asks for them."""
        a, given = self.architecture, sum(not word.special for word in self.source.words)
        if a.has_decoder:
            logits = self.whole("dec.out.logits")
            self.record_when_asked("dec.out.logprobs", logits.shape, lambda: log_probabilities(logits))
            self.record_when_asked("dec.lens.probs", (a.decoder_layers + 1, *logits.shape), lambda: lens(self))
            self.record_when_asked("occlusion", (len(self.written.words), given), lambda: self.occlusion.change)
        else:
            if a.labels:
                self.record_when_asked("enc.lens.probs", (a.encoder_layers + 1, a.labels), lambda: lens(self))
            self.record_when_asked("occlusion", (a.labels or 1, given), lambda: self.occlusion.change)
        if a.has_cross:
            said = sum(not word.special for word in self.written.words)
            self.record_when_asked("alignment", (said, given), lambda: self.alignment.weights)

    # -- what was said ---------------------------------------------------------------------------------------

    @cached_property
    def text(self) -> str:
        """What the model said: the translation, the continuation, the label; empty for an embedder."""
        if self.architecture.has_decoder:
            said = self.explainer.writer.decode(self.written.ids)
            return said.strip() if self.architecture.has_cross else said
        return max(self.labels, key=lambda label: self.labels[label]) if self.architecture.labels else ""

    @property
    def labels(self) -> dict[str, float]:
        """A classifier's labels and their probabilities."""
        names = self.explainer.pack.manifest.labels
        return dict(zip(names, map(float, self.whole("cls.probs")), strict=True)) if names else {}

    @property
    def score(self) -> float:
        """The sum of the written tokens' log-probabilities."""
        return float(sum(step.log_probability for step in self.steps))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The decoder's rounds, one a written token, with the likeliest candidates of each."""
        return tuple(self.guessed(step) for step in range(len(self.written)))

    def guessed(self, step: int, top: int = TOP) -> Step:
        """One round with so many candidates."""
        row = self.first_row + step
        logprobs = self.whole("dec.out.logprobs")[row]  # (vocabulary,)
        best = likeliest(logprobs, top)
        chosen = self.written[step].id
        forced = dict(self.question.force).get(step) == chosen
        return Step(
            step,
            row,
            self.guess(row, chosen),
            float(logprobs[chosen]),
            forced,
            tuple(self.guess(row, i) for i in best),
        )

    def guess(self, row: int, number: int) -> Guess:
        probability = float(self.whole("dec.out.probs")[row, number])
        return Guess(int(number), self.piece(int(number)), probability, f"dec.out.probs[{row},{number}]")

    def piece(self, number: int) -> str:
        return piece_of(self.explainer.writer, number)

    def source_piece(self, number: int) -> str:
        return piece_of(self.explainer.tokenizer, number)

    # -- numbers with their axes -----------------------------------------------------------------------------

    def axes(self, address: str) -> tuple[Axis, ...]:
        """What each axis of `trace[address]` stands for, with a label for each place where there is one."""
        return axes_of(self, Address.parse(address))

    def by_words(self, address: str) -> Array:
        """Word mode: the pieces of each word merged. What goes *to* pieces adds up, what comes *from* them is
        averaged, so rows of attention still sum to 1. Row and column names are the words of `axes(address)`."""
        array, axes = self[address], self.axes(address)
        if len(axes) < 1 or axes[-1].words is None:
            raise DhyanError(f"'{address}' has no tokens side by side to merge into words; try one of its weights.")
        array = merge_columns(array, axes[-1].words)
        if len(axes) > 1 and axes[-2].words is not None:
            array = merge_rows(array, axes[-2].words)
        return array

    def heads(self, kind: str = "") -> list[str]:
        """Addresses of all attention weights, head by head; kind: "enc", "dec", "cross", "dec.1.self", …"""
        return [
            f"{name.removesuffix('.weights')}.h{head}.weights"
            for name, array in self._arrays.items()
            if name.endswith(".weights") and (name.startswith(kind) or f".{kind}." in name)
            for head in range(array.shape[0])
        ]

    def addresses(self, weights: bool = False) -> dict[str, tuple[int, ...]]:
        """Every address with its shape, each head on its own too."""
        found: dict[str, tuple[int, ...]] = {}
        for name, shape in self.shapes(weights=weights).items():
            found[name] = shape
            part, _, last = name.rpartition(".")
            if last in PER_HEAD:
                found |= {f"{part}.h{head}.{last}": shape[1:] for head in range(shape[0])}
        return found

    # -- what can be asked further ---------------------------------------------------------------------------

    @cached_property
    def occlusion(self) -> Occlusion:
        """What each written word loses when a given word is hidden."""
        return occlude(self)

    def hide_words(self, progress: Callable[[int], object]) -> None:
        """Compute the occlusion now, and tell how many words are done: with many words it takes a while."""
        self.__dict__["occlusion"] = occlude(self, progress)  # where cached_property would put it

    @cached_property
    def alignment(self) -> HeadAlignment:
        """The cross-attention head that agrees best with occlusion, and the links that it draws."""
        if not self.architecture.has_cross:
            raise DhyanError(
                f"an alignment links two texts, and {self.explainer.pack.folder.name} is"
                f" {'a decoder' if self.architecture.has_decoder else 'an encoder'} alone; look at occlusion instead."
            )
        return choose_head(self)

    def lens(self, top: int = TOP) -> tuple[tuple[Glimpse, ...], ...]:
        """The logit lens: for each written token, what each layer would have said, the first layer first."""
        return glimpses(self, top)

    def head_traits(self) -> dict[str, HeadStats]:
        """What each head does: where it looks, how it agrees with occlusion, what switching it off costs."""
        return head_traits(self)

    @property
    def heads_off(self) -> tuple[str, ...]:
        return tuple(map(head_name, self.question.heads_off))

    def without(self, *heads: str) -> Explanation:
        """The same question with more heads switched off."""
        off = read_heads(self.architecture, [*self.heads_off, *heads])
        return self.explainer.answer(replace(self.question, heads_off=off))

    def forcing(self, step: int, piece: int | str) -> Explanation:
        """The same question with a piece forced at a step: later forced ones are dropped, for they may not fit."""
        earlier = tuple((at, one) for at, one in self.question.force if at < step)
        force = (*earlier, (step, self.explainer.piece_id(piece)))
        return self.explainer.answer(replace(self.question, force=force))

    @cached_property
    def before(self) -> Explanation:
        """The same text with all heads on and nothing forced."""
        if not self.question.heads_off and not self.question.force:
            return self
        return self.explainer.answer(replace(self.question, heads_off=(), force=()))

    @property
    def change(self) -> Change:
        """What switching heads off, or forcing, has changed."""
        return compare(self.before, self)

    # -- showing itself --------------------------------------------------------------------------------------

    def as_dict(self, top: int = TOP) -> dict[str, Any]:
        """A summary that can be written as JSON: tokens, words, output, steps, and every address with its shape."""
        a, manifest = self.architecture, self.explainer.pack.manifest
        found: dict[str, Any] = {
            "pack": manifest.name,
            "shape": a.shape,
            "layers": {"encoder": a.encoder_layers * a.has_encoder, "decoder": a.decoder_layers * a.has_decoder},
            "heads": a.heads,
            "d_model": a.d_model,
            "asked": self.question.text,
            "text": self.text,
            "heads_off": list(self.heads_off),
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
        return found | {"addresses": {name: list(shape) for name, shape in self.shapes().items()}}

    def __repr__(self) -> str:
        said = f" → {self.text!r}" if self.text else ""
        return f"<Explanation of {self.question.text!r}{said}: {len(self)} arrays; see .shapes()>"

    def _repr_html_(self) -> str:
        from dhyan.explain.views.html_report import fragment

        return fragment(self)


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
