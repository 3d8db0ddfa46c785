"""What `dhyan.load(…).explain(…)` gives: an explanation with the analyses as methods, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dhyan.core.arguments import check_whole
from dhyan.core.shown import Html, Svg
from dhyan.core.svg import Theme
from dhyan.explain.address import read_heads
from dhyan.explain.analyses.ablation_diff import Change, compare
from dhyan.explain.analyses.head_alignment import Alignment, alignment
from dhyan.explain.analyses.head_stats import HeadStats, head_stats
from dhyan.explain.analyses.logit_lens import LayerGuess, lens_by_step
from dhyan.explain.analyses.occlusion import Occlusion, occlude
from dhyan.explain.axes import Axis, axes_of, by_words
from dhyan.explain.explanation import TOP, Explanation, Question
from dhyan.explain.formulas import Array
from dhyan.explain.read_edits import Value, read_edits
from dhyan.explain.token_view import piece_id, read_words
from dhyan.explain.views.figures import figure
from dhyan.explain.views.head_atlas import head_atlas
from dhyan.explain.views.html_report import fragment


@dataclass(eq=False, repr=False, kw_only=True)
class InteractiveExplanation(Explanation, Mapping[str, Array]):
    """Nothing is computed here: each method hands the record to the function that does."""

    ask: Callable[[Question], InteractiveExplanation]

    def get(self, address: object, default: Any = None) -> Any:
        """The numbers at an address; the default where there is no such address."""
        return self[address] if isinstance(address, str) and address in self else default

    def axes(self, address: str) -> tuple[Axis, ...]:
        """What each axis of `trace[address]` stands for, with a label for each index where there is one."""
        return axes_of(self, address)

    def by_words(self, address: str) -> Array:
        """Word mode: the pieces of each word merged; see `dhyan.explain.axes.by_words`."""
        return by_words(self, address)

    def shapes(self, under: str = "", weights: bool = False) -> dict[str, tuple[int, ...]]:
        """Every address below `under` (all of them if empty) with its shape; with `weights`, the model's own too."""
        return self.trace.shapes(under, weights)

    def addresses(self, weights: bool = False) -> dict[str, tuple[int, ...]]:
        """Every address with its shape, each head on its own too."""
        return self.trace.addresses(weights)

    def heads(self, kind: str = "") -> list[str]:
        """Addresses of all attention weights, head by head; kind: "enc", "dec", "cross", "dec.1.self", …"""
        return self.trace.heads(kind)

    def figure(self, address: str = "alignment", words: bool = False, theme: Theme = "auto") -> Svg:
        """The picture of an address, a part (`enc`, `dec.1.cross`), `alignment` or `beam`; words: pieces merged."""
        return figure(self, address, words, theme)

    def atlas(self, under: str = "", words: bool = False) -> Html:
        """All heads (or those below a part) as small heat maps, to point at and enlarge; words: pieces merged."""
        return head_atlas(self, under, words)

    @property
    def occlusion(self) -> Occlusion:
        """What each written word loses when a given word is hidden."""
        return self.once(occlude)

    def hide_words(self, progress: Callable[[int], object]) -> None:
        """Compute the occlusion now, and report how many words are done: with many words it takes a while."""
        self.keep(occlude, occlude(self, progress))

    @property
    def alignment(self) -> Alignment:
        """The cross-attention head that agrees best with occlusion, and the links that it draws."""
        return self.once(alignment)

    def lens(self, top: int = TOP) -> tuple[tuple[LayerGuess, ...], ...]:
        """The logit lens: for each written token, what each layer would have said, the first layer first."""
        return lens_by_step(self, top)

    def head_stats(self) -> dict[str, HeadStats]:
        """What each head does: where it looks, how it agrees with occlusion, what switching it off costs."""
        return head_stats(self)

    head_traits = head_stats  # its name in the first release

    def without(self, *heads: str) -> InteractiveExplanation:
        """The same question with more heads switched off."""
        off = read_heads(self.architecture, [*self.heads_off, *heads])
        return self.ask(replace(self.question, heads_off=off))

    def forcing(self, step: int, piece: int | str) -> InteractiveExplanation:
        """The same question with a piece forced at a step: later forced ones are dropped, for they may not fit."""
        step = check_whole(step, "a step")
        earlier = tuple((at, one) for at, one in self.question.force if at < step)
        force = (*earlier, (step, piece_id(self.target_tokenizer, piece, self.architecture.special)))
        return self.ask(replace(self.question, force=force))

    def hiding(self, *words: int | str) -> InteractiveExplanation:
        """The same question with more words of the text hidden, by number or as they are written."""
        hide = read_words(self.source, [*self.question.hide, *words])
        return self.ask(replace(self.question, hide=hide))

    def setting(self, numbers: Mapping[str, Value]) -> InteractiveExplanation:
        """The same question with more numbers set by hand, by address."""
        known = self.model.words
        edits = read_edits(numbers, self.before.trace, len(self.source), len(known.words) if known else 0)
        return self.ask(replace(self.question, set=(*self.question.set, *edits)))

    @cached_property
    def before(self) -> InteractiveExplanation:
        """The same text with all heads on, nothing forced, hidden or set."""
        return self.ask(self.question.unchanged) if self.question.changed else self

    @property
    def change(self) -> Change:
        """What switching heads off, forcing, hiding or setting has changed."""
        return compare(self.before, self)

    def held(self) -> list[InteractiveExplanation]:
        """What is in memory with it: itself and, once it was compared, what it was compared with."""
        before: InteractiveExplanation = self.__dict__.get("before", self)
        return [self] if before is self else [self, before]

    def let_go(self) -> None:
        """To be called when nobody will ask any more, by whoever keeps many: the memory is free at once.

        A trace knows its explanation, for what is computed later; so each would keep the other until Python next
        looks for such circles, which it seldom does where few objects hold many numbers.
        """
        for one in self.held():
            one.trace.compute_no_more()
        self.__dict__.pop("before", None)

    def _repr_html_(self) -> str:
        return fragment(self, self.change if self.question.changed else None)
