"""Which of two validations is the better one."""

HIGHER_IS_BETTER = frozenset(
    ["bleu", "chrf", "accuracy", "f1", "micro_f1", "exact_match", "pearson", "spearman", "r2"]
)


def is_better(metrics: dict[str, float], best: dict[str, float], metric: str) -> bool:
    """By the metric that decides; where it is equal, by the loss. best: nothing, where there is none yet."""

    def rank(scores: dict[str, float]) -> tuple[float, float]:
        sign = 1 if metric in HIGHER_IS_BETTER else -1
        return sign * scores[metric], -scores["loss"]

    return not best or rank(metrics) > rank(best)
