"""What an assessment adds to a pack: the weights that came out best, scores, files."""

from dataclasses import dataclass, field
from typing import Any

from dhyan.pack.weights_file import Weights
from dhyan.pack.words_head import WordsHead


@dataclass(frozen=True)
class Assessment:
    weights: Weights  # those that the pack gets
    metrics: dict[str, Any]
    files: dict[str, str | bytes] = field(default_factory=dict)  # of the pack's folder
    words_head: WordsHead | None = None
    training: dict[str, Any] = field(default_factory=dict)  # said of how it was made
