"""The tokenizers of a training: trained on its texts, or taken over from a pack."""

from dataclasses import dataclass

from dhyan.core.errors import DhyanError
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.dataset import CorpusStats
from dhyan.training.recipe import Recipe


@dataclass(frozen=True)
class Tokenizers:
    """The tokenizers of a training; the sides may share one."""

    file_by_side: dict[str, str]  # source, target → file
    by_file: dict[str, Tokenizer]

    def __getitem__(self, side: str) -> Tokenizer:
        return self.by_file[self.file_by_side[side]]

    @property
    def by_side(self) -> dict[str, Tokenizer]:
        return {side: self[side] for side in self.file_by_side}

    def with_new(self, side: str, tokenizer: Tokenizer) -> "Tokenizers":
        """Another one for one side alone."""
        file = f"{side}.tokenizer.json"
        other = {one: name for one, name in self.file_by_side.items() if one != side}
        kept = {name: self.by_file[name] for name in other.values()}
        return Tokenizers({**other, side: file}, {**kept, file: tokenizer})

    @property
    def largest(self) -> int:
        return max(tokenizer.size for tokenizer in self.by_file.values())


def train_tokenizers(recipe: Recipe, stats: CorpusStats, requested: int | None) -> Tokenizers:
    """requested: the vocabulary size that the user has set, if they have."""
    if recipe.task != "translate":
        sides = {"source" if recipe.shape == "encoder" else "target": "text.tokenizer.json"}
        texts = {"text.tokenizer.json": [text for texts in stats.sample for text in texts]}
    elif recipe.text.shared:
        sides = dict.fromkeys(("source", "target"), "shared.tokenizer.json")
        texts = {"shared.tokenizer.json": [text for texts in stats.sample for text in texts]}
    else:
        sides = {"source": "source.tokenizer.json", "target": "target.tokenizer.json"}
        texts = {file: [texts[column] for texts in stats.sample] for column, file in enumerate(sides.values())}
    most = requested or recipe.text.vocabulary or 1_000_000
    trained = {file: Tokenizer.train(some, recipe.text, most, exact=False) for file, some in texts.items()}
    tokenizers = Tokenizers(sides, trained)
    if requested is not None and tokenizers.largest < requested:
        raise DhyanError(
            f"vocabulary = {requested:,} is larger than the data allows: at most {tokenizers.largest:,} entries"
            f" can be learnt; set --vocabulary {tokenizers.largest} or leave it out."
        )
    return tokenizers


def with_new_vocabulary(side: str, recipe: Recipe, known: Tokenizers, stats: CorpusStats) -> Tokenizers:
    """One side's tokenizer learnt from its texts, the other's kept."""
    column = ("source", "target").index(side)
    texts = [row[column] for row in stats.sample]
    most = recipe.text.vocabulary or 1_000_000
    return known.with_new(side, Tokenizer.train(texts, recipe.text, most, exact=False))


def tokenizers_of_pack(recipe: Recipe, pack: Pack) -> Tokenizers:
    needed = {"encoder-decoder": ("source", "target"), "encoder": ("source",), "decoder": ("target",)}[recipe.shape]
    missing = [side for side in needed if side not in pack.manifest.tokenizers]
    if missing:
        raise DhyanError(
            f"{pack.folder} is {pack.manifest.architecture.shape}: it has no {missing[0]} side to start"
            f" task {recipe.task} from; name another pack or leave start_from out."
        )
    sides = {side: pack.manifest.tokenizers[side] for side in needed}
    return Tokenizers(sides, {file: pack.tokenizers[side] for side, file in sides.items()})
