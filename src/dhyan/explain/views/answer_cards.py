"""The last cards of an encoder's walk: the text's vector, and the label or number that a classifier makes of it."""

from collections.abc import Iterator

import numpy as np

from dhyan.core.svg import number
from dhyan.explain.axes import axes_of
from dhyan.explain.explanation import Explanation
from dhyan.explain.label_scores import answer_address
from dhyan.explain.views.card import Card, first_numbers

MOST_WORDS = 12  # of a words head


def answer_cards(explanation: Explanation) -> Iterator[Card]:
    pool, a = explanation["pool"], explanation.architecture
    yield Card(
        "The sentence's vector",
        "the mean over its tokens" if a.pooling == "mean" else f"the first token's, '{explanation.source[0].text}'",
        (f"[{first_numbers(pool)}]", f"length {np.linalg.norm(pool):.4f}"),
        ("pool",),
    )
    if a.labels and a.classifier_hidden != "none":
        yield Card(
            "The classifier's hidden layer",
            f"{a.classifier_hidden}(W · vector + b)",
            (f"[{first_numbers(explanation['cls.hidden'])}]",),
            ("cls.hidden", "cls.hidden.W", "cls.hidden.b"),
        )
    if not explanation.labels:
        return
    formula = "W · vector + b" if a.classifier_hidden == "none" else "W · hidden + b"
    answer, columns = answer_address(explanation.label_kind), {"logit": explanation["cls.logits"]}
    addresses = ["cls.logits", answer]
    if "cls.words" in explanation:
        yield _words_head(explanation)
        columns["words"] = explanation["cls.words"]
        addresses.insert(1, "cls.words")
        formula += " + words"
    if explanation.label_kind == "number":
        parts = " + ".join(number(float(one[0])) for one in columns.values())
        yield Card("The number", formula, (parts, f"→ {explanation.text}"), tuple(addresses))
    else:
        logits = np.stack(list(columns.values()), axis=-1).tolist()  # (labels, columns)
        rows = zip(explanation.labels.items(), logits, strict=True)
        several = explanation.label_kind == "several"
        yield Card(
            "The labels" if several else "The label",
            f"{'sigmoid' if several else 'softmax'}({formula})",
            (f"→ {explanation.text}",),
            tuple(addresses),
            ("label", *columns, "probability"),
            tuple((label, *map(number, some), f"{probability:.4f}") for (label, probability), some in rows),
        )


def _words_head(explanation: Explanation) -> Card:
    """The words that count most for the label that was found."""
    label = int(np.argmax(explanation[answer_address(explanation.label_kind)]))
    parts = explanation["cls.words.parts"][:, label]
    (words,) = (axis.labels or () for axis in axes_of(explanation, f"cls.words.parts[:,{label}]"))
    counts, tf_idf = explanation["cls.words.counts"].tolist(), explanation["cls.words.tf_idf"].tolist()
    order = np.argsort(-np.abs(parts), kind="stable")[:MOST_WORDS]
    more = len(words) - len(order)
    return Card(
        "The words, without their order",
        "Σ tf-idf · W + b",
        (f"and {more} words that count less",) if more else () if words else ("it knows none of these words",),
        ("cls.words.parts", "cls.words.W", "cls.words.b"),
        ("word", "times", "tf-idf", f"adds to {list(explanation.labels)[label]}"),
        tuple((words[one], f"{counts[one]:g}", number(tf_idf[one]), number(float(parts[one]))) for one in order),
    )
