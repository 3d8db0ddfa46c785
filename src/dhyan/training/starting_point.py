"""Which pack a training starts from when nobody says: the best at hand that fits task, language and script."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.pack.inherited import named_with_licence
from dhyan.pack.manifest import Manifest
from dhyan.pack.pack import BUILT_IN, known_packs, open_pack, read_pack
from dhyan.pack.parameter_shapes import parameter_shapes
from dhyan.text.language_id import ENGLISH, UNKNOWN, detect_language, language_name
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.best_encoder import best_encoder, labelled_sample
from dhyan.training.prepare import corpora
from dhyan.training.recipe import Recipe

ROWS_READ = 400
FEWEST_ROWS = 20  # fewer can only be learnt by heart, which a small model of its own does sooner
MOST_PIECES_PER_WORD = 2.4  # a tokenizer that cuts words into more pieces was made for other words
LARGEST_ENCODER = 30_000_000  # numbers in its layers: larger ones take too long on a CPU to be taken unasked
MOST_TEXT = 5_000_000  # bytes: with more than this a writer of the right size is better than the small one that ships
NON_COMMERCIAL = "-NC"  # in the name of a licence
MOST_PAIRS = 100_000_000  # bytes of pairs: with more than this a model of the right size learns both languages well
# What says how the model or its pieces are to be: another model's cannot be taken then.
SIZES = {"model", "text"}


@dataclass(frozen=True)
class StartingPoint:
    """The pack to start from, or none, and the sentence that tells the user."""

    pack: str | None
    said: str
    new_vocabulary: str | None = None  # the side whose language the pack does not know


def starting_point(values: dict[str, Any], recipe: Recipe) -> StartingPoint | None:
    """values: what the user has set. None where the user has decided, so that nothing is to be said."""
    decided = recipe.start_from or recipe.vocabulary_of or recipe.teacher or recipe.from_scratch
    if decided or any(values.get(section) for section in SIZES):
        return None
    columns = _first_texts(recipe)
    if recipe.task != "write" and len(columns[0]) < FEWEST_ROWS:
        return None
    languages = [_language(texts) for texts in columns]
    found = {"translate": _translator, "classify": _encoder, "embed": _encoder, "write": _writer}[recipe.task](
        recipe, columns, languages
    )
    if found is None:
        part = {"translate": _half_translator, "classify": _translators_encoder}.get(recipe.task)
        started = part and part(recipe, columns, languages)
        if started:
            return started
    if found is None:
        return StartingPoint(None, f"Starting from random weights: {_why_none(recipe, languages)}.")
    name, manifest = found
    why = ""
    if recipe.task == "classify":
        name, manifest, why = _better_classifier(recipe, columns, *found)
    said = f"Starting from {named_with_licence(name, manifest.licence)}, whose licence the new pack inherits{why};"
    if recipe.task == "classify" and NON_COMMERCIAL in manifest.licence:
        other = _reading_translator(columns, languages)
        if other is not None and NON_COMMERCIAL not in other[1].licence:
            said += f" for commercial use --start-from {named_with_licence(other[0], other[1].licence)};"
    return StartingPoint(name, f"{said} --from-scratch starts from random weights.")


Found = tuple[str, Manifest] | None


def _translator(recipe: Recipe, columns: list[list[str]], languages: list[str]) -> Found:
    wanted = _wanted(recipe, languages)
    if UNKNOWN in wanted:
        return None
    for name, manifest in _packs("translate"):
        has = (manifest.source_language, manifest.target_language)
        if has == wanted and manifest.architecture.decoder_self == "attention":
            return name, manifest
    return None


def _half_translator(recipe: Recipe, columns: list[list[str]], languages: list[str]) -> StartingPoint | None:
    """A shipped pack that reads the source language or writes the target language: half of what is to be learnt."""
    if sum(file.stat().st_size for file in recipe.data.train if file.is_file()) > MOST_PAIRS:
        return None
    wanted = _wanted(recipe, languages)
    for side, other in (("source", "target"), ("target", "source")):
        language = wanted[side == "target"]
        for name, manifest in _packs("translate"):
            if _is_shipped(name) and language != UNKNOWN and getattr(manifest, f"{side}_language") == language:
                does = f"{'reads' if side == 'source' else 'writes'} {language_name(language)}"
                said = (
                    f"Starting from {named_with_licence(name, manifest.licence)}, whose licence the new pack"
                    f" inherits, since it {does}: what is new is the {other} side, whose vocabulary is learnt"
                    " from the pairs; --from-scratch starts from random weights."
                )
                return StartingPoint(name, said, other)
    return None


def _wanted(recipe: Recipe, languages: list[str]) -> tuple[str, str]:
    """To be translated from and into."""
    return recipe.source_language or languages[0], recipe.target_language or languages[-1]


def _encoder(recipe: Recipe, columns: list[list[str]], languages: list[str]) -> Found:
    """An imported encoder that suits the text goes before the one that ships: somebody has brought it on purpose."""
    texts = [text for column in columns for text in column]
    packs = [
        (name, manifest) for name, manifest in _packs("embed") if _numbers_in_layers(manifest) <= LARGEST_ENCODER
    ]
    shipped = [one for one in packs if _is_shipped(one[0])]
    own = [one for one in packs if not _is_shipped(one[0]) and "imported from" in one[1].training]
    own.sort(key=lambda one: -_numbers_in_layers(one[1]))
    has_english = languages[0] in (ENGLISH, UNKNOWN)
    for name, manifest in [*own, *(shipped if has_english else [])]:
        if _pieces_per_word(open_pack(known_packs()[name]).tokenizer, texts) <= MOST_PIECES_PER_WORD:
            return name, manifest
    return None


def _translators_encoder(recipe: Recipe, columns: list[list[str]], languages: list[str]) -> StartingPoint | None:
    """That of a shipped translator from the language: what it reads for translating tells labels apart, too."""
    found = _reading_translator(columns, languages)
    if found is None:
        return None
    name, manifest = found
    said = (
        f"Starting from the encoder of {named_with_licence(name, manifest.licence)}, whose licence the new"
        f" pack inherits, since it reads {language_name(languages[0])};"
    )
    return StartingPoint(name, f"{said} --from-scratch starts from random weights.")


def _reading_translator(columns: list[list[str]], languages: list[str]) -> Found:
    texts = [text for column in columns for text in column]
    for name, manifest in _packs("translate"):
        if not _is_shipped(name) or manifest.source_language != languages[0]:
            continue
        tokenizer = open_pack(known_packs()[name]).tokenizers["source"]
        if _pieces_per_word(tokenizer, texts) <= MOST_PIECES_PER_WORD:
            return name, manifest
    return None


def _better_classifier(
    recipe: Recipe, columns: list[list[str]], name: str, manifest: Manifest
) -> tuple[str, Manifest, str]:
    """A shipped classifier in place of the encoder, where its vectors tell these labels apart better."""
    others = [
        one
        for one in _packs("classify")
        if _is_shipped(one[0])
        and one[1].label_kind == "one"
        and _pieces_per_word(open_pack(known_packs()[one[0]]).tokenizer, columns[0]) <= MOST_PIECES_PER_WORD
    ]
    corpus, _ = corpora(recipe)
    sample = labelled_sample(row.columns for row in corpus.rows()) if others and _is_shipped(name) else []
    if not sample:
        return name, manifest, ""
    packs = [(name, manifest), *others]
    best, accuracy = best_encoder([read_pack(known_packs()[one]) for one, _ in packs], sample)
    if not best:
        return name, manifest, ""
    tried = f"{accuracy[best]:.0%} of {len(sample)} rows, one of {name} in {accuracy[0]:.0%}"
    why = f", since a linear probe of it is right in {tried}"
    return *packs[best], why


def _writer(recipe: Recipe, columns: list[list[str]], languages: list[str]) -> Found:
    size = sum(file.stat().st_size for file in recipe.data.train if file.is_file())
    if languages[0] != ENGLISH or size > MOST_TEXT:
        return None
    return next(((name, manifest) for name, manifest in _packs("write") if _is_shipped(name)), None)


def _packs(task: str) -> list[tuple[str, Manifest]]:
    """Those that can be called by name, the shipped ones first. A broken one is not offered."""
    found = []
    for name, folder in sorted(known_packs().items(), key=lambda item: (item[1].parent != BUILT_IN, item[0])):
        try:
            manifest = open_pack(folder).manifest
        except DhyanError:
            continue
        if manifest.task == task:
            found.append((name, manifest))
    return found


def _is_shipped(name: str) -> bool:
    return known_packs()[name].parent == BUILT_IN


def _numbers_in_layers(manifest: Manifest) -> int:
    """Weights without the embeddings, which cost no time."""
    total = 0
    for name, shape in parameter_shapes(manifest.architecture).items():
        if not name.endswith((".E", ".P")):
            size = 1
            for axis in shape:
                size *= axis
            total += size
    return total


def _pieces_per_word(tokenizer: Tokenizer, texts: Sequence[str]) -> float:
    words = sum(len(text.split()) for text in texts)
    return sum(map(len, tokenizer.encode_batch(list(texts)))) / max(1, words)


def _first_texts(recipe: Recipe) -> list[list[str]]:
    """Of each text column, its first texts."""
    corpus, _ = corpora(recipe)
    if corpus.objective == "next-token":
        first = next(corpus.text(corpus.files[0]), "")
        return [[line for line in first.splitlines() if line.strip()][:ROWS_READ] or [first]]
    rows = [row.columns for row in islice(corpus.rows(), ROWS_READ)]
    if corpus.objective == "classification":
        rows = [columns[1:] for columns in rows]
    width = min(map(len, rows), default=1)
    return [[columns[number] for columns in rows] for number in range(width)] or [[]]


def _language(texts: Sequence[str]) -> str:
    """That of most of the texts whose language can be told; unknown where these are few, or do not agree."""
    told = Counter(detect_language(text[:400]).language for text in texts)
    unknown = told.pop(UNKNOWN, 0)
    if not told:
        return UNKNOWN
    (language, count), all_told = told.most_common(1)[0], sum(told.values())
    return language if count >= 0.7 * all_told and all_told * 4 >= unknown else UNKNOWN


def _why_none(recipe: Recipe, languages: list[str]) -> str:
    named = [name for name in languages if name != UNKNOWN]
    if recipe.task == "translate":
        pair = " → ".join(languages)
        return f"no pack translates {pair}" if len(named) == 2 else "the languages of the pairs could not be told"
    if recipe.task == "write" and named == [ENGLISH]:
        return "there is enough text for a model of its own size"
    return f"no pack at hand suits this text ({', '.join(named) or 'its language could not be told'})"
