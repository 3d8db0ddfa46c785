"""Other forms of a word by the endings of its language: order → orders, study → studies, लड़का → लड़के, लड़कों.

The rules are data (`text/languages/*.toml`): "y → ies" says that a word in -y has a form in -ies. Of the endings that
fit, the longest counts, so that "ay → ays" keeps "day" from becoming "daies". Forms that nobody writes do no harm:
they are looked for and not found.
"""

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum
from functools import cache

from dhyan.text.languages import all_languages, language_rules

_FEWEST_LETTERS = 3  # of a word that has other forms: "as" is not the plural of "a"
_LONGEST_ENDING = 12
_WORDS = re.compile(r"([\s\-‐‑]+)")


class Form(Enum):
    PLURAL = "more than one, whatever else"
    OBLIQUE = "one or more: what stands before a postposition"
    OBLIQUE_PLURAL = "more than one, before a postposition"
    VERB = "not a noun any more"


@cache
def _endings(form: Form, language: str | None = None) -> dict[str, list[str]]:
    rules = all_languages() if language is None else language_rules(language)
    listed = {
        Form.PLURAL: rules.plural_endings,
        Form.OBLIQUE: rules.oblique_endings,
        Form.OBLIQUE_PLURAL: rules.oblique_plural_endings,
        Form.VERB: rules.verb_endings,
    }[form]
    found: dict[str, list[str]] = {}
    for rule in listed:
        ending, _, other = rule.partition("→")
        found.setdefault(ending.strip(), []).append(other.strip())
    return found


def forms_of_word(word: str, form: Form, language: str | None = None) -> list[str]:
    """The forms of one word, the usual one first; language: whose rules, unset: those of every language."""
    is_acronym = form is Form.PLURAL and word.isupper() and len(word) > 1
    if len(word) < _FEWEST_LETTERS and form is not Form.OBLIQUE_PLURAL and not is_acronym:
        return []
    endings = _endings(form, language)
    lower = word.lower()
    for length in range(min(_LONGEST_ENDING, len(word)), -1, -1):
        ending = lower[len(word) - length :]
        is_whole = bool(word) and unicodedata.category(word[-1])[0] == "L"  # no vowel sign, which an ending replaces
        if ending in endings and (ending or is_whole):
            stem, script = word[: len(word) - length], _script(word[-1])
            found = [stem + other for other in endings[ending] if _script(other[0]) == script]
            return [one for one in found if one.lower() not in all_languages().not_plural]
    return []


def forms_of_term(term: str) -> Iterator[tuple[str, Form]]:
    """The forms of a term of one or more words: of its last word, and of the one before "of" in "point of sale"."""
    parts = _WORDS.split(term)  # words at even places, what stands between them at odd ones
    heads = {len(parts) - 1}
    small = all_languages().function_words
    heads |= {place - 2 for place in range(2, len(parts) - 1, 2) if parts[place].lower() in small}
    for form in (Form.PLURAL, Form.OBLIQUE, Form.VERB):
        for head in sorted(heads, reverse=True):
            for other in forms_of_word(parts[head], form):
                yield "".join([*parts[:head], other, *parts[head + 1 :]]), form
    # What describes a noun goes with it: काला बाज़ार, काले बाज़ारों.
    modifiers = [*map(_oblique, parts[:-1]), parts[-1]]
    if modifiers != parts:
        for last, form in [(parts[-1], Form.OBLIQUE), *((one, Form.PLURAL) for one in _plurals(parts[-1]))]:
            yield "".join([*modifiers[:-1], last]), form


def plural(term: str, language: str, form: Form = Form.PLURAL) -> str:
    """The usual plural of a term, or the oblique one; the term itself where the language has no rule for it."""
    parts = _WORDS.split(term)
    found = forms_of_word(parts[-1], form, language)
    return "".join([*parts[:-1], found[0]]) if found else term


def _script(character: str) -> str:
    """Of marks too, which `script_of` does not know."""
    return unicodedata.name(character, "").split(" ")[0]


def _oblique(word: str) -> str:
    return next(iter(forms_of_word(word, Form.OBLIQUE)), word)


def _plurals(word: str) -> list[str]:
    return forms_of_word(word, Form.PLURAL)
