"""Texts in known or unknown languages → their translation: each goes to the pack of its pair of languages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request

from dhyan.documents.html_strings import MarkupStrings
from dhyan.documents.options import DocumentOptions
from dhyan.server.admission import estimated_tokens
from dhyan.server.language_pairs import LanguagePairs, ServedLanguage
from dhyan.server.model_calls import ModelCalls
from dhyan.server.operations.gate import spend_characters

ReadMarkup = Callable[..., MarkupStrings]  # documents → their texts; with `options` that say the languages
CERTAIN = 1.0  # of a language that the client has said


@dataclass(frozen=True, slots=True)
class RoutedText:
    """What came of a text, and the language that it was taken for."""

    text: str
    source: ServedLanguage
    alternatives: tuple[str, ...] = ()


class NoPack(Exception):
    """No served pack translates from the one language into the other."""

    def __init__(self, source: str, target: str) -> None:
        super().__init__(f"{source} → {target}")
        self.source, self.target = source, target


class RoutedTranslation:
    """Texts of one request, in their order. What is in the target language already, or has no letter, stays."""

    def __init__(self, calls: ModelCalls, pairs: LanguagePairs) -> None:
        self._calls, self._pairs = calls, pairs

    async def translate(
        self,
        request: Request,
        texts: Sequence[str],
        source: str | None,
        target: str,
        *,
        markup: ReadMarkup | None = None,
        alternatives: int = 0,
        formality: str | None = None,
    ) -> list[RoutedText]:
        """source: None, to find out. markup: what reads the texts if they are HTML or XML; no alternatives then.

        Raises NoPack, and OtherLanguage for a text in one that nobody here knows.
        """
        if source is None:
            sources = await self._calls.run(request, lambda: self._pairs.detect_each(_words(texts, markup)), 0)
        else:
            sources = [ServedLanguage(source, CERTAIN)] * len(texts)
        found = [RoutedText(text, one) for text, one in zip(texts, sources, strict=True)]
        groups: dict[str, list[int]] = {}
        for at, (text, one) in enumerate(zip(texts, sources, strict=True)):
            if one.code != target and any(map(str.isalpha, text)):
                groups.setdefault(one.code, []).append(at)
        packs = self._pairs.packs()
        for code in {one.code for one in sources} - {target}:
            if (code, target) not in packs:
                raise NoPack(code, target)
        for code, members in groups.items():
            several, pack = [texts[at] for at in members], packs[code, target]
            if markup is not None:
                options = DocumentOptions(source_language=code, target_language=target)
                written = await self._in_markup(request, several, pack, partial(markup, options=options), formality)
                done = [RoutedText(text, sources[at]) for text, at in zip(written, members, strict=True)]
            else:
                said = await self._calls.translate(
                    request, several, pack, alternatives=alternatives, formality=formality
                )
                done = [
                    RoutedText(one.text, sources[at], _others(one.text, [other.text for other in one.alternatives]))
                    for one, at in zip(said, members, strict=True)
                ]
            for at, translated in zip(members, done, strict=True):
                found[at] = translated
        return found

    async def _in_markup(
        self, request: Request, documents: Sequence[str], pack: str, read: ReadMarkup, formality: str | None
    ) -> list[str]:
        """All texts of all documents go through the model together."""
        spend_characters(request, sum(map(len, documents)))

        def work() -> list[str]:
            strings = read(documents)
            texts = list(dict.fromkeys(text for at in range(len(documents)) for text in strings.texts(at)))
            translator = self._calls.packs.translator(pack).with_register(formality or "auto")
            said = translator(texts) if texts else []
            known: Mapping[str, str] = dict(zip(texts, said, strict=True))
            return [strings.written(at, known) for at in range(len(documents))]

        return await self._calls.run(request, work, estimated_tokens(documents))


def _words(texts: Sequence[str], markup: ReadMarkup | None) -> Sequence[str]:
    if markup is None:
        return texts
    strings = markup(texts)
    return [strings.words(at) for at in range(len(texts))]


def _others(text: str, alternatives: Sequence[str]) -> tuple[str, ...]:
    """Each once, and none that says what the translation says."""
    return tuple(one for one in dict.fromkeys(alternatives) if one and one != text)
