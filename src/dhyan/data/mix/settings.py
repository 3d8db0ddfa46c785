"""What a mix can say: which sources, how often, put right how, left out why, varied how much."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pydantic import Field, field_validator

from dhyan.core.settings import Settings


class NormaliseSettings(Settings):
    """Habits of the sources that a model would imitate, made one."""

    full_stop: str | None = Field(None, description="ends a full sentence of the target, such as ।; unset: as it is")
    question_words: list[str] = Field([], description="words of the target that ask; they let a lost ? be put back")
    tidy_spaces: bool = Field(True, description="one space between words, none before punctuation")
    ascii_digits: bool = Field(False, description="write the target's digits as 0 to 9")
    straight_quotes: bool = Field(False, description="write the target's quotation marks as \" and '")
    drop_joiners: bool = Field(False, description="take zero-width characters out of the target")
    replace: dict[str, str] = Field({}, description="misspellings of the target and what to write instead")
    drop_glosses: bool = Field(False, description="take (Latin glosses) out of the target that the source has not")


class FilterSettings(Settings):
    """Which pairs are left out."""

    max_words: int = Field(150, ge=1, description="drop a pair with more words than this on a side")
    max_ratio: float = Field(2.2, gt=1.0, description="drop a longer pair with a side this many times the other")
    max_latin: float = Field(0.5, ge=0.0, le=1.0, description="share of the target's words in Latin letters")
    max_untranslated: float = Field(
        0.2, ge=0.0, le=1.0, description="share of the target's words that are small-letter words of the source"
    )
    max_word_length: float = Field(12.0, gt=1.0, description="mean letters a word; more: words are run together")
    drop_markup: bool = Field(True, description="drop a pair with tags, placeholders, addresses or code")
    match_numbers: bool = Field(True, description="drop a pair whose numbers differ")
    match_questions: bool = Field(True, description="drop a pair of which one side only asks")
    match_quotes: bool = Field(True, description="drop a pair whose target lost the quotation marks")
    same_source: int = Field(3, ge=1, description="rows with the same source but for case, digits and punctuation")
    same_target: int = Field(4, ge=1, description="rows with the same target but for case, digits and punctuation")


class VariantSettings(Settings):
    """Shares of the rows that get a second copy whose source is written carelessly; the target stays."""

    upper: float = Field(0.0, ge=0.0, le=1.0, description="ALL CAPITALS")
    lower: float = Field(0.0, ge=0.0, le=1.0, description="all small letters")
    bare: float = Field(0.0, ge=0.0, le=1.0, description="all small letters without the final mark")
    no_stop: float = Field(0.0, ge=0.0, le=1.0, description="without the final full stop")
    title: float = Field(0.0, ge=0.0, le=1.0, description="Capitals At The Start Of Words")
    hasty: float = Field(0.0, ge=0.0, le=1.0, description="where there are apostrophes: i cant come, as bare as that")
    short: float = Field(0.0, ge=0.0, le=1.0, description="where there are words to shorten: can u help me pls")
    short_forms: dict[str, str] = Field({}, description='words to shorten, without apostrophes: you = "u"')
    least_words: int = Field(3, ge=1, description="shorter sources are not varied")


class GroupSettings(Settings):
    """Sources that are treated alike."""

    sources: list[str] = Field(min_length=1, description="names of sources, or patterns such as ms-*")
    repeat: float = Field(1.0, ge=0.0, description="2 writes every row twice, 0.5 a fixed half of them")
    most: int | None = Field(None, ge=1, description="no more rows than this, before they are repeated")
    drop: bool = Field(False, description="leave these sources out")
    trusted: bool = Field(False, description="careful work: [filter] drops nothing here but empty rows")
    vary: float = Field(0.0, ge=0.0, description="times the shares of [variants]; 0 varies nothing")
    least_words: int = Field(1, ge=1, description="drop rows with fewer words in the source")
    least_ratio: float = Field(
        0.0, ge=0.0, description="of words, target to source: drop longer rows that are terser"
    )
    least_score: float | None = Field(None, description="drop rows whose 4th column is a number below this")
    sentences: bool = Field(False, description="every row is a full sentence: its target gets a final mark")
    without: list[str] = Field([], description="drop rows whose source has one of these in it")
    target_ends: str | None = Field(None, description="keep only rows whose target, as read, ends with one of these")
    names_only: bool = Field(False, description="drop common words, write the source with a capital")
    accelerators: bool = Field(False, description="take the marks of shortcuts (_File, ~File) out of menu texts")
    alike: int | None = Field(None, ge=1, description="another same_source for these sources")
    tag: str = Field("", description="a sign before every source, such as ①: whose hand wrote the target")

    @field_validator("sources")
    @classmethod
    def _no_blank(cls, sources: list[str]) -> list[str]:
        if not all(re.sub(r"\s", "", source) for source in sources):
            raise ValueError("a source's name is empty")
        return sources


@dataclass(frozen=True)
class Mix:
    """A mix as its file tells it; the groups in the order of the file, the earlier one winning a source."""

    groups: dict[str, GroupSettings]
    normalise: NormaliseSettings
    filter: FilterSettings
    variants: VariantSettings

    def group_of(self, source: str) -> str | None:
        """The first group that names this source; None when none does."""
        for name, group in self.groups.items():
            if any(fnmatchcase(source, pattern) for pattern in group.sources):
                return name
        return None

    def unmatched(self, sources: set[str]) -> list[str]:
        """The names and patterns that fit none of these sources, as `group: pattern`."""
        return [
            f"{name}: {pattern}"
            for name, group in self.groups.items()
            for pattern in group.sources
            if not any(fnmatchcase(source, pattern) for source in sources)
        ]
