"""The API of text-embeddings-inference: vectors, labels and cosines, as its clients ask for them.

That server has one model; here the first pack for a task answers, or the one that `model` names.
"""

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from dhyan._version import __version__
from dhyan.pack.manifest import Task
from dhyan.server.admission import estimated_tokens
from dhyan.server.error_shapes import SHAPES
from dhyan.server.http_errors import HttpError, check_texts
from dhyan.server.model_calls import ModelCalls
from dhyan.server.served_packs import ServedPack, how_to_get
from dhyan.server.settings import ServerSettings

PATHS = (
    "/", "/embed", "/embed_all", "/embed_sparse", "/predict", "/similarity", "/rerank",
    "/tokenize", "/decode", "/info",
)  # fmt: skip
NOT_SERVED = {
    "/rerank": "no pack reads a query and a text together: compare their vectors with POST /similarity.",
    "/embed_all": "vectors of single tokens are not given: use POST /embed for one vector per text.",
    "/embed_sparse": "no pack makes sparse vectors: use POST /embed.",
}


class EmbedRequest(BaseModel):
    inputs: str | list[Any] = Field(description="a text, or several")
    normalize: bool = Field(True, description="vectors of length 1")
    truncate: bool | None = Field(None, description="a long text is always read whole")
    prompt_name: str | None = Field(None, description="refused: packs have no prompts")
    dimensions: int | None = Field(None, description="refused, unless it is the size that the vectors have")
    model: str = Field("", description="a served pack; the first that embeds if empty")


class PredictRequest(BaseModel):
    inputs: str | list[Any] = Field(description="a text; or several, each as it is or in a list of its own")
    raw_scores: bool = Field(False, description="refused: probabilities are given")
    model: str = ""


class Sentences(BaseModel):
    source_sentence: str
    sentences: list[str]


class SimilarityRequest(BaseModel):
    inputs: Sentences
    model: str = ""


class TokenizeRequest(BaseModel):
    inputs: str | list[Any]
    add_special_tokens: bool = True
    model: str = ""


class DecodeRequest(BaseModel):
    ids: list[int] | list[list[int]]
    model: str = ""


class Prediction(BaseModel):
    score: float
    label: str


class TokenOfText(BaseModel):
    id: int
    text: str
    special: bool
    start: int | None
    stop: int | None


def tei_shape(status: int, sentence: str) -> dict[str, Any]:
    kinds = {400: "Empty", 401: "Unauthorized", 403: "Unauthorized", 429: "Overloaded", 503: "Overloaded"}
    return {
        "error": sentence,
        "error_type": kinds.get(status, "Backend" if status in (424, 500, 504) else "Validation"),
    }


SHAPES.update(dict.fromkeys(PATHS, tei_shape))


def tei_routes(calls: ModelCalls, settings: ServerSettings) -> APIRouter:
    routes = APIRouter(tags=["text-embeddings-inference"])

    @routes.post("/embed")
    @routes.post("/", include_in_schema=False)  # where clients ask that know the server's address alone
    async def embed(request: Request, asked: EmbedRequest) -> list[list[float]]:
        """A vector for each text; a list of them for a single text too."""
        served = _served(calls, "embed", asked.model)
        size = served.pack.manifest.architecture.d_model
        if asked.dimensions not in (None, size):
            raise HttpError(422, f"the vectors of '{served.name}' have {size} numbers: leave `dimensions` out.")
        if asked.prompt_name is not None:
            raise HttpError(422, f"'{served.name}' has no prompts: leave `prompt_name` out.")
        texts = _texts(asked.inputs, settings)
        found = await calls.embed(request, texts, served.name, normalize=asked.normalize)
        vectors: list[list[float]] = found.tolist()
        return vectors

    @routes.post("/predict")
    async def predict(request: Request, asked: PredictRequest) -> list[Prediction] | list[list[Prediction]]:
        """All labels, the most probable first; a list of lists for a list."""
        served = _served(calls, "classify", asked.model)
        manifest = served.pack.manifest
        if manifest.reads_pairs or manifest.label_kind == "number":
            what = "reads pairs of texts" if manifest.reads_pairs else "says numbers"
            raise HttpError(422, f"'{served.name}' {what}: ask POST /api/v1/classify.")
        if asked.raw_scores:
            raise HttpError(422, "probabilities are given, no raw scores: leave `raw_scores` out.")
        texts = _texts(_without_own_lists(asked.inputs), settings)
        found = [
            [Prediction(score=score, label=label) for label, score in one.probabilities.items()]
            for one in await calls.classify(request, texts, served.name)
        ]
        return found[0] if isinstance(asked.inputs, str) else found

    @routes.post("/similarity")
    async def compare(request: Request, asked: SimilarityRequest) -> list[float]:
        """The cosine of each sentence's vector with that of the source sentence."""
        served = _served(calls, "embed", asked.model)
        if not asked.inputs.sentences:
            raise HttpError(400, "`inputs.sentences` is empty: give sentences to compare with.")
        vectors = await calls.embed(request, [asked.inputs.source_sentence, *asked.inputs.sentences], served.name)
        cosines: list[float] = (vectors[1:] @ vectors[0]).tolist()
        return cosines

    @routes.post("/tokenize")
    async def tokenize(request: Request, asked: TokenizeRequest) -> list[list[TokenOfText]]:
        """The tokens that the encoder sees, and where each stands in the text as the tokenizer normalises it."""
        served = _served(calls, "embed", asked.model)
        texts = _texts(asked.inputs, settings)

        def work() -> list[list[TokenOfText]]:
            return [_tokens(served, text, asked.add_special_tokens) for text in texts]

        return await calls.run(request, work, estimated_tokens(texts))

    @routes.post("/decode")
    def decode(asked: DecodeRequest) -> list[str]:
        """The texts of ids; those of special tokens are skipped."""
        tokenizer = _served(calls, "embed", asked.model).pack.tokenizer
        batch = [row for row in asked.ids if isinstance(row, list)]
        batch = batch or [[number for number in asked.ids if isinstance(number, int)]]
        if not all(0 <= number < tokenizer.size for row in batch for number in row):
            raise HttpError(422, f"ids go from 0 to {tokenizer.size - 1}.")
        return tokenizer.decode_batch(batch)

    @routes.get("/info")
    def info() -> dict[str, Any]:
        served = next(iter(calls.packs.able("embed")), None) or calls.packs.find()
        classes = {str(number): label for number, label in enumerate(served.pack.manifest.labels)}
        labels = {"id2label": classes, "label2id": {label: int(number) for number, label in classes.items()}}
        return {
            "model_id": served.name,
            "model_sha": None,
            "model_dtype": "int8",
            "model_type": {"classifier": labels} if classes else {"embedding": {"pooling": "mean"}},
            "max_concurrent_requests": settings.max_pipelines,
            "max_input_length": served.pack.manifest.architecture.max_positions,
            "max_batch_tokens": settings.batch_tokens,
            "max_client_batch_size": settings.max_texts,
            "auto_truncate": False,
            "version": __version__,
        }

    for path, why in NOT_SERVED.items():
        routes.post(path, include_in_schema=False)(_refusal(f"POST {path} is not served: {why}"))
    return routes


def _refusal(sentence: str) -> Any:
    def refuse() -> None:
        raise HttpError(424, sentence)

    return refuse


def _served(calls: ModelCalls, task: Task, name: str) -> ServedPack:
    if not name and not calls.packs.able(task):
        raise HttpError(424, how_to_get(task))
    return calls.packs.find_for(task, name)


def _without_own_lists(inputs: str | list[Any]) -> str | list[Any]:
    """Texts of a batch may each stand in a list; two in one list are a pair."""
    if isinstance(inputs, str):
        return inputs
    lists = [one if isinstance(one, list) else [one] for one in inputs]
    if any(len(one) != 1 for one in lists):
        raise HttpError(422, "packs label single texts, no pairs: give each text of `inputs` alone.")
    return [one[0] for one in lists]


def _texts(inputs: str | list[Any], settings: ServerSettings) -> list[str]:
    texts = [inputs] if isinstance(inputs, str) else inputs
    if not all(isinstance(text, str) for text in texts):
        raise HttpError(422, "`inputs` is a text or a list of texts; token ids are not taken.")
    check_texts(texts, settings)
    return texts


def _tokens(served: ServedPack, text: str, with_special: bool) -> list[TokenOfText]:
    tokenizer = served.pack.tokenizer
    tokens = [
        TokenOfText(id=number, text=tokenizer.piece(number), special=False, start=start, stop=stop)
        for number, (start, stop) in zip(tokenizer.encode(text), tokenizer.spans(text), strict=True)
    ]
    special = served.pack.manifest.architecture.special
    before, behind = (
        [TokenOfText(id=number, text=tokenizer.piece(number), special=True, start=None, stop=None) for number in ids]
        for ids in (special.source_prefix, special.source_suffix)
    )
    return [*before, *tokens, *behind] if with_special else tokens
