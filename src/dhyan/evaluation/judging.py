"""One trial of vectors: a pack's, or those of one of the old ways, judged by one of the measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.engines.base import start_engine
from dhyan.engines.convert import Compute
from dhyan.evaluation import vectors as measuring
from dhyan.pack.locate import find_pack
from dhyan.pack.pack import open_pack
from dhyan.vectors.arrays import Embed
from dhyan.vectors.baselines import METHODS, Method, static_embedder
from dhyan.vectors.embedder import Embedder
from dhyan.vectors.word_embedder import WordEmbedder, encoder_of


@dataclass(frozen=True)
class Trial:
    """task: similarity, labels, clusters or senses. train: rows for labels and senses, else text for `model`."""

    model: str
    task: str
    test: Path
    train: Path | None
    columns: Mapping[str, str]
    layer: int | None = None
    compute: Compute = "float32"
    device: str = "cpu"
    with_sentence: bool = False
    neighbours: int = 0

    def __post_init__(self) -> None:
        if self.task in ("labels", "senses") and self.train is None:
            raise DhyanError(
                f"--task {self.task} learns from rows like those of --test: name them with --train FILE."
            )
        if self.train is not None and self.task in ("similarity", "clusters") and self.model not in METHODS:
            raise DhyanError(f"--task {self.task} learns nothing from --train with a pack; leave it out.")
        if (self.layer is not None or self.with_sentence) and (self.task != "senses" or self.model in METHODS):
            raise DhyanError("--layer and --with-sentence go with --task senses and a pack.")
        if self.neighbours and self.task != "senses":
            raise DhyanError("--neighbours goes with --task senses.")

    def scores(self, reporter: Progress) -> dict[str, Any]:
        train = cast(Path, self.train)
        if self.task == "senses" and self.model not in METHODS:
            pack = open_pack(find_pack(self.model))
            words = WordEmbedder(pack, self.layer, self.compute, device=self.device, with_sentence=self.with_sentence)
            return {"layer": words.layer, **self.senses(words, reporter)}
        embed = self.embedder(reporter)
        match self.task:
            case "similarity":
                return measuring.similarity(embed, self.test, self.columns, reporter)
            case "clusters":
                return measuring.clusters(embed, self.test, self.columns, reporter)
            case "labels":
                return measuring.labels(embed, train, self.test, self.columns, reporter)
            case _:
                return self.senses(embed, reporter)

    def senses(self, embed: Embed | WordEmbedder, reporter: Progress) -> dict[str, Any]:
        train = cast(Path, self.train)
        return measuring.senses(embed, train, self.test, self.columns, reporter, self.neighbours)

    def embedder(self, reporter: Progress) -> Embed:
        """Texts → vectors. Any encoder will do, a translator's too."""
        if self.model in METHODS:
            texts = measuring.texts_to_fit(self.task, self.test, self.train, self.columns)
            return static_embedder(cast(Method, self.model), texts, reporter)
        encoder = encoder_of(open_pack(find_pack(self.model)))
        return Embedder(encoder, start_engine(encoder, self.device, self.compute))
