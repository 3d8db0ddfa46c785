"""From which language into which the served packs translate, and which of their languages a text is in."""

from collections.abc import Sequence
from dataclasses import dataclass

from dhyan.server.served_packs import ServedPacks
from dhyan.text.language_codes import two_letters, without_country
from dhyan.text.language_id import ENGLISH, HINDI, HINDI_IN_LATIN, UNKNOWN, detect_language, language_name

_SURE = 0.8  # of one text among several, to go before what all of them together look like


@dataclass(frozen=True, slots=True)
class ServedLanguage:
    """A language that is served, as far as a text is in it. The confidence is between 0 and 1; 0: nothing tells."""

    code: str
    confidence: float


class OtherLanguage(Exception):
    """A text is in a language that no served pack knows."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class LanguagePairs:
    """Asked anew each time: packs may come and go while the server runs."""

    def __init__(self, packs: ServedPacks) -> None:
        self._packs = packs

    def packs(self) -> dict[tuple[str, str], str]:
        """(source, target) → the pack that translates so; the one that was named first goes before others."""
        found: dict[tuple[str, str], str] = {}
        for name, one in self._packs.served.items():
            if one.languages is not None:
                source, target = map(two_letters, one.languages)
                found.setdefault((source, target), name)
        return found

    def codes(self) -> list[str]:
        """All languages that are read or written."""
        return sorted({code for pair in self.packs() for code in pair})

    def sources(self) -> list[str]:
        return sorted({source for source, _ in self.packs()})

    def targets(self, source: str) -> list[str]:
        return sorted(target for one, target in self.packs() if one == source)

    def find(self, code: str) -> str | None:
        """The language that is served under this code or one that means the same: hin, hi_IN and HI are hi."""
        spelt = {known.lower(): known for known in self.codes()}
        return spelt.get(code.strip().lower().replace("_", "-")) or spelt.get(without_country(code))

    def find_source(self, code: str) -> str | None:
        """The same for what is read: Hindi in Latin letters is read as Hindi is, but never written."""
        return self.find(HINDI if code.lower() == HINDI_IN_LATIN.lower() else code)

    def detect(self, text: str) -> ServedLanguage:
        """Only of what is served; with no confidence where the text is in none of it, or too short to tell."""
        found = detect_language(text)
        if (served := self.find_source(found.language)) is not None:
            return ServedLanguage(served, found.confidence)
        return ServedLanguage(self._fallback(), 0.0)

    def detect_each(self, texts: Sequence[str]) -> list[ServedLanguage]:
        """Of texts that came together: short ones go by what all of them look like. Raises OtherLanguage."""
        together = "\n".join(texts)
        overall = self.detect(together)
        found = []
        for text in texts:
            own = self.detect(text) if len(texts) > 1 else overall
            differs = own.code != overall.code and own.confidence >= _SURE
            found.append(own if differs else overall)
        if overall.confidence == 0 and overall in found:
            other = detect_language(together).language
            if other != UNKNOWN:
                raise OtherLanguage(other)
        return found

    def _fallback(self) -> str:
        """What a text is taken for if nothing tells."""
        codes = self.codes()
        return ENGLISH if ENGLISH in codes or not codes else codes[0]


def shown_name(code: str) -> str:
    """English for en; the code itself where no name is known."""
    name = language_name(code)
    return code if name == language_name(UNKNOWN) else name
