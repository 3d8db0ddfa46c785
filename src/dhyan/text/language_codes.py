"""Codes of languages: two letters (ISO 639-1) and three (ISO 639-3), with or without a country behind them."""

import re
from functools import cache

# Those that language_id.py can tell, each with its code of three letters.
_BOTH = (
    "am amh ar ara as asm be bel bn ben ca cat cs ces da dan de deu el ell en eng es spa et est fa fas fi fin fr fra"
    " gu guj he heb hi hin hr hrv hu hun hy hye id ind it ita ja jpn ka kat km khm kn kan ko kor lo lao lt lit lv lav"
    " ml mal mr mar my mya ne nep nl nld no nor or ori pa pan pl pol pt por ro ron ru rus sa san si sin sk slk sl slv"
    " sq sqi sr srp sv swe sw swa ta tam te tel th tha tl tgl tr tur uk ukr ur urd vi vie zh zho"
)
_WITH_COUNTRY = re.compile(r"([a-z]{2,3})(?:-[a-z]{2}|-[0-9]{3})?")


@cache
def _three_letters() -> dict[str, str]:
    codes = _BOTH.split()
    return dict(zip(codes[::2], codes[1::2], strict=True))


@cache
def _two_letters() -> dict[str, str]:
    return {three: two for two, three in _three_letters().items()}


def known_codes() -> frozenset[str]:
    """Those of two letters, and of three where there are no two."""
    return frozenset(_three_letters())


def three_letters(code: str) -> str:
    """hin for hi; a code that is not known stays."""
    return _three_letters().get(code, code)


def two_letters(code: str) -> str:
    """hi for hin; a code that is not known stays."""
    return _two_letters().get(code, code)


def without_country(code: str) -> str:
    """The language as it is usually written: en for EN_US, hi for hin-IN. A script stays: hi-latn is not hi."""
    found = _WITH_COUNTRY.fullmatch(code.strip().lower().replace("_", "-"))
    return two_letters(found[1]) if found else code
