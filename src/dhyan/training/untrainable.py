"""What cannot be trained, said before any work is done."""

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import SpecialTokens
from dhyan.pack.pack import Pack
from dhyan.text.imported_tokenizer import ImportedTokenizer
from dhyan.training.recipe import Recipe


def refuse_untrainable(
    recipe: Recipe, start_from: Pack | None, vocabulary: Pack | None, teacher: Pack | None
) -> None:
    """vocabulary: the pack whose tokenizers are used."""
    if recipe.shape != "encoder":
        for pack in filter(None, (start_from, teacher)):
            if pack.manifest.architecture.decoder_self == "ssru":
                raise DhyanError(
                    f"{pack.folder} has an SSRU in its decoder, which Dhyan runs but does not train;"
                    " name another pack."
                )
    if recipe.new_vocabulary and start_from is not None and (why := _why_kept_whole(start_from)):
        raise DhyanError(
            f"the vocabulary of {start_from.folder} {why}, so no side of it can be learnt anew;"
            " leave new_vocabulary out, or name another pack."
        )
    if start_from is not None and vocabulary is not None and vocabulary is not start_from:
        imported = [pack for pack in (start_from, vocabulary) if _is_imported(pack)]
        if imported and not _same_tokenizers(start_from, vocabulary):
            raise DhyanError(
                f"the pieces of {imported[0].folder} are another program's, so no vocabulary can be transferred;"
                " leave vocabulary_of out."
            )
    special = SpecialTokens() if vocabulary is None else vocabulary.manifest.architecture.special
    if vocabulary is not None and special.mask is None:
        training = recipe.training
        wanted = {"objective masked": training.objective == "masked", "word_dropout": training.word_dropout > 0}
        for what in (name for name, is_asked in wanted.items() if is_asked):
            raise DhyanError(f"{vocabulary.folder} has no mask token, which {what} needs; name another pack.")


def _why_kept_whole(pack: Pack) -> str:
    """Why neither side of its vocabulary can be learnt anew; empty where one can."""
    if _is_imported(pack):
        return "is another program's"
    return "has one embedding for both sides" if pack.manifest.architecture.tie == "all" else ""


def _is_imported(pack: Pack) -> bool:
    return any(isinstance(one, ImportedTokenizer) for one in pack.tokenizers.values())


def _same_tokenizers(one: Pack, other: Pack) -> bool:
    both = one.tokenizers.keys() & other.tokenizers.keys()
    return all(one.tokenizers[side].to_json() == other.tokenizers[side].to_json() for side in both)
