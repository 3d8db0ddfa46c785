"""`dhyan.load(…).explain(…)`: what every loaded pack can do."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from dhyan.explain.explainer import Explainer
from dhyan.explain.explanation import Explanation
from dhyan.pack.pack import Pack, open_pack


class Explainable:
    """Whatever has a pack can be opened up."""

    pack: Pack

    @cached_property
    def explainer(self) -> Explainer:
        # Weights of its own, read when first asked for: converting an engine to int8 rounds those it was given.
        return Explainer(open_pack(self.pack.folder))

    def explain(
        self,
        text: str,
        *,
        target: str | None = None,
        beam: int | None = None,
        max_length: int | None = None,
        heads_off: Sequence[str] = (),
        force: Mapping[int, int | str] | None = None,
    ) -> Explanation:
        """Every number of the model at work on one sentence, by address; see docs/explain.md.

        target: explain this translation or continuation instead of the model's own. beam, max_length: of the search.
        heads_off: heads to switch off, such as "enc.2.h5". force: step → the piece or id to write there.
        """
        return self.explainer.explain(
            text, target=target, beam=beam, max_length=max_length, heads_off=heads_off, force=force
        )
