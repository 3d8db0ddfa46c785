"""Before and after: what heads off, forced tokens, hidden words and numbers set by hand have changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

import numpy as np

from dhyan.explain.analyses.occlusion import written_log_probabilities
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array, cosine
from dhyan.explain.known_words import label_logits
from dhyan.explain.label_scores import label_scores, measure_of

Kind = Literal["same", "gone", "new"]


@dataclass(frozen=True)
class Change:
    """words: the two texts as one, word by word: same, gone (only before) or new (only after).

    log_probability: how much likelier, token by token, the changed model finds what was written before (an encoder:
    its labels; an embedder: none); `total` is their sum.
    """

    before: str
    after: str
    words: tuple[tuple[Kind, str], ...]
    labels: tuple[str, ...]  # of the entries of log_probability: pieces written before, or a classifier's labels
    log_probability: Array
    score: float = 0.0  # log-probability of what is written now, less that of what was written before
    cosine: float | None = None  # an encoder's: of the sentence's vectors before and after
    measure: str = "log-probability"  # or number, of a classifier that says one: then `log_probability` is its change

    @property
    def total(self) -> float:
        return float(self.log_probability.sum())


def compare(before: Explanation, after: Explanation) -> Change:
    words = tuple(differing(before.text.split(), after.text.split()))
    if before.architecture.has_decoder:
        rows = before.first_row + np.arange(len(before.written))
        unchanged = before.array("dec.out.logprobs")[rows, before.written.ids]
        changed = written_log_probabilities(before, after.model)  # the changed model, made to write the same
        change, score = np.asarray(changed - unchanged), after.score - before.score
        return Change(before.text, after.text, words, tuple(before.written.texts), change, score)
    first, second = before.array("pool"), after.array("pool")
    change = np.zeros(0, dtype=np.float32)
    if before.architecture.labels:
        scores = [label_scores(before.label_kind, label_logits(one.trace)) for one in (after, before)]
        change = np.asarray(scores[0] - scores[1])
    measure = measure_of(before.label_kind)
    return Change(before.text, after.text, words, tuple(before.labels), change, 0.0, cosine(first, second), measure)


def differing(before: Sequence[str], after: Sequence[str]) -> list[tuple[Kind, str]]:
    found: list[tuple[Kind, str]] = []
    for what, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            found += [("same", word) for word in before[a:b]]
        else:
            found += [("gone", word) for word in before[a:b]] + [("new", word) for word in after[c:d]]
    return found
