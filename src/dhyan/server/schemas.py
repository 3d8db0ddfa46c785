"""What goes over the wire, as pydantic models: they check what comes in and describe everything in OpenAPI."""

from typing import Any

from pydantic import BaseModel, Field

# -- asked -----------------------------------------------------------------------------------------------------


class ToTranslate(BaseModel):
    text: str
    model: str = Field("", description="a served pack; the first translator if empty")
    alternatives: int = Field(0, ge=0, le=8, description="other ways to say it")


class ToAlign(BaseModel):
    source: str
    target: str
    model: str = ""


class Texts(BaseModel):
    texts: list[str]
    model: str = ""


class ToCompare(BaseModel):
    text: str
    among: list[str]
    model: str = ""


class ToWrite(BaseModel):
    prompt: str
    model: str = ""
    max_length: int = Field(60, ge=1, le=500)
    temperature: float | None = Field(None, gt=0, le=100, description="unset, as the next two: the pack's own")
    top_k: int | None = Field(None, ge=0)
    top_p: float | None = Field(None, gt=0, le=1)
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
    beam: int
    temperature: float
    top_k: int
    top_p: float
    licence: str


class Models(BaseModel):
    models: list[ModelInfo]
    version: str
    how_to_get: dict[str, str] = Field(description="task → what to do where no pack for it is served")
    most_characters: int
    dev_pairs: int = Field(description="pairs of --dev that head switches are tried on; 0 for none")


class AlternativeText(BaseModel):
    text: str
    score: float


class Translated(BaseModel):
    model: str
    text: str
    notes: list[str]
    alternatives: list[AlternativeText]
    seconds: float


class Aligned(BaseModel):
    source: list[str]
    target: list[str]
    weights: list[list[float]] = Field(description="(target words, source words)")
    links: list[tuple[int, int]] = Field(description="(source word, target word)")


class Vectors(BaseModel):
    vectors: list[list[float]] = Field(description="one a text, each of length 1")


class Similar(BaseModel):
    text: str
    cosine: float


class LabelledText(BaseModel):
    label: str
    probabilities: dict[str, float]


class Written(BaseModel):
    text: str


class TokenInfo(BaseModel):
    id: int
    piece: str
    text: str
    word: int
    special: bool


class WordInfo(BaseModel):
    text: str
    start: int
    end: int
    special: bool


class TokensInfo(BaseModel):
    tokens: list[TokenInfo]
    words: list[WordInfo]


class GuessInfo(BaseModel):
    id: int
    text: str
    probability: float
    address: str


class StepInfo(BaseModel):
    step: int
    row: int
    chosen: GuessInfo
    log_probability: float
    forced: bool
    guesses: list[GuessInfo]


class ChangeInfo(BaseModel):
    before: str
    after: str
    words: list[tuple[str, str]] = Field(description="(same | gone | new, word)")
    labels: list[str]
    log_probability: list[float]
    total: float
    score: float
    cosine: float | None


class AttentionInfo(BaseModel):
    part: str
    shape: list[int] = Field(description="(heads, queries, keys)")


class Explained(BaseModel):
    pack: str
    asked: str
    text: str
    beam: int | None = None
    score: float | None = None
    heads_off: list[str]
    force: list[tuple[int, int]]
    source: TokensInfo
    target: TokensInfo | None = None
    predicted: TokensInfo | None = None
    first_row: int | None = None
    steps: list[StepInfo] = []
    labels: dict[str, float] = {}
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
    agreement: float
    ranking: list[tuple[str, float]]
    source: list[str]
    target: list[str]
    weights: list[list[float]] = Field(description="(target words, source words), through the head")
    occlusion: list[list[float]] = Field(description="Δ log-probability of a target word, a source word hidden")
    links: list[tuple[int, int]]
    said: str


class TraitsInfo(BaseModel):
    itself: float | None
    previous: float | None
    next: float | None
    broad: float
    aligns: float | None
    matters: float


class GlimpseInfo(BaseModel):
    layer: str
    guesses: list[GuessInfo]
    chosen: GuessInfo
    rank: int


class PlaceInfo(BaseModel):
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
    map: list[PlaceInfo]


class HiddenInfo(BaseModel):
    labels: dict[str, float]
    cosine: float


class CodeInfo(BaseModel):
    file: str
    line: int
    text: str


class DevInfo(BaseModel):
    pairs: int
    tokens: int
    before: float = Field(description="mean log-probability a token of the reference translations, all heads on")
    after: float
