"""What a mix can say: which sources, how often, how normalised, which pairs are dropped, what noise is added."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pydantic import Field, field_validator

from dhyan.core.errors import did_you_mean
from dhyan.core.settings import Settings, was
from dhyan.text.languages import known_languages


class NormaliseSettings(Settings):
    """Habits of the sources that a model would imitate, made one."""

    source_language: str = Field("en", description="whose contractions and question words the source has: en or hi")
    full_stop: str | None = Field(None, description="ends a full sentence of the target, such as ।; unset: as it is")
    question_words: list[str] = Field([], description="words of the target that ask; they let a lost ? be put back")
    tidy_spaces: bool = Field(True, description="one space between words, none before punctuation")
    ascii_digits: bool = Field(False, description="write the target's digits as 0 to 9")
    straight_quotes: bool = Field(False, description="write the target's quotation marks as \" and '")
    drop_zero_width: bool = Field(
        False, json_schema_extra=was("drop_joiners"), description="remove zero-width characters from the target"
    )
    replace: dict[str, str] = Field({}, description="misspellings of the target and what to write instead")
    drop_glosses: bool = Field(
        False, description="remove (Latin glosses) from the target that the source does not have"
    )

    @field_validator("source_language")
    @classmethod
    def _is_known(cls, code: str) -> str:
        if code not in known_languages():
            known = ", ".join(known_languages())
            raise ValueError(
                f"there are no rules for '{code}'{did_you_mean(code, known_languages())}, only for {known}"
            )
        return code


class FilterSettings(Settings):
    """Which pairs are dropped."""

    max_words: int = Field(150, ge=1, description="drop a pair with more words than this on a side")
    max_ratio: float = Field(
        2.2, gt=1.0, description="drop a pair whose longer side has more than this many times the characters"
    )
    max_latin: float = Field(0.5, ge=0.0, le=1.0, description="largest share of the target's words in Latin letters")
    max_untranslated: float = Field(
        0.2, ge=0.0, le=1.0, description="largest share of the target's words that are lower-case words of the source"
    )
    max_mean_word_length: float = Field(
        12.0,
        gt=1.0,
        json_schema_extra=was("max_word_length"),
        description="mean letters per word; more: words run together",
    )
    drop_markup: bool = Field(True, description="drop a pair with tags, placeholders, addresses or code")
    match_numbers: bool = Field(True, description="drop a pair whose numbers differ")
    match_questions: bool = Field(True, description="drop a pair of which one side only asks")
    match_quotes: bool = Field(True, description="drop a pair whose target lost the quotation marks")
    max_same_source: int = Field(
        3,
        ge=1,
        json_schema_extra=was("same_source"),
        description="most rows with the same source but for case, digits and punctuation",
    )
    max_same_target: int = Field(
        4,
        ge=1,
        json_schema_extra=was("same_target"),
        description="most rows with the same target but for case, digits and punctuation",
    )


class NoiseSettings(Settings):
    """Shares of the rows that get a second copy whose source is typed carelessly; the target stays."""

    uppercase: float = Field(0.0, ge=0.0, le=1.0, json_schema_extra=was("upper"), description="ALL CAPITALS")
    lowercase: float = Field(0.0, ge=0.0, le=1.0, json_schema_extra=was("lower"), description="all lower case")
    lowercase_unpunctuated: float = Field(
        0.0, ge=0.0, le=1.0, json_schema_extra=was("bare"), description="all lower case without the final mark"
    )
    no_full_stop: float = Field(
        0.0, ge=0.0, le=1.0, json_schema_extra=was("no_stop"), description="without the final full stop"
    )
    title_case: float = Field(
        0.0, ge=0.0, le=1.0, json_schema_extra=was("title"), description="Capitals At The Start Of Words"
    )
    no_apostrophes: float = Field(
        0.0,
        ge=0.0,
        le=1.0,
        json_schema_extra=was("hasty"),
        description="sources with apostrophes: lower case without them, i cant come",
    )
    abbreviated: float = Field(
        0.0,
        ge=0.0,
        le=1.0,
        json_schema_extra=was("short"),
        description="sources with words of `abbreviations`: can u help me pls",
    )
    abbreviations: dict[str, str] = Field(
        {},
        json_schema_extra=was("short_forms"),
        description='words and phrases as people shorten them, without apostrophes: you = "u"',
    )
    min_words: int = Field(3, ge=1, json_schema_extra=was("least_words"), description="shorter sources get no noise")


class GroupSettings(Settings):
    """Sources that are treated alike."""

    sources: list[str] = Field(min_length=1, description="names of sources, or patterns such as ms-*")
    repeat: float = Field(1.0, ge=0.0, le=1000, description="2 writes every row twice, 0.5 a fixed half of them")
    max_rows: int | None = Field(
        None, ge=1, json_schema_extra=was("most"), description="most rows, before they are repeated"
    )
    drop: bool = Field(False, description="leave these sources out")
    trusted: bool = Field(False, description="careful work: [filter] drops nothing here but empty rows")
    noise: float = Field(
        0.0, ge=0.0, json_schema_extra=was("vary"), description="times the shares of [noise]; 0 adds none"
    )
    min_words: int = Field(
        1, ge=1, json_schema_extra=was("least_words"), description="drop rows with fewer words in the source"
    )
    min_length_ratio: float = Field(
        0.0,
        ge=0.0,
        json_schema_extra=was("least_ratio"),
        description="words of the target per word of the source: drop longer rows that have fewer",
    )
    min_score: float | None = Field(
        None, json_schema_extra=was("least_score"), description="drop rows whose 4th column is a number below this"
    )
    full_sentences: bool = Field(
        False,
        json_schema_extra=was("sentences"),
        description="every row is a full sentence: its target gets a final mark",
    )
    drop_containing: list[str] = Field(
        [], json_schema_extra=was("without"), description="drop rows whose source contains one of these"
    )
    target_ends_with: str | None = Field(
        None,
        json_schema_extra=was("target_ends"),
        description="keep only rows whose target, as read, ends with one of these characters",
    )
    names_only: bool = Field(False, description="drop common words, write the source with a capital")
    drop_accelerators: bool = Field(
        False,
        json_schema_extra=was("accelerators"),
        description="remove the marks of keyboard shortcuts (_File, ~File) from menu texts",
    )
    max_same_source: int | None = Field(
        None, ge=1, json_schema_extra=was("alike"), description="overrides filter.max_same_source for this group"
    )
    style_tag: str = Field(
        "",
        json_schema_extra=was("tag"),
        description="token before every source that marks the translation style of this group, such as ①",
    )

    @field_validator("sources")
    @classmethod
    def _no_blank(cls, sources: list[str]) -> list[str]:
        if not all(re.sub(r"\s", "", source) for source in sources):
            raise ValueError("a source's name is empty")
        return sources


@dataclass(frozen=True)
class Mix:
    """A mix as its file says it; the groups in the order of the file, the earlier one winning a source."""

    groups: dict[str, GroupSettings]
    normalise: NormaliseSettings
    filter: FilterSettings
    noise: NoiseSettings

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
