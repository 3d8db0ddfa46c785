"""What goes over the wire: what comes in, and what is answered where that is not already a record of its own.

A record that can be sent as it is (a decoder's `Step`, a head's `HeadStats`) is sent as it is.
"""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, model_validator

from dhyan.core.label_kind import LabelKind
from dhyan.explain.beam_trace import Step
from dhyan.explain.token_view import Word
from dhyan.translation.register import Formality, Gender


def _plain(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else values


Row = Annotated[list[float], BeforeValidator(_plain)]
Matrix = Annotated[list[list[float]], BeforeValidator(_plain)]

Term = Annotated[str, StringConstraints(max_length=200)]  # of a glossary: longer ones take too long to look for

# -- asked -----------------------------------------------------------------------------------------------------


class TranslateRequest(BaseModel):
    text: str | None = None
    texts: list[str] | None = Field(None, description="many at once, in place of `text`")
    model: str = Field("", description="a served pack; the first translator if empty")
    alternatives: int = Field(0, ge=0, le=32, description="other ways to say each")
    style: Literal["ui"] | None = Field(None, description="ui: labels and messages of programs")
    formality: Formality | None = Field(None, description="how the reader is addressed")
    gender: Gender | None = Field(None, description="of the speaker")
    glossary: dict[Term, Term | None] = Field(
        {}, description="terms of your own: each with its translation, or with null to stay as it is"
    )
    roman: bool = Field(False, description="for `text`: what is in Devanagari in Latin letters, too")

    @model_validator(mode="after")
    def _text_or_texts(self) -> Self:
        if (self.text is None) == (self.texts is None):
            raise ValueError("give `text`, or `texts`")
        return self


class ContinueRequest(BaseModel):
    text: str = Field(description="a sentence")
    prefix: str = Field("", description="how its translation begins; the words that may follow are wanted")
    model: str = ""
    count: int = Field(5, ge=1, le=32)
    style: Literal["ui"] | None = None
    formality: Formality | None = None
    gender: Gender | None = None


class AlignRequest(BaseModel):
    source: str
    target: str
    model: str = ""


class TextsRequest(BaseModel):
    texts: list[str]
    model: str = ""


class ClassifyRequest(BaseModel):
    texts: list[str | list[str]] = Field(description="texts; or pairs of texts, for a pack that reads pairs")
    model: str = ""


class SimilarRequest(BaseModel):
    text: str
    among: list[str]
    model: str = ""


class WriteRequest(BaseModel):
    prompt: str
    model: str = ""
    max_length: int = Field(60, ge=1, le=500)
    temperature: float | None = Field(None, gt=0, le=100, description="unset, as the next two: the pack's own")
    top_k: int | None = Field(None, ge=0)
    top_p: float | None = Field(None, ge=1e-6, le=1)
    seed: int = Field(0, ge=0, lt=2**32)
    sample: bool = True


# -- answered --------------------------------------------------------------------------------------------------


class Problem(BaseModel):
    error: str = Field(description="what is wrong and what to do, in one sentence")


class ModelInfo(BaseModel):
    name: str
    task: str
    shape: str
    about: str
    architecture: dict[str, Any]
    d_head: int
    labels: list[str]
    label_kind: LabelKind = Field(description="what a classifier says: one label, several, or a number")
    reads_pairs: bool = Field(description="whether a text is two texts")
    beam: int
    temperature: float
    top_k: int
    top_p: float
    licence: str
    languages: tuple[str, str] | None = Field(description="codes of a translator's source and target, where known")


class ModelList(BaseModel):
    models: list[ModelInfo]
    version: str
    how_to_get: dict[str, str] = Field(description="task → what to do where no pack for it is served")
    most_characters: int
    most_alternatives: int
    most_file_bytes: int
    file_suffixes: list[str] = Field(description="of documents that can be translated")
    dev_pairs: int = Field(description="pairs of --dev that head switches are tried on; 0 for none")
    explain: bool = Field(description="whether the caller may look inside")
    labs: bool = Field(description="whether the caller may run experiments")
    trainings: int = Field(description="trainings that the caller may watch; 0 for none")


class AlternativeText(BaseModel, from_attributes=True):  # an engine's records: importing one would start it
    text: str
    score: float = Field(description="log-probability per token; nearer to 0 is surer")


class SentenceText(BaseModel, from_attributes=True):
    source: str
    text: str
    notes: list[str]
    confidence: float = Field(description="0 to 1: the chance that it is close to a human translation")
    roman: str | None = Field(None, description="`text` in Latin letters, if asked for and in Devanagari")


class TranslatedText(BaseModel, from_attributes=True):
    text: str
    notes: list[str] = Field(description="what may be wrong, and what was done")
    confidence: float = Field(description="the least of its sentences")
    sentences: list[SentenceText]
    alternatives: list[AlternativeText]


class LanguageGuess(BaseModel, from_attributes=True):
    language: str = Field(description="its code; hi-Latn for Hindi in Latin letters, und where too little tells")
    name: str
    confidence: float


class Translated(TranslatedText):
    model: str
    seconds: float
    detected: LanguageGuess = Field(description="the language that the source looks like")
    roman: str | None = Field(None, description="the translation in Latin letters, if asked for and in Devanagari")
    source_roman: str | None = Field(None, description="the source, likewise")


class ContinuedText(BaseModel, from_attributes=True):
    word: str = Field(description="the word that follows the prefix")
    text: str = Field(description="the whole sentence")
    score: float = Field(description="log-probability per token; nearer to 0 is surer")
    notes: list[str]
    confidence: float
    roman: str | None = Field(None, description="`text` in Latin letters, if it is in Devanagari")


class TranslatedTexts(BaseModel):
    translations: list[TranslatedText] = Field(description="one per text, in their order")
    model: str
    seconds: float


class Aligned(BaseModel, from_attributes=True):
    source: list[str]
    target: list[str]
    weights: Matrix = Field(description="(target words, source words)")
    links: list[tuple[int, int]] = Field(description="(source word, target word)")


class Vectors(BaseModel):
    vectors: list[list[float]] = Field(description="one per text, each of length 1")


class Similar(BaseModel):
    text: str
    cosine: float


class LabelledText(BaseModel, from_attributes=True):
    label: str
    probabilities: dict[str, float]


class SeveralLabelsText(BaseModel, from_attributes=True):
    labels: list[str] = Field(description="those that hold, the most probable first; there may be none")
    probabilities: dict[str, float] = Field(description="of each label by itself")


class NumberText(BaseModel, from_attributes=True):
    value: float


Answers = list[LabelledText] | list[SeveralLabelsText] | list[NumberText]


class Written(BaseModel):
    text: str


class TokenInfo(BaseModel, from_attributes=True):
    id: int
    piece: str
    text: str
    word: int
    special: bool


class TokensInfo(BaseModel, from_attributes=True):
    tokens: list[TokenInfo]
    words: list[Word]


class ChangeInfo(BaseModel, from_attributes=True):
    before: str
    after: str
    words: list[tuple[str, str]] = Field(description="(same | gone | new, word)")
    labels: list[str]
    log_probability: Row
    total: float
    score: float
    cosine: float | None


class AttentionInfo(BaseModel):
    part: str
    shape: list[int] = Field(description="(heads, queries, keys)")


class WordsHeadInfo(BaseModel):
    words: list[str] = Field(description="that the words head knows of the text: the rows of `cls.words.parts`")
    rows: list[int] = Field(description="where each stands in `cls.words.W`")


class Explained(BaseModel):
    pack: str
    asked: str
    spelt_out: str = Field(description="what `translate` would give the model: without the short forms of messages")
    text: str
    beam: int | None = None
    score: float | None = None
    heads_off: list[str]
    force: list[tuple[int, int]]
    hide: list[int] = Field(description="words of the text that are hidden, by number")
    set: list[str] = Field(description="numbers that were set by hand, such as `enc.2.output[3] = 0`")
    source: TokensInfo
    target: TokensInfo | None = None
    predicted: TokensInfo | None = None
    first_row: int | None = None
    steps: list[Step] = []
    labels: dict[str, float] = {}
    words_head: WordsHeadInfo | None = None
    change: ChangeInfo | None = None
    attention: list[AttentionInfo] = Field(description="the order in which /api/attention sends the weights")
    addresses: dict[str, list[int]]
    seconds: float


class CandidateInfo(BaseModel):
    step: int
    rank: int
    parent: int | None
    id: int
    piece: str
    text: str
    log_probability: float
    score: float
    fate: str
    why: str


class ResultInfo(BaseModel):
    text: str
    score: float
    total: float
    why: str
    steps: list[tuple[int, int]] = Field(description="(step, id) of every token: what to force to follow it")


class BeamInfo(BaseModel):
    beam: int
    length_penalty: float
    length_offset: int
    prefix: int = Field(description="tokens that were given, not searched for")
    steps: list[list[CandidateInfo]]
    results: list[ResultInfo]


class AlignmentInfo(BaseModel):
    head: str
    agreement: float | None = Field(description="with occlusion; none where that was not asked for")
    ranking: list[tuple[str, float]]
    source: list[str]
    target: list[str]
    weights: Matrix = Field(description="(target words, source words), through the head")
    occlusion: Matrix = Field(description="Δ log-probability of a target word, a source word hidden")
    links: list[tuple[int, int]]
    said: str


class OcclusionInfo(BaseModel):
    first: int
    words: int = Field(description="of the text, special ones not counted")
    change: Matrix = Field(description="columns `first` and following of the address `occlusion`")


class MapPoint(BaseModel):
    sentence: int
    word: str
    x: float
    y: float
    asked: bool


class ContextsInfo(BaseModel):
    word: str
    stages: list[str]
    cosines: list[float]
    moved_by: list[list[tuple[str, float]]] = Field(description="sentence by sentence: other word, 1 − cosine")
    static: list[tuple[str, float]] = Field(description="nearest pieces of the static embedding")
    contextual: list[list[tuple[str, float]]] = Field(description="nearest pieces in each sentence")
    map: list[MapPoint]


class HiddenInfo(BaseModel):
    labels: dict[str, float]
    cosine: float


class Notation(BaseModel):
    formulas: dict[str, Any] = Field(description="id → symbols: strings, and [kind, *symbols]")
    per_head: list[str] = Field(description="arrays whose first axis is the head")
    never_written: list[int] = Field(
        description="ids that no pack of Dhyan's own writes; each model's are in `architecture.special`"
    )


class DevInfo(BaseModel):
    pairs: int
    tokens: int
    before: float = Field(description="mean log-probability per token of the reference translations, all heads on")
    after: float
