"""A made-up pair of languages whose sentences may be of any length, so that length is all that changes.

The source puts the verb in the middle, the target at the end, as English and Hindi do. Target verbs and adjectives
agree in gender with a noun of their clause. Every word is drawn by chance, so nothing can be guessed: to translate
one word right, a model must have kept that word, its place and its noun's gender.
"""

import torch
from torch import Tensor

from dhyan.core.special_tokens import END, SPECIAL, START

NOUNS, VERBS, ADJECTIVES = 8, 5, 3  # even-numbered nouns are of one gender, odd ones of the other
SOURCE_VOCABULARY = len(SPECIAL) + NOUNS + VERBS + ADJECTIVES
TARGET_VOCABULARY = len(SPECIAL) + NOUNS + 2 * VERBS + 2 * ADJECTIVES  # two forms of what agrees

FIRST_NOUN = len(SPECIAL)
FIRST_VERB = FIRST_NOUN + NOUNS
FIRST_ADJECTIVE = FIRST_VERB + VERBS  # of the source; the target's come after both forms of the verbs

CLAUSE = 5  # adjective, subject, verb, adjective, object; a shorter end is cut from it


def draw_pairs(rows: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """`rows` sentences of `length` words and their translations, each closed by an end mark: (rows, length + 1).

    A clause `adjective subject verb adjective object` becomes `adjective' subject adjective' object verb'`, where an
    adjective agrees with the noun behind it and the verb with its subject.
    """
    clauses = -(-length // CLAUSE)

    def draw(kinds: int) -> Tensor:
        return torch.randint(kinds, (rows, clauses), generator=generator)

    subject, thing, verb = draw(NOUNS), draw(NOUNS), draw(VERBS)  # (rows, clauses)
    its, other = draw(ADJECTIVES), draw(ADJECTIVES)
    given = [
        FIRST_ADJECTIVE + its,
        FIRST_NOUN + subject,
        FIRST_VERB + verb,
        FIRST_ADJECTIVE + other,
        FIRST_NOUN + thing,
    ]
    agreeing = FIRST_VERB + 2 * VERBS
    said = [
        agreeing + 2 * its + subject % 2,
        FIRST_NOUN + subject,
        agreeing + 2 * other + thing % 2,
        FIRST_NOUN + thing,
        FIRST_VERB + 2 * verb + subject % 2,
    ]
    source, target = (torch.stack(words, dim=2).flatten(1) for words in (given, said))  # (rows, clauses · CLAUSE)
    end = torch.full((rows, 1), END)
    return torch.cat([source[:, :length], end], dim=1), torch.cat([target[:, :length], end], dim=1)


def shifted(target: Tensor) -> Tensor:
    """What the decoder reads while it learns: the start mark, then all but the last word."""
    return torch.cat([torch.full_like(target[:, :1], START), target[:, :-1]], dim=1)
