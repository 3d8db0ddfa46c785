"""Which column is which: by numbers, by the names in a table's first row, or by their order where it has no names.

The first row is a header where it has a column that was asked for by name, or well-known names for all that is
needed; or some of them, if it also looks unlike the rows below it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.text.language_codes import known_codes, without_country
from dhyan.text.language_id import language_name

# Names that stand for a field, in small letters without blanks; those of the first group go before the second's.
_KNOWN: dict[str, tuple[str, str]] = {
    "label": (
        "label labels",
        "category categories class classes tag tags sentiment intent topic topics emotion genre stance polarity"
        " rating stars sense target goldlabel",
    ),
    "text": (
        "text texts",
        "sentence review reviewtext message question title headline content body comment tweet post document"
        " utterance query description phrase sms",
    ),
    "text2": ("text2", "sentence2 question2 hypothesis second"),
    "source": ("source", "src sourcetext sourcesentence"),
    "target": ("target", "tgt trg targettext targetsentence translation reference"),
    "score": ("score", "similarity similarityscore rating"),
    "first": ("first", "sentence1 text1 word1 question1 premise"),
    "second": ("second", "sentence2 text2 word2 question2 hypothesis"),
    "name": ("name", "origin corpus"),
}
# Of texts that mean the same; a `negative` means something else.
_ALIKE = re.compile(
    r"(text|sentence|question|phrase|paraphrase|title|word)\d{1,2}"
    r"|anchor|positive|first|second|premise|hypothesis|original|paraphrase|source|target"
)
_NO_CONTENT = ("", "id", "idx", "index", "no", "nr", "unnamed:0")  # numbers of rows
_NOT_LANGUAGES = ("id", "no")  # as names of columns, these say something else
_BLANKS = re.compile(r"[\s_\-.]+")
_LONGEST_NAME = 40  # characters
_LONG_TEXT = 20  # characters; a column of these, under a short cell, tells a header

Languages = tuple[str, str]  # codes of a pair; empty where it is not known


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the texts of a row stand, in the order of their names. `header`: the first row's cells, if it is one."""

    places: tuple[int | None, ...]  # from 0; None: the table lacks it
    header: tuple[str, ...] = ()

    def said(self, names: Sequence[str]) -> str:
        """label from column 'tag', text from column 'title'; empty where there are no names."""
        found = zip(names, self.places, strict=False)
        return ", ".join(
            f"{name} from column '{self.header[at]}'" for name, at in found if self.header and at is not None
        )


def find_columns(
    file: Path,
    names: Sequence[str],
    chosen: Mapping[str, str],
    rows: Sequence[Sequence[str]],
    languages: Languages = ("", ""),
    is_tsv: bool = False,
) -> Columns:
    """rows: the first of the table. names: those that end in ? may lack."""
    header, below = [cell.strip() for cell in rows[0]], rows[1:]
    plain, needed = plain_names(names), plain_names([name for name in names if not name.endswith("?")])
    by_number = {name: _number(at) for name, at in chosen.items() if _is_number(at)}
    by_name = {name: _named(file, name, at, header) for name, at in chosen.items() if not _is_number(at)}
    known = well_known(needed, header, languages)
    # One cell such as "Text" may be the first text of a .tsv, which need not have a header.
    is_certain = by_name or (len(known) == len(needed) and (len(known) > 1 or not is_tsv))
    unlike = is_certain or looks_like_header(header, below, over_other_cells=is_tsv or not known)
    if is_certain or (unlike and (known or (not is_tsv and by_number.keys() >= set(needed)))):
        found = known | by_number | by_name
        missing = [name for name in needed if name not in found]
        free = (n for n in range(len(header)) if n not in found.values())
        left = [n for n in free if folded_name(header[n]) not in _NO_CONTENT]
        if len(missing) == 1 and len(left) == 1:
            found[missing[0]] = left[0]
        elif missing:
            raise _undecided(file, header, missing, found, left)
        others = well_known([name for name in plain if name not in found], header)
        return Columns(tuple((others | found).get(name) for name in plain), tuple(header))
    if unlike and not is_tsv and not chosen and all(name in _KNOWN for name in needed):
        raise _undecided(file, header, needed, {}, list(range(len(header))))
    return Columns(tuple(by_number.get(name, place) for place, name in enumerate(plain)))


def find_alike(
    file: Path, name: str, chosen: Mapping[str, str], rows: Sequence[Sequence[str]], is_tsv: bool = False
) -> Columns | None:
    """The columns of texts that mean the same, `text=first+second` where they are named; None: all the columns."""
    header, below = [cell.strip() for cell in rows[0]], rows[1:]
    if name in chosen:
        parts = [part.strip() for part in chosen[name].split("+")]
        if len(parts) < 2:
            raise DhyanError(
                f"{file}: {name} is to be read from two columns or more: name them with a + between, such as "
                f"{name}=1+2."
            )
        places = tuple(_number(part) if _is_number(part) else _named(file, name, part, header) for part in parts)
        return Columns(places, () if all(map(_is_number, parts)) else tuple(header))
    alike = tuple(place for place, cell in enumerate(header) if _ALIKE.fullmatch(folded_name(cell)))
    if len(alike) > 1:
        return Columns(alike, tuple(header))
    if is_tsv or not looks_like_header(header, below):
        return None
    if len(header) == 2:
        return Columns((0, 1), tuple(header))
    raise DhyanError(
        f"{file} has the columns {_shown(header)}, and it is not clear which of them mean the same; name them, e.g. "
        f"--columns {name}={'+'.join(header[:2])}."
    )


def plain_names(names: Sequence[str]) -> list[str]:
    """Without what is said of them: ? may lack, [] may be a list, * all columns."""
    return [name.rstrip("*?[]") for name in names]


def well_known(names: Sequence[str], header: Sequence[str], languages: Languages = ("", "")) -> dict[str, int]:
    """The places of the fields that have a well-known name; none for a field that two columns might be."""
    folded = [folded_name(cell) for cell in header]
    found: dict[str, int] = {}
    for name in names:
        for group in _KNOWN.get(name, (folded_name(name),)):
            places = [n for n, cell in enumerate(folded) if cell in group.split() and n not in found.values()]
            if places:
                if len(places) == 1:
                    found[name] = places[0]
                break
    if {"source", "target"} <= set(names):
        found |= _by_language([name for name in ("source", "target") if name not in found], header, languages)
    return found


def looks_like_header(header: Sequence[str], below: Sequence[Sequence[str]], over_other_cells: bool = True) -> bool:
    """Short names, none of which comes again in its column, one of them over a column of numbers or of long texts."""
    folded = [folded_name(cell) for cell in header]
    short = all(len(cell) <= _LONGEST_NAME and cell[-1:] not in tuple(".!?।") for cell in header)
    if not below or not short or len(set(folded)) < len(folded) or not all(folded[1:]):
        return False
    if any(map(_is_decimal, header)):
        return False
    columns = [[row[place] for row in below if place < len(row)] for place in range(len(header))]
    for name, cells in zip(folded, columns, strict=True):
        if any(folded_name(cell) == name for cell in cells if len(cell) <= _LONGEST_NAME):
            return False
    return not over_other_cells or any(
        all(map(_is_decimal, cells)) or median(map(len, cells)) >= max(_LONG_TEXT, 2 * len(name))
        for name, cells in zip(folded, columns, strict=True)
        if name and cells
    )


def _by_language(missing: Sequence[str], header: Sequence[str], languages: Languages) -> dict[str, int]:
    """Columns named by languages: those of the pair; or where it is not known, the source comes first."""
    spoken = {n: code for n, cell in enumerate(header) if (code := _language(cell))}
    wanted = dict(zip(("source", "target"), map(without_country, languages), strict=True))
    by_code = {name: n for name in missing for n, code in spoken.items() if code == wanted[name]}
    if len(by_code) == len(missing) or any(wanted[name] for name in missing) or len(spoken) != len(missing):
        return by_code
    return dict(zip(missing, spoken, strict=True))


def _language(cell: str) -> str:
    """The code of a language that is written as a code or by its name."""
    code = without_country(cell.strip())
    if code in known_codes():
        return "" if code in _NOT_LANGUAGES else code
    return _codes_by_name().get(cell.strip().lower(), "")


@cache
def _codes_by_name() -> dict[str, str]:
    return {language_name(code).lower(): code for code in sorted(known_codes()) if language_name(code) != "unknown"}


def folded_name(cell: str) -> str:
    """A name in small letters without blanks, so that other spellings are the same."""
    return _BLANKS.sub("", cell.strip().casefold())


def _is_number(column: str) -> bool:
    return column.isascii() and column.isdigit() and int(column) > 0


def _number(column: str) -> int:
    return int(column) - 1


def _is_decimal(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _named(file: Path, name: str, column: str, header: Sequence[str]) -> int:
    for same in (str.strip, folded_name):
        for place, cell in enumerate(header):
            if same(cell) == same(column):
                return place
    raise DhyanError(
        f"{file}: {name} is to be read from column '{column}', and the first row has no such name"
        f"{did_you_mean(column, header)}: it has {_shown(header)}; a number will do, too, the first being 1."
    )


def _undecided(
    file: Path, header: Sequence[str], missing: Sequence[str], found: Mapping[str, int], left: Sequence[int]
) -> DhyanError:
    which = (
        f"{file} has the columns {_shown(header)}, and it is not clear which of them is {' and which '.join(missing)}"
    )
    if list(missing) == ["text"] and not found:
        return DhyanError(f"{which}; give the column that is to be read the name 'text'.")
    example = {**found, **dict(zip(missing, left, strict=False))}
    written = ",".join(f"{name}={header[place]}" for name, place in example.items())
    return DhyanError(f"{which}; say it, e.g. --columns {_quoted(written)}.")


def _shown(header: Sequence[str]) -> str:
    cells = [cell if len(cell) <= _LONGEST_NAME else cell[: _LONGEST_NAME - 1] + "…" for cell in header[:20]]
    return ", ".join(f"'{cell}'" for cell in cells) + (", …" if len(header) > 20 else "")


def _quoted(argument: str) -> str:
    return f'"{argument}"' if " " in argument else argument
