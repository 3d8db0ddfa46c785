"""A translator beside copying and a dictionary; one that was fine-tuned also beside itself before, on general text.

Learning one subject costs some of the others. Between the weights of before and of after lie packs that have learnt
most and forgotten little (Wortsman et al., 2022), so some of these are tried, too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dhyan.core.metrics import chrf_counts, chrf_of_counts, translation_scores
from dhyan.core.progress import Progress
from dhyan.model.generation.batched import translate_ids
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.pack.weights_file import Weights
from dhyan.training.assessment.assessment import Assessment
from dhyan.training.assessment.bootstrap import interval
from dhyan.training.assessment.dictionary import MOST_PAIRS, Dictionary
from dhyan.training.prepare import Prepared
from dhyan.training.replay import GeneralText, own_translations, to_judge, translations_with

JUDGED = 200  # rows that are translated for a score
BATCH_TOKENS = 2048
MAY_FORGET = 0.5  # chrF on general text
PARTS = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25)  # of the way from the old weights to the new ones
RESAMPLED = 200  # samples: as many as the intervals told so far were counted with


class TranslationAssessment:
    """Of one training. `start` is the pack that it started from, if it did."""

    def __init__(self, prepared: Prepared, start: Pack | None, model: Transformer, progress: Progress) -> None:
        """model: before the first step."""
        self.prepared, self.progress = prepared, progress
        self.source, self.target = prepared.tokenizers["source"], prepared.tokenizers["target"]
        self.ids = [prepared.valid.row("source", row).tolist() for row in range(min(JUDGED, len(prepared.valid)))]
        self.texts = self.source.decode_batch(self.ids)
        rows = range(len(self.ids))
        self.references = self.target.decode_batch([prepared.valid.row("target", row).tolist() for row in rows])
        self.start = start
        self.general: GeneralText | None = None
        self.before: Weights | None = None
        if start is not None and start.manifest.task == "translate":
            self.before = model.weights()
            self.general = to_judge(start)
            if self.general is not None:
                fits = [number for number, ids in enumerate(self.encoded(self.general.sources)) if self.fits(ids)]
                sources = [self.general.sources[number] for number in fits]
                known = self.general.references
                references = [known[n] for n in fits] if known is not None else own_translations(start, sources)
                self.general = GeneralText(sources, references) if fits else None
        self.scores: dict[str, dict[str, float]] = {}

    def score_baselines(self, model: Transformer) -> None:
        """Within seconds: what the training has to beat. model: before the first step."""
        store, rows = self.prepared.train, range(min(len(self.prepared.train), MOST_PAIRS))
        dictionary = Dictionary(
            self.source.decode_batch([store.row("source", row).tolist() for row in rows]),
            self.target.decode_batch([store.row("target", row).tolist() for row in rows]),
        )
        self.scores["copying"] = self.scored(self.texts)
        self.scores["a dictionary of the pairs, word by word"] = self.scored(
            [dictionary(text) for text in self.texts]
        )
        if self.before is not None:
            self.scores["the pack before"] = self.on_both(model)
        self.show(f"What simple methods reach ({self.rows_named})")

    def finish(self, model: Transformer) -> Assessment:
        """model: as trained; its weights are those of the pack afterwards."""
        after = model.weights()
        if self.before is None:
            outputs = self.translated(model, self.ids)
            self.scores["this pack"] = self.scored(outputs)
            part = 1.0
        else:
            part, outputs = self.least_forgetful(model, after)
        self.show(f"How good the pack is ({self.rows_named})")
        counts = chrf_counts(outputs, self.references)  # once: every sample is a sum of them
        sure = interval(lambda some: chrf_of_counts(counts[some].sum(axis=0)), len(outputs), RESAMPLED)
        self.progress.say(f"95 % interval of its chrF: {sure.low:.1f} to {sure.high:.1f}.")
        metrics: dict[str, Any] = {"rows": len(self.ids), "search": "greedy", **self.scores}
        metrics["chrf, 95 %"] = [round(sure.low, 2), round(sure.high, 2)]
        made = {} if self.before is None else {"part of the way from the pack before": part}
        return Assessment(model.weights(), metrics, training=made)

    def least_forgetful(self, model: Transformer, after: Weights) -> tuple[float, list[str]]:
        """The part of the way that is best on the rows among those that forget little; all of it, where it may be."""
        assert self.before is not None
        tried: dict[float, tuple[dict[str, float], list[str]]] = {}
        had = self.scores["the pack before"]
        for part in PARTS:
            model.load_weights(between(self.before, after, part))
            outputs = self.translated(model, self.ids)
            tried[part] = self.on_both(model, outputs), outputs
            if self.forgets_little(tried[part][0], had):
                break
        fine = [part for part, (scores, _) in tried.items() if self.forgets_little(scores, had)]
        better = [part for part in fine if tried[part][0]["chrf"] >= had["chrf"]]
        if not better:
            self.progress.say("What it learnt of these rows cost more than it gave: the pack stays as it was.")
            model.load_weights(self.before)
            self.scores["this pack"] = had
            return 0.0, self.translated(model, self.ids)
        part = max(better, key=lambda one: tried[one][0]["chrf"])
        model.load_weights(between(self.before, after, part))
        if part < 1:
            lost = had["general chrf"] - tried[1.0][0]["general chrf"]
            self.progress.say(
                f"All that it learnt would cost {lost:.1f} chrF on general text: the pack goes {part:.0%} of the way."
            )
        self.scores["this pack"] = tried[part][0]
        return part, tried[part][1]

    def forgets_little(self, scores: dict[str, float], had: dict[str, float]) -> bool:
        return "general chrf" not in had or scores["general chrf"] >= had["general chrf"] - MAY_FORGET

    # -- scores ----------------------------------------------------------------------------------------------

    def translated(self, model: Transformer, ids: Sequence[Sequence[int]]) -> list[str]:
        model.eval()
        found = translate_ids(model, ids, GenerationSettings(beam=1), BATCH_TOKENS)
        return [text.strip() for text in self.target.decode_batch(found)]

    def scored(self, outputs: Sequence[str]) -> dict[str, float]:
        counted = translation_scores([text.strip() for text in outputs], [text.strip() for text in self.references])
        return {name: counted[name] for name in ("bleu", "chrf")}

    def on_both(self, model: Transformer, outputs: Sequence[str] | None = None) -> dict[str, float]:
        """On the rows, and on general text where there is some: as users will have it translated."""
        scores = self.scored(self.translated(model, self.ids) if outputs is None else outputs)
        if self.general is not None and self.general.references is not None:
            found = self.translated_for_users(model, self.general.sources)
            counted = translation_scores(found, self.general.references)
            scores |= {"general bleu": counted["bleu"], "general chrf": counted["chrf"]}
        return scores

    def translated_for_users(self, model: Transformer, texts: list[str]) -> list[str]:
        """By the engine and the search that the pack will be used with; greedy search may differ by half a chrF."""
        start = self.start
        if start is None or start.manifest.architecture != self.prepared.architecture:
            return self.translated(model, self.encoded(texts))
        return translations_with(model.weights(), start, texts)

    def encoded(self, texts: Sequence[str]) -> list[list[int]]:
        return [list(self.prepared.architecture.special.around(ids)) for ids in self.source.encode_batch(list(texts))]

    def fits(self, ids: Sequence[int]) -> bool:
        return len(ids) <= self.prepared.architecture.max_positions

    @property
    def rows_named(self) -> str:
        which = "training" if self.prepared.validates_on_train else "held-out"
        return f"{len(self.ids):,} {which} rows, greedy"

    def show(self, title: str) -> None:
        names = dict.fromkeys(name for scores in self.scores.values() for name in scores)
        table = [
            (who, *(f"{scores[name]:.1f}" if name in scores else "" for name in names))
            for who, scores in self.scores.items()
        ]
        self.progress.table(title, ["", *names], table)


def between(before: Weights, after: Weights, part: float) -> Weights:
    """`part` of the way from the first to the second."""
    return {name: np.asarray(before[name] + part * (after[name] - before[name]), np.float32) for name in after}
