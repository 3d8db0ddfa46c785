"""What the pack is made of: the Transformer or the probe, alone or with word counts, whichever mixture is best."""

from dataclasses import dataclass

import numpy as np

from dhyan.training.assessment.calibration import Logits
from dhyan.training.assessment.experts import PROBE, TRANSFORMER
from dhyan.training.assessment.judges import Judge
from dhyan.vectors.linear_fit import Targets

HARDLY_BETTER = 0.003  # of the loss: not worth another part of the pack


@dataclass(frozen=True)
class Choice:
    """Which logits the pack is made of, and how much each of them counts."""

    neural: str  # TRANSFORMER or PROBE
    neural_scale: float
    words: str | None
    words_scale: float
    logits: Logits  # of the judged rows

    @property
    def said(self) -> str:
        neural = "a frozen encoder with a linear probe" if self.neural == PROBE else "the transformer"
        if not self.words:
            return neural
        words = f"a words head ({self.words})"
        return f"{neural} and {words}" if self.neural_scale else words


@dataclass(frozen=True)
class Chooser:
    """logits: of the judged rows, by the name of who says them. targets: what is right for them."""

    logits: dict[str, Logits]
    targets: Targets
    judge: Judge

    def best(self) -> Choice:
        """The mixture with the lowest loss, of those that score as high as the best alone, but for chance."""
        judge, targets = self.judge, self.targets
        single = [name for name in self.logits if name not in (PROBE, TRANSFORMER)]
        candidates = [
            self.fitted(neural, words)
            for neural in (TRANSFORMER, PROBE)
            if neural in self.logits
            for words in (None, *single)
        ]
        alone = max(self.logits.values(), key=lambda logits: judge.score(logits, targets))
        least_score = judge.score(alone, targets) - judge.chance(alone, targets)
        enough = [one for one in candidates if judge.score(one.logits, targets) >= least_score]
        # A word count alone is a mixture without the other part.
        enough = enough or [self.fitted(None, max(single, key=lambda name: judge.score(self.logits[name], targets)))]
        loss = {id(one): judge.loss(one.logits, targets)[0] for one in enough}
        least = min(loss.values())
        return next(one for one in enough if loss[id(one)] <= least + HARDLY_BETTER * (one.words is None))

    def fitted(self, neural: str | None, words: str | None) -> Choice:
        names = [name for name in (neural, words) if name]
        found = self.judge.fit_scales([self.logits[name] for name in names], self.targets)
        scales = dict(zip(names, found, strict=True))
        total = sum((scale * self.logits[name] for name, scale in scales.items()), np.zeros(1))
        of_words = float(scales.get(words, 0.0)) if words else 0.0
        kept = words if of_words > 0 else None
        return Choice(neural or TRANSFORMER, float(scales.get(neural or "", 0.0)), kept, of_words, np.asarray(total))
