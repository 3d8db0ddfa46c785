"""The model card: `README.md` of a pack, written from what the pack knows of itself and what its maker has to say.

The maker's part is `card.md` in the pack's folder: where the data comes from, on what terms, what it is bad at.
"""

from collections.abc import Sequence
from typing import Any

from dhyan.pack.manifest import Manifest
from dhyan.pack.parameter_shapes import parameter_count

NOTES = "card.md"  # the maker's part, kept in the pack so that the card can be written anew
ASSESSED = "assessed"  # in the metrics of a pack: how good it is, by rows that it has not learnt from
SIGNATURES = "signatures"  # of the metrics: the same for every test set, so said once, below

IMPORTED = "imported from"  # of `training`: the model that another program trained
_MADE_FROM = {
    IMPORTED: "model",
    "data": "data",
    "started from": "weights",
    "teacher": "teacher",
    "interpolated": "interpolated",
}

PICTURES = {"curve.svg": "training curve", "confusion.svg": "confusion matrix"}
USES = {
    "translate": "translates",
    "classify": "puts a label on a sentence",
    "embed": "turns a sentence into a vector",
    "write": "continues a text",
}


def card(manifest: Manifest, size: int, pictures: Sequence[str] = (), notes: str = "") -> str:
    a = manifest.architecture
    layers = {
        "encoder-decoder": f"{a.encoder_layers} + {a.decoder_layers} layers",
        "encoder": f"{a.encoder_layers} layers",
        "decoder": f"{a.decoder_layers} layers",
    }[a.shape]
    vocabulary = " / ".join(f"{entries:,}" for entries in (a.source_vocabulary, a.target_vocabulary) if entries)
    made = "imported" if IMPORTED in manifest.training else "trained"
    lines = [
        f"# {manifest.name}",
        "",
        f"A Transformer ({a.shape}) that {_use(manifest)}, {made} with Dhyan {manifest.dhyan}.",
        "",
        "| | |",
        "|---|---|",
        f"| parameters | {parameter_count(a):,} ({size / 1e6:.1f} MB as {manifest.storage}) |",
        f"| architecture | {layers}, d_model {a.d_model}, {a.heads} heads, d_ff {a.d_ff}, {a.positions} positions,"
        f" {a.norm}-norm, {a.activation} |",
        f"| vocabulary | {vocabulary} {manifest.text.pieces} entries |",
        f"| licence | {manifest.licence or _unstated(manifest.training)} |",
    ]
    lines += _answer(manifest)
    if manifest.words_head:
        lines.append(f"| words head | {manifest.words_head:,} words, by TF-IDF, beside the Transformer |")
    lines += _metrics(manifest.metrics)
    if notes.strip():
        lines += ["", notes.strip()]
    lines += _section("Training", manifest.training)
    for file in pictures:
        lines += ["", f"![{PICTURES.get(file, file)}]({file})"]
    return "\n".join(lines) + "\n"


def _use(manifest: Manifest) -> str:
    if manifest.task != "classify" or (manifest.label_kind == "one" and not manifest.reads_pairs):
        return USES[manifest.task]
    what = {"one": "a label", "several": "any number of labels", "number": "a number"}[manifest.label_kind]
    return f"puts {what} on {'a pair of texts' if manifest.reads_pairs else 'a text'}"


def _answer(manifest: Manifest) -> list[str]:
    """The labels, or the number."""
    if manifest.label_kind == "number":
        scale = manifest.number
        known = f" (in training {scale.mean:.6g} on average, standard deviation {scale.spread:.4g})" if scale else ""
        return [f"| number | {', '.join(manifest.labels)}{known} |"]
    several = " (each by itself, said from a probability of 0.5 on)" if manifest.label_kind == "several" else ""
    return [f"| labels | {', '.join(manifest.labels)}{several} |"] if manifest.labels else []


def _unstated(training: dict[str, Any]) -> str:
    """Without a licence: what it was made from, whose terms a user has to ask about."""
    made_from = [f"{name}: {_shown(training[key])}" for key, name in _MADE_FROM.items() if training.get(key)]
    return "not stated" + (f"; made from {'; '.join(made_from)}" if made_from else "")


def _metrics(metrics: dict[str, Any]) -> list[str]:
    signatures: dict[str, str] = {}
    rows: dict[str, Any] = {}
    for name, scores in metrics.items():
        rows[name] = scores
        if isinstance(scores, dict):
            signatures |= scores.get(SIGNATURES, {})
            rows[name] = {key: value for key, value in scores.items() if key != SIGNATURES}
    assessed = rows.pop(ASSESSED, {})
    lines = _section("Metrics", rows)
    if isinstance(assessed, dict):
        lines += _section("How good it is", _one_by_one(assessed))
    if signatures:
        lines += ["", "How they were counted (sacreBLEU's signatures):", ""]
        lines += [f"- {name}: `{signature}`" for name, signature in signatures.items()]
    return lines


def _one_by_one(assessed: dict[str, Any]) -> dict[str, Any]:
    """A row for each score, and for each label or size: all in one row could not be read."""
    rows: dict[str, Any] = {}
    for name, value in assessed.items():
        match value:
            case dict():
                rows |= {f"{name}: {key}": item for key, item in value.items()}
            case [float() | int() as low, float() | int() as high]:
                rows[name] = f"{low:.4g} to {high:.4g}"
            case _:
                rows[name] = value
    return rows


def _section(title: str, values: dict[str, Any]) -> list[str]:
    if not values:
        return []
    return [
        "",
        f"## {title}",
        "",
        "| | |",
        "|---|---|",
        *(f"| {key} | {_shown(value)} |" for key, value in values.items()),
    ]


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    return str(value).replace("|", "\\|").replace("\n", " ")
