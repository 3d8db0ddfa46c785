"""The one way from a route to a model, whatever protocol the route speaks.

A call is let in or refused (admission.py), waits for a thread (workers.py), runs the pipeline there, and is given up
when its client goes away or its time is over.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import Request

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.server.admission import Admission, estimated_tokens
from dhyan.server.http_errors import HttpError, check_terms, check_text, check_texts, check_whole
from dhyan.server.operations.gate import spend_characters
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from dhyan.server.translated_files import TranslatedFiles
from dhyan.server.workers import Workers

if TYPE_CHECKING:  # an engine takes a moment to import, and the page should be there before
    import numpy as np
    from numpy.typing import NDArray

    from dhyan.engines.writer import Piece
    from dhyan.translation.continuations import Continuation
    from dhyan.translation.translated import Translation
    from dhyan.vectors.answers import Labelled

T = TypeVar("T")

_END = object()
_WATCHING = 2  # threads that read trainings: a log may be long, and its folder on a slow disk


class ModelCalls:
    """Every call takes the request, to notice when its client goes away."""

    def __init__(self, packs: ServedPacks, settings: ServerSettings) -> None:
        self.packs, self.settings = packs, settings
        self.admission = Admission(settings.queue_tokens)
        self.workers = Workers("use", settings.max_pipelines)
        self.explain_workers = Workers("explain", settings.explain_workers, settings.explain_queue, background=True)
        self.lab_workers = Workers("lab", 1, settings.lab_queue, background=True)
        self.watch_workers = Workers("watch", _WATCHING, settings.explain_queue, background=True)
        self.file_workers = Workers("file", settings.file_workers, settings.file_queue)
        self.all_workers = (
            self.workers,
            self.explain_workers,
            self.lab_workers,
            self.watch_workers,
            self.file_workers,
        )
        most_bytes = settings.max_kept_files * settings.max_file_bytes
        self.kept_files = TranslatedFiles(settings.max_kept_files, most_bytes, settings.kept_file_seconds)
        packs.expect(lambda: self.workers.running)

    async def translate(
        self,
        request: Request,
        texts: Sequence[str],
        model: str = "",
        *,
        alternatives: int = 0,
        style: str | None = None,
        formality: str | None = None,
        gender: str | None = None,
        contexts: Sequence[str | None] | None = None,
        glossary: Mapping[str, str | None] | None = None,
    ) -> "list[Translation]":
        """A translation of each text. The arguments are those of `Translator`."""
        check_texts(texts, self.settings)
        check_terms(glossary or {}, self.settings)
        spend_characters(request, sum(map(len, texts)))
        if alternatives > self.settings.max_alternatives:
            raise HttpError(400, f"at most {self.settings.max_alternatives} alternatives are given; ask for fewer.")
        served = self.packs.find_for("translate", model)

        def work() -> "list[Translation]":
            translator = self.packs.translator(served.name)
            if formality is not None or gender is not None or glossary:
                translator = translator.with_register(formality or "auto", gender)
            if glossary:
                from dhyan.translation.glossary import Glossary

                translator.glossary = Glossary(glossary)
            return translator.translate(texts, alternatives, style=style, contexts=contexts)

        # Alternatives are searched for apart from the translation, with a wider beam.
        return await self.run(request, work, estimated_tokens(texts, 3 if alternatives else 1))

    async def continuations(
        self,
        request: Request,
        sentence: str,
        prefix: str,
        model: str = "",
        *,
        count: int,
        style: str | None = None,
        formality: str | None = None,
        gender: str | None = None,
    ) -> "Sequence[Continuation]":
        """Other ways to go on behind the first words of a sentence's translation."""
        check_text(sentence, self.settings.max_sentence_characters, "the sentence")
        if len(prefix) > 2 * self.settings.max_sentence_characters:
            raise HttpError(413, "the prefix is longer than a translation of this sentence can be; give less of it.")
        check_whole(prefix, "the prefix")
        spend_characters(request, len(sentence))
        if count > self.settings.max_alternatives:
            raise HttpError(400, f"at most {self.settings.max_alternatives} alternatives are given; ask for fewer.")
        served = self.packs.find_for("translate", model)

        def work() -> "Sequence[Continuation]":
            translator = self.packs.translator(served.name)
            if formality is not None or gender is not None:
                translator = translator.with_register(formality or "auto", gender)
            return translator.continuations(sentence, prefix, count, style)

        return await self.run(request, work, estimated_tokens([sentence], count))

    async def embed(
        self, request: Request, texts: Sequence[str], model: str = "", *, normalize: bool = True
    ) -> "NDArray[np.float32]":
        """(texts, d_model), each of length 1 unless they are not to be normalised."""
        check_texts(texts, self.settings)
        spend_characters(request, sum(map(len, texts)))
        served = self.packs.find_for("embed", model)

        def work() -> "NDArray[np.float32]":
            from dhyan.vectors.embedder import text_vectors

            embedder = self.packs.embedder(served.name)
            return embedder(texts) if normalize else text_vectors(embedder.pack, embedder.engine, texts)

        return await self.run(request, work, estimated_tokens(texts))

    async def classify(
        self, request: Request, texts: Sequence[str] | Sequence[str | list[str]], model: str = ""
    ) -> "list[Labelled]":
        """texts: each a text, or two of them for a pack that reads pairs."""
        read = [text for one in texts for text in ([one] if isinstance(one, str) else one)]
        check_texts(read, self.settings)
        spend_characters(request, sum(map(len, read)))
        served = self.packs.find_for("classify", model)
        return await self.run(
            request, lambda: self.packs.classifier(served.name).classify_checked(texts), estimated_tokens(read)
        )

    async def write(self, request: Request, prompt: str, model: str = "", **settings: Any) -> str:
        """The continuation. settings: those of `Writer`, such as max_length, temperature, seed."""
        check_text(prompt, self.settings.max_characters, "the prompt")
        async with aclosing(self.write_pieces(request, [prompt], model, **settings)) as pieces:
            return "".join([piece.text async for _, piece in pieces])

    async def write_pieces(
        self, request: Request, prompts: Sequence[str], model: str = "", *, seed: int = 0, **settings: Any
    ) -> "AsyncGenerator[tuple[int, Piece]]":
        """Continuations of all prompts, one after the other, as they are written: which prompt, and a piece.

        Each has a seed of its own, counted up from the given one. Who reads no further stops the writing.
        """
        spend_characters(request, sum(map(len, prompts)))
        served = self.packs.find_for("write", model)
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[Any] = asyncio.Queue()

        def work() -> None:
            writer = self.packs.writer(served.name)
            for number, prompt in enumerate(prompts):
                with closing(writer.pieces(prompt, seed=(seed + number) % 2**32, **settings)) as written:
                    for piece in written:
                        stop_if_cancelled()
                        loop.call_soon_threadsafe(pieces.put_nowait, (number, piece))

        tokens = estimated_tokens(prompts) + len(prompts) * int(settings.get("max_length") or 0)
        working = asyncio.ensure_future(self.run(request, work, tokens))
        working.add_done_callback(lambda done: pieces.put_nowait(_END))
        try:
            while (piece := await pieces.get()) is not _END:
                yield piece
            await working  # raises what went wrong
        finally:
            working.cancel()

    async def run(self, request: Request, function: Callable[[], T], tokens: int) -> T:
        """Anything else that uses a model: a function for a thread, and about how many tokens it will read."""
        self.admission.enter(tokens)
        return await self.workers.run(
            request, function, self.settings.request_seconds, lambda: self.admission.leave(tokens)
        )

    async def explain(self, request: Request, function: Callable[[], T]) -> T:
        """What opens a pack up: in few threads of its own, so that translation never waits for it."""
        return await self.explain_workers.run(request, function, self.settings.explain_seconds)

    async def lab(self, request: Request, function: Callable[[], T]) -> T:
        """An experiment with its knobs turned: one at a time."""
        return await self.lab_workers.run(request, function, self.settings.lab_seconds)

    async def watch(self, request: Request, function: Callable[[], T]) -> T:
        """A look into a training's folder, which may take as long as opening a pack up."""
        return await self.watch_workers.run(request, function, self.settings.explain_seconds)

    async def file(self, request: Request, function: Callable[[], T]) -> T:
        """The translation of a whole file: few at a time, and with more time than a text has."""
        return await self.file_workers.run(request, function, self.settings.file_seconds)

    @property
    def in_flight(self) -> int:
        """Calls that are worked on or wait, whatever they are for."""
        return sum(one.in_flight for one in self.all_workers)

    def close(self, seconds: float = 5) -> None:
        """Give up all work, so that the process can end."""
        for one in self.all_workers:
            one.close(seconds)
