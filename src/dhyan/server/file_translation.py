"""A file that a client sends → the same file in another language, through whatever reads its format."""

import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.core.errors import DhyanError
from dhyan.documents.formats import FORMATS, Format, known_format, open_document
from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import Report, translate_file
from dhyan.documents.units import Text
from dhyan.server.admission import estimated_tokens
from dhyan.server.http_errors import HttpError
from dhyan.server.language_pairs import LanguagePairs
from dhyan.server.model_calls import ModelCalls
from dhyan.server.request_fields import UploadedFile
from dhyan.server.routed_translation import NoPack
from dhyan.server.translated_files import safe_name

if TYPE_CHECKING:
    from dhyan.translation.translated import Translation

TextsDone = Callable[[int, int], None]

_BATCH_TEXTS = 64  # few, so that other requests get their turn
_PATIENCE = 0.2  # seconds between two tries to be let in
_SAMPLE = 5_000  # characters that tell the language
_MOST_TIMES_PACKED = 30  # how much larger than the limit a zipped file may be once it is unpacked


def file_suffixes() -> list[str]:
    """Of all files that can be translated here."""
    there = [one for one in FORMATS.values() if one.name != "pdf" or find_spec("pypdf") is not None]
    return sorted(
        f".{suffix}" for one in there for suffix in (one.name, *one.other_suffixes) if one.name != "android"
    )


@dataclass(frozen=True)
class TranslatedDocument:
    """What came of a file: the key that it is fetched by, its name, its texts, and how many call for a look."""

    key: str
    name: str
    texts: int
    noted: int
    failed: int
    remarks: list[str]


@dataclass(frozen=True, slots=True)
class _Contents:
    texts: int
    sample: str  # the first of them


class UnknownFormat(HttpError):
    """A file of which nobody here knows the format."""

    def __init__(self, suffix: str) -> None:
        super().__init__(
            400, f"a file of this kind ({suffix or 'no suffix'}) cannot be translated; send another one."
        )


class FileTranslation:
    def __init__(self, calls: ModelCalls, pairs: LanguagePairs) -> None:
        self._calls, self._pairs, self.kept = calls, pairs, calls.kept_files

    def check_taken(self) -> None:
        if not self._calls.settings.takes_files:
            raise HttpError(403, "files are not translated by this server; send their texts.")

    def translate(self, file: UploadedFile, source: str | None, target: str, formality: str | None = None) -> str:
        """Runs in a thread. source: None, to find out. The key and the name under which the result can be fetched."""
        with self._opened(file) as (path, format):
            return self._translated(path, format, source, target, formality)

    def translate_by(self, file: UploadedFile, pack: str, progress: TextsDone) -> "TranslatedDocument":
        """The same by a pack of the caller's choice; progress: told how many texts are done, and of how many."""
        languages = self._calls.packs.find_for("translate", pack).languages
        source, target = languages or (None, None)
        with self._opened(file) as (path, format):
            texts = self._checked(path, format).texts
            progress(0, texts)
            result = _result_path(path, format, target or "translated")
            translator = _Translator(self._calls, pack, None, lambda done: progress(min(done, texts), texts))
            report = self._written(path, result, translator, source, target)
            noted = sum(bool(line.notes) for line in report.lines)
            key = self.kept.keep(result, result.name)
            return TranslatedDocument(key, result.name, report.texts, noted, len(report.failed), report.remarks)

    @contextmanager
    def _opened(self, file: UploadedFile) -> Iterator[tuple[Path, Format]]:
        name = safe_name(file.name)
        format = known_format(Path(name))
        if format is None:
            raise UnknownFormat(Path(name).suffix)
        with self.kept.workspace() as folder:
            path = Path(folder) / name
            path.write_bytes(file.content)
            try:
                yield path, format
            except DhyanError as error:  # the client knows the file by its name
                sentence = str(error).replace(f"{folder}/", "")
                raise HttpError(error.http_status, sentence, getattr(error, "headers", None)) from None

    def _translated(self, path: Path, format: Format, source: str | None, target: str, formality: str | None) -> str:
        sample = self._checked(path, format).sample
        if source is None:
            source = self._pairs.detect_each([sample])[0].code
        result = _result_path(path, format, target)
        if source == target:
            result = path
        elif (pack := self._pairs.packs().get((source, target))) is None:
            raise NoPack(source, target)
        else:
            self._written(path, result, _Translator(self._calls, pack, formality), source, target)
        return f"{self.kept.keep(result, result.name)}.{result.name}"

    def _written(
        self, path: Path, result: Path, translator: "_Translator", source: str | None, target: str | None
    ) -> Report:
        options = DocumentOptions(source_language=source, target_language=target)
        report = translate_file(path, result, translator, options, batch=_BATCH_TEXTS)
        if report.failed and len(report.failed) == report.texts:
            raise HttpError(500, f"{path.name} could not be translated: {report.failed[0].message}")
        return report

    def _checked(self, path: Path, format: Format) -> "_Contents":
        """What is in it. A file with more text than is allowed is refused before any of it is translated."""
        most = self._calls.settings.max_file_characters
        if format.open is not None and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                unpacked = sum(part.file_size for part in packed.infolist())
            if unpacked > _MOST_TIMES_PACKED * self._calls.settings.max_file_bytes:
                raise HttpError(400, f"{path.name} is too large once it is unpacked; send a smaller file.")
        texts, characters, sample = 0, 0, ""
        with path.open("rb") as stream:
            for unit in open_document(path, stream, format, DocumentOptions()).units():
                stop_if_cancelled()
                if not isinstance(unit, Text):
                    continue
                texts += 1
                characters += len(unit.text)
                if characters > most:
                    raise HttpError(400, f"Invalid request: request ({characters}) exceeds text limit ({most})")
                if len(sample) < _SAMPLE:
                    sample += unit.text + "\n"
        return _Contents(texts, sample)


def _result_path(path: Path, format: Format, target: str) -> Path:
    suffix = format.written_as[0] if format.written_as else path.suffix
    return path.with_name(f"{path.stem}_{target}{suffix}")


class _Translator:
    """The pack for one file. Each of its batches is let in like a request, and waits while others are before it."""

    def __init__(
        self,
        calls: ModelCalls,
        pack: str,
        formality: str | None,
        progress: Callable[[int], None] = lambda texts: None,
    ) -> None:
        self._calls, self._pack, self._formality = calls, pack, formality
        self._progress, self._done = progress, 0  # texts

    def translate(
        self, texts: Sequence[str], *, style: str | None, contexts: Sequence[str | None]
    ) -> "list[Translation]":
        tokens = estimated_tokens(texts)
        while not self._is_let_in(tokens):
            time.sleep(_PATIENCE)
        try:
            translator = self._calls.packs.translator(self._pack).with_register(self._formality or "auto")
            found = translator.translate(texts, style=style, contexts=contexts)
        finally:
            self._calls.admission.leave(tokens)
        self._done += len(texts)
        self._progress(self._done)
        return found

    def _is_let_in(self, tokens: int) -> bool:
        stop_if_cancelled()
        try:
            self._calls.admission.enter(tokens)
        except HttpError:
            return False
        return True
