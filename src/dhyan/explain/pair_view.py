"""A pair of texts, as a pack that reads two as one has it: written with a tab between them."""

from dataclasses import replace

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import SpecialTokens
from dhyan.explain.token_view import Tokens
from dhyan.text.likeness import BETWEEN
from dhyan.text.tokenizer import Tokenizer


def text_pair(text: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(BETWEEN)]
    if len(parts) != 2 or not all(parts):
        raise DhyanError("this pack reads pairs of texts: give two, with a tab between them.")
    return parts[0], parts[1]


def pair_tokens(tokenizer: Tokenizer, special: SpecialTokens, first: str, second: str) -> Tokens:
    """Both texts with the special tokens around and between them."""
    opened = [*special.source_prefix, *tokenizer.encode(first), *special.between]
    closed = [*tokenizer.encode(second), *special.source_suffix]
    one = Tokens.of(tokenizer, opened, first, len(special.source_prefix))
    other = Tokens.of(tokenizer, closed, second)
    return Tokens(
        (*one.tokens, *(replace(token, word=token.word + len(one.words), span=None) for token in other.tokens)),
        (*one.words, *(replace(word, start=word.start + len(one), end=word.end + len(one)) for word in other.words)),
    )
