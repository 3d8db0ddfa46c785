"""A pack's weights for another vocabulary: what stands for a piece that both know stays, a new piece starts as the
mean of the old ones that spell it."""

from collections.abc import Mapping

import numpy as np

from dhyan.pack.weights_file import Weights
from dhyan.text.tokenizer import Tokenizer

# The weights that have a row for every entry of a vocabulary.
ROWS = {"source": ("enc.E", "mlm.b"), "target": ("dec.E", "dec.out.W", "dec.out.b")}


def respelt(weights: Weights, theirs: Mapping[str, Tokenizer], mine: Mapping[str, Tokenizer]) -> Weights:
    """`theirs`, `mine`: side → vocabulary. Sides that only one of them has are left as they are."""
    changed = dict(weights)
    for side in theirs.keys() & mine.keys():
        if theirs[side].to_json() == mine[side].to_json():
            continue
        spellings = in_their_pieces(theirs[side], mine[side])
        for name in ROWS[side]:
            if name in weights:
                changed[name] = np.stack([weights[name][ids].mean(axis=0) for ids in spellings])
    return changed


def in_their_pieces(theirs: Tokenizer, mine: Tokenizer) -> list[list[int]]:
    """For each of my pieces the ids that they write it with: one where they know it, too."""
    known = {theirs.piece(number): number for number in range(theirs.size)}
    return [spelt(mine.piece(number), known) for number in range(mine.size)]


def spelt(piece: str, known: Mapping[str, int]) -> list[int]:
    """The longest known beginning first, and so on; a character that is not known is spelt in bytes."""
    ids: list[int] = []
    while piece:
        length = next((length for length in range(len(piece), 0, -1) if piece[:length] in known), 0)
        if length:
            ids.append(known[piece[:length]])
        else:
            length = 1
            ids += [known[f"<0x{byte:02X}>"] for byte in piece[0].encode()]
        piece = piece[length:]
    return ids
