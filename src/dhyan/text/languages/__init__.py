"""What single languages need to be known of: one TOML file per language, read when first asked for.

A new language is a new file here, named by its code; every key may be left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.core.settings import read_toml

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class LanguageRules:
    """Words in lower case, unless a comment in the file says otherwise."""

    abbreviations: frozenset[str] = frozenset()  # whose full stop never ends a sentence
    abbreviations_before_numbers: frozenset[str] = frozenset()  # the same, if a number follows
    spelt_letters: frozenset[str] = frozenset()  # foreign letters written out: initials of names
    spelt_letters_that_are_words: frozenset[str] = frozenset()  # initials only before another initial
    function_words: frozenset[str] = frozenset()  # small in titles: "The Lord of the Rings"
    grammar_words: frozenset[str] = frozenset()  # that are no term of any domain: often, without, yourself
    question_words: frozenset[str] = frozenset()  # that begin a question
    contraction_endings: frozenset[str] = frozenset()  # what follows an apostrophe inside a word
    leaning_words: frozenset[str] = frozenset()  # that belong to the word before them: postpositions, auxiliaries
    hyphenated_beginnings: frozenset[str] = frozenset()  # first parts of compounds that keep their hyphen: self-made
    ordinal_endings: frozenset[str] = frozenset()  # what follows the digits of 2nd
    # Patterns of numbers that another language counts otherwise (1.5 million is 15 lakh) or words otherwise (7 pm).
    differing_numbers: frozenset[str] = frozenset()
    # Endings of other forms of a word, "ending → ending of the form", the usual one first; the longest one counts.
    plural_endings: tuple[str, ...] = ()  # order → orders: more than one, whatever else
    oblique_endings: tuple[str, ...] = ()  # लड़का → लड़के: one or more
    oblique_plural_endings: tuple[str, ...] = ()  # दल → दलों: where they are sure, whatever the gender
    postpositions: frozenset[str] = frozenset()  # before which a noun is oblique
    verb_endings: tuple[str, ...] = ()  # order → ordered: no noun any more
    not_plural: frozenset[str] = frozenset()  # words of their own: news is not the plural of new
    fixed_phrases: frozenset[str] = frozenset()  # whose words mean nothing by themselves; a|b: one of these words


# A key that the class lacks is refused; the order of words matters for some.
_KINDS: dict[str, Any] = {
    one.name: tuple if isinstance(one.default, tuple) else frozenset for one in fields(LanguageRules)
}


@cache
def known_languages() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def language_rules(code: str) -> LanguageRules:
    """The rules of one language."""
    if code not in known_languages():
        raise DhyanError(f"there are no rules for the language '{code}'; there are {', '.join(known_languages())}.")
    return LanguageRules(**{name: _KINDS[name](words) for name, words in read_toml(FOLDER / f"{code}.toml").items()})


@cache
def all_languages() -> LanguageRules:
    """The rules of all languages together, for text whose language nobody has said."""
    return _united(map(language_rules, known_languages()))


def _united(rules: Iterable[LanguageRules]) -> LanguageRules:
    every = list(rules)
    united = {name: kind(word for one in every for word in getattr(one, name)) for name, kind in _KINDS.items()}
    return LanguageRules(**united)
