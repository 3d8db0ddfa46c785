"""Vocabulary transfer: a pack's weights for another vocabulary.

A token that both have keeps its embedding; a new one starts as the mean of the old tokens that spell it.
"""

from collections.abc import Mapping

import numpy as np

from dhyan.pack.weights_file import Weights
from dhyan.text.tokenizer import Tokenizer

# The weights that have a row per entry of a vocabulary.
ROWS = {"source": ("enc.E", "mlm.b"), "target": ("dec.E", "dec.out.W", "dec.out.b")}


def transfer_vocabulary(weights: Weights, old: Mapping[str, Tokenizer], new: Mapping[str, Tokenizer]) -> Weights:
    """old, new: side → tokenizer. Sides that only one of them has are left as they are."""
    changed = dict(weights)
    for side in old.keys() & new.keys():
        if old[side].to_json() == new[side].to_json():
            continue
        spellings = in_old_tokens(old[side], new[side])
        for name in ROWS[side]:
            if name in weights:
                changed[name] = np.stack([weights[name][ids].mean(axis=0) for ids in spellings])
    return changed


def in_old_tokens(old: Tokenizer, new: Tokenizer) -> list[list[int]]:
    """For each new token the ids of the old ones that spell it: one where the old vocabulary has it too."""
    known = {old.piece(number): number for number in range(old.size)}
    return [spell(new.piece(number), known) for number in range(new.size)]


def spell(piece: str, known: Mapping[str, int]) -> list[int]:
    """Greedy longest match from the left; an unknown character is written in bytes."""
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
