"""How arrays lie: which axes an array has, by its name alone."""

from dhyan.explain.trace import PER_HEAD, PER_HEAD_WEIGHTS

LOOKING = frozenset(["scores", "scaled", "masked", "weights"])  # (head, queries, keys)
KEYS = frozenset(["key", "value", "turned_key"])  # their rows are what is looked at

# The last axis of arrays that have one row per token and no heads.
FEATURES = {"widened": "d_ff", "hidden": "d_ff", "gate": "d_ff", "logits": "vocabulary", "probs": "vocabulary"}
FEATURES |= {"logprobs": "vocabulary"}
OF_WEIGHTS = {
    "E": ("vocabulary", "d_model"),
    "P": ("position", "d_model"),
    "W_O": ("d_model", "head", "d_head"),
    "W_1": ("d_ff", "d_model"),
    "W_G": ("d_ff", "d_model"),
    "W_2": ("d_model", "d_ff"),
    "b_1": ("d_ff",),
    "b_G": ("d_ff",),
    "W_F": ("d_model", "d_model"),
    "ssru.W": ("d_model", "d_model"),
    "hidden.W": ("d_model", "d_model"),
    "words.W": ("known_word", "label"),
    "words.idf": ("known_word",),
    "words.b": ("label",),
}


def axis_names(name: str) -> tuple[str, ...]:
    """Of an array that a run computes: source, target, predicting, head, layer, d_model, d_head, d_ff, …"""
    stack, last = name.split(".")[0], name.rpartition(".")[2]
    rows = "source" if stack == "enc" else "predicting"
    keys = "source" if stack == "enc" or ".cross." in name else "target"
    if name in ("occlusion", "alignment"):
        return "target", "source"
    if name.endswith("lens.probs"):
        return ("layer", "label") if stack == "enc" else ("layer", "predicting", "vocabulary")
    if name.startswith("cls.words."):
        return ("word", "label") if last == "parts" else ("word",)
    if stack == "cls":
        return ("d_model",) if last == "hidden" else ("label",)
    if stack == "mlm":
        return "source", "d_model" if last in ("hidden", "normed") else "vocabulary"
    if name == "pool":
        return ("d_model",)
    if last in LOOKING:
        return "head", rows, keys
    if last in PER_HEAD:
        return "head", keys if last in KEYS else rows, "d_model" if last == "share" else "d_head"
    return rows, FEATURES.get(last, "d_model")


def axis_names_of_weights(name: str, dimensions: int) -> tuple[str, ...]:
    """Of an array that was learnt."""
    last = name.rpartition(".")[2]
    if last in PER_HEAD_WEIGHTS:
        return ("head", "d_head", "d_model")[:dimensions]
    known = OF_WEIGHTS.get(last) or OF_WEIGHTS.get(".".join(name.split(".")[-2:]))
    return known or (("d_model",) if dimensions == 1 else ("size",) * dimensions)
