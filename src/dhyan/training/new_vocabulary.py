"""The vocabulary of a language that a pack does not know yet, with embeddings to start from.

The pack translates the pairs' other side into the language that it knows. Tokens of that language which stand where a
new token does give it their embeddings, by their probability (Tran, 2020). So before its first step the pack says the
new language's words, in the order of the old one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import SPECIAL
from dhyan.engines.base import start_engine
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack, known_packs, open_pack, read_pack
from dhyan.pack.training_folder import DATA
from dhyan.pack.weights_file import Weights, load_weights, save_weights
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.prepare import Prepared
from dhyan.training.token_alignment import token_translations
from dhyan.training.transfer_vocabulary import ROWS

MOST_TOKENS = 120_000  # of sentences that are translated for it: half a minute
MOST_ROWS = 50_000  # that are looked at for these
AT_ONCE = 500  # sentences
GREEDY = GenerationSettings(beam=1)

FILE = "new_embeddings.safetensors"

Texts = Sequence[str]


def prepared_embeddings(pack: Pack, prepared: Prepared) -> Weights:
    """Those of a training, made of its training rows alone; kept, so that a resumed training has the same."""
    file = prepared.recipe.folder / DATA / FILE
    if not file.exists():
        side = prepared.recipe.new_vocabulary
        assert side is not None
        found = new_embeddings(
            pack, side, prepared.tokenizers[side], _training_pairs(prepared), prepared.recipe.training.seed
        )
        save_weights(file, found, "float32")
    return load_weights(file)


def _training_pairs(prepared: Prepared) -> Iterator[Texts]:
    store = prepared.train
    sides = [(prepared.tokenizers[side], side) for side in ("source", "target")]
    for row in range(min(len(store), MOST_ROWS)):
        yield [tokenizer.decode(store.row(side, row).tolist()) for tokenizer, side in sides]


def new_embeddings(pack: Pack, side: str, tokenizer: Tokenizer, pairs: Iterable[Texts], seed: int) -> Weights:
    """The pack's weights that have a row per token of this side, for another tokenizer. pairs: source, target."""
    old, random = pack.tokenizers[side], np.random.default_rng(seed)
    known = {old.piece(number): number for number in range(old.size)}
    translations = token_translations(_ids_of_both(pack, side, tokenizer, pairs), tokenizer.size)
    sure = np.bincount(translations.tokens, translations.probabilities, tokenizer.size)  # (tokens,)
    is_aligned = sure > 0
    share = translations.probabilities / sure[translations.tokens]
    found: Weights = {}
    for name in ROWS[side]:
        if name not in pack.weights:
            continue
        values = pack.weights[name].astype(np.float64)
        spread = values.std() if values.ndim > 1 else 0.0
        rows = random.normal(values.mean(axis=0), spread, (tokenizer.size, *values.shape[1:]))
        rows[is_aligned] = 0.0
        weighted = share.reshape(-1, *[1] * (values.ndim - 1)) * values[translations.theirs]
        np.add.at(rows, translations.tokens, weighted)
        for number in range(tokenizer.size):  # signs, digits and names, if nothing better is known; ends in any case
            same = known.get(tokenizer.piece(number))
            if same is not None and (number < len(SPECIAL) or not is_aligned[number]):
                rows[number] = values[same]
        found[name] = rows.astype(np.float32)
    return found


def _ids_of_both(
    pack: Pack, side: str, tokenizer: Tokenizer, pairs: Iterable[Texts]
) -> Iterable[tuple[Sequence[int], Sequence[int]]]:
    """The new side's ids, and those of the same sentence in the language that the pack knows."""
    translator = pack if side == "target" else _reverse_of(pack)
    if translator is None:
        return
    column = ("source", "target").index(side)
    source, target = translator.tokenizers["source"], translator.tokenizers["target"]
    engine, tokens, rows = start_engine(translator), 0, iter(pairs)
    while tokens < MOST_TOKENS and (some := list(islice(rows, AT_ONCE))):
        ids = source.encode_batch([row[1 - column] for row in some])
        tokens += sum(map(len, ids))
        said = [found[0].ids if found else [] for found in engine.translate(ids, GREEDY)]
        if translator is not pack:
            said = pack.tokenizers[side].encode_batch([text.strip() for text in target.decode_batch(said)])
        yield from zip(tokenizer.encode_batch([row[column] for row in some]), said, strict=True)


def _reverse_of(pack: Pack) -> Pack | None:
    """A pack at hand that translates the other way."""
    wanted = (pack.manifest.target_language, pack.manifest.source_language)
    for folder in known_packs().values():
        try:
            manifest = open_pack(folder).manifest
            if manifest.task == "translate" and (manifest.source_language, manifest.target_language) == wanted:
                return read_pack(folder)
        except DhyanError:
            continue
    return None
