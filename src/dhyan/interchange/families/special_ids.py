"""Special tokens of a model, by the roles that its files give them."""

from collections.abc import Mapping
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import SpecialTokens
from dhyan.interchange.tokenizer_folder import special_roles
from dhyan.text.imported_tokenizer import ImportedTokenizer


def role_ids(folder: Path, tokenizer: ImportedTokenizer, usual: Mapping[str, str]) -> dict[str, int]:
    """Role (`cls_token`, …) → id. usual: the texts that the family's tokenizers have where no file says it."""
    texts = {**usual, **special_roles(folder)}
    found = {role: tokenizer.id_of(text) for role, text in texts.items()}
    return {role: number for role, number in found.items() if number is not None}


def checked_special(where: object, special: SpecialTokens, tokenizer: ImportedTokenizer) -> SpecialTokens:
    """Every id is one of the tokenizer's."""
    mask = () if special.mask is None else (special.mask,)
    single = (special.pad, special.unk, special.start, special.end, *mask)
    around = (*special.source_prefix, *special.source_suffix, *special.target_prefix, *special.never_written)
    wrong = [number for number in (*single, *around) if not 0 <= number < tokenizer.size]
    if wrong:
        raise DhyanError(
            f"{where}: its settings name the token {wrong[0]}, and its tokenizer has {tokenizer.size:,};"
            " they are of different models."
        )
    return special
