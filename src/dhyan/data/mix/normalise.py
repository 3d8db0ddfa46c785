"""The two sides of a pair normalised: spaces, digits, quotation marks, and the mark at the end of a sentence."""

import re
import unicodedata
from collections.abc import Iterable

from dhyan.data.mix.settings import GroupSettings, NormaliseSettings
from dhyan.text.languages import language_rules
from dhyan.text.sentences import split_sentences

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_BLANKS = re.compile(r"\s{2,}|[^\S ]")
# Not before "..." nor before ".NET": a blank or the end has to follow.
_BLANK_BEFORE_MARK = re.compile(r"\s+(?=(?:[,;:?!।]|\.(?!\.))(?:\s|$))")
_BLANK_IN_BRACKETS = re.compile(r"(?<=\()\s+|\s+(?=\))")
_QUOTES = str.maketrans("“”„«»‘’‚`", '"""""\'\'\'\'')
_NUMBERING = re.compile(r"(?:\(?\d{1,3}[.)]|\(?[a-z]\)|[ivx]{1,5}\.)\s+(?=\S+\s)", re.IGNORECASE)
_LIKE_NUMBERING = re.compile(r"\(?[^\s().-]{1,4}(?:[.)]|-\s)")  # "(क)", "2-", "एस."
_DASH = re.compile(r"[-•*–—·▪►]\s+(?=\S)")
_DASH_ALONE = re.compile(r"[-•*–—·▪►]\s*(?=[^\W\d])")
_GLOSS = re.compile(r"\s*\([A-Za-z][A-Za-z0-9 /&.'-]*\)")
_BRACES = re.compile(r"\s*\{[^{}]*\}?|\s*\}")
_SHORTCUT = re.compile(r"\s*\([_~&]\s?\w\)|_\s?(?=[^\W\d_])|[~&](?=[^\W\d_])")
_MARK_OF_SHORTCUT = re.compile(r"(?<![\w%$.])(?:_\s?|[~&])[A-Za-z]|[A-Za-z][_~&](?=[a-z])")
_SPLIT_TIME_OR_QUOTE = r"(?<=\d:)\s(?=\d\d\b)|\s+(?=[”\"]$)"  # "10: 30", a blank before the closing quotation mark
_OTHER_DIGITS = re.compile("[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]")
_CURLY = re.compile("[“”„«»‘’‚`]")
_CLOSING = "\"'”’»)]}"
_CLOSING_QUOTES = "\"'”’»"
_ENDINGS_OF_NOTHING = ",;|-–— "


def _any_of(words: Iterable[str]) -> str:
    """A pattern for one of these words; for nothing at all if there are none."""
    return "|".join(map(re.escape, sorted(words))) or "(?!)"


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"


class Normaliser:
    """Normalises a pair by the settings. The source is only tidied: people will go on writing as they do."""

    def __init__(self, settings: NormaliseSettings) -> None:
        self._settings = settings
        rules = language_rules(settings.source_language)
        self._source_asks = re.compile(rf"(?:{_any_of(rules.question_words)})\b", re.IGNORECASE)
        self._target_asks = re.compile(rf"(?:^|[\s\"'(])(?:{_any_of(settings.question_words)})")
        # Tokenised and joined again: "let’ s".
        split_contraction = rf"(?<=\w['’])\s(?=(?:{_any_of(rules.contraction_endings)})\b)"
        self._split_by_tokenizing = re.compile(f"{split_contraction}|{_SPLIT_TIME_OR_QUOTE}")

    def __call__(self, source: str, target: str, group: GroupSettings) -> tuple[str, str]:
        settings = self._settings
        source = _INVISIBLE.sub("", unicodedata.normalize("NFC", source))
        target = unicodedata.normalize("NFC", target)
        if settings.drop_zero_width:
            target = _INVISIBLE.sub("", target)
        if not target.isascii():
            target = target.replace("‑", "-")
            if settings.ascii_digits:
                target = _OTHER_DIGITS.sub(lambda found: str(unicodedata.digit(found[0])), target)
            if settings.straight_quotes and _CURLY.search(target):
                target = target.translate(_QUOTES).replace("''", '"')
            for wrong, right in settings.replace.items():
                target = target.replace(wrong, right)
        source, target = source.removesuffix("\\n"), target.removesuffix("\\n")
        if group.drop_accelerators and _MARK_OF_SHORTCUT.search(source):
            source, target = _SHORTCUT.sub("", source), _SHORTCUT.sub("", target)
        if settings.tidy_spaces:
            source, target = self._tidy(source), self._tidy(target)
        source, target = _same_start(source, target)
        if settings.drop_glosses:
            target = _without_glosses(source, target)
        if settings.full_stop is not None and source and target:
            if source.endswith("|"):
                source = source.rstrip("| ") + "."
            target = _inner_stops(source, target, settings.full_stop)
            target = self._ended(source, target, settings.full_stop, group)
        return source, target

    def _tidy(self, text: str) -> str:
        if _BLANKS.search(text):
            text = _BLANKS.sub(" ", text)
        text = self._split_by_tokenizing.sub("", _BLANK_BEFORE_MARK.sub("", text))
        if "( " in text or " )" in text:
            text = _BLANK_IN_BRACKETS.sub("", text)
        return text.strip()

    def _ended(self, source: str, target: str, stop: str, group: GroupSettings) -> str:
        """The target with the final mark that its source calls for."""
        mark = source.rstrip(_CLOSING)[-1:]
        body = target.rstrip(_CLOSING_QUOTES)
        quotes = target[len(body) :]
        if mark == "?":
            return self._as_question(body) + quotes if body else target
        if not body or body.endswith(("...", "…", stop, "?", "!", ":")):
            return target
        words = target.count(" ") + 1
        if body[-1] == ".":
            if _ends_a_word(body) and (mark == "." or words >= 3):
                return body[:-1] + stop + quotes
            return target
        if words < 3:
            return target
        if mark == "." and not source.endswith("..."):
            if source[-1] == "." and quotes:  # the source's stop stands behind the quotation, and so does ours
                return target.rstrip(_ENDINGS_OF_NOTHING) + stop
            return body.rstrip(_ENDINGS_OF_NOTHING) + stop + quotes
        if group.full_sentences and mark and (mark.isalnum() or _is_letter(mark)):
            asks = self._source_asks.match(source) and self._target_asks.search(target)
            return body.rstrip(_ENDINGS_OF_NOTHING) + ("?" if asks else stop) + quotes
        return target

    def _as_question(self, body: str) -> str:
        if body.endswith(("?", ":")) or not self._target_asks.search(body):
            return body
        return (body if body.endswith("...") else body.rstrip(".।|,;!- ")) + "?"


def _inner_stops(source: str, target: str, stop: str) -> str:
    """The right full stop after every sentence of the target but the last, if the source has several too."""
    if (". " not in target and "| " not in target) or len(split_sentences(source)) < 2:
        return target
    parts = split_sentences(target.replace("| ", f"{stop} "))
    for number, part in enumerate(parts[:-1]):
        body = part.rstrip()
        if body[-1] == "." and _ends_a_word(body):
            parts[number] = body[:-1] + stop + part[len(body) :]
    return "".join(parts)


def _ends_a_word(text: str) -> bool:
    """Does the final "." follow a word of another script than Latin, and not an abbreviation (ई., कि.मी.)?"""
    word = text[:-1].rsplit(" ", 1)[-1]
    return len(word) > 1 and "." not in word and not word[-1].isascii() and _is_letter(word[-1])


def _same_start(source: str, target: str) -> tuple[str, str]:
    """Without the dash of a speaker or a list, and without a number that one side only begins with."""
    if _DASH.match(source) or _DASH.match(target):
        source, target = (
            text[found.end() :] if (found := _DASH_ALONE.match(text)) else text for text in (source, target)
        )
    ahead, behind = _NUMBERING.match(source), _NUMBERING.match(target)
    if ahead and not _LIKE_NUMBERING.match(target):
        source = source[ahead.end() :]
    elif behind and not _LIKE_NUMBERING.match(source):
        target = target[behind.end() :]
    return source, target


def _without_glosses(source: str, target: str) -> str:
    if "(" in target and "(" not in source:
        target = _GLOSS.sub("", target)
    if ("{" in target or "}" in target) and "{" not in source:
        target = _BRACES.sub("", target).strip()
    return target
