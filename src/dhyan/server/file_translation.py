"""A file that a client sends → the same file in another language, through whatever reads its format."""

import time
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.core.errors import DhyanError
from dhyan.documents.formats import FORMATS, Format, known_format, open_document
from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import translate_file
from dhyan.documents.units import Text
from dhyan.server.admission import estimated_tokens
from dhyan.server.http_errors import HttpError
from dhyan.server.language_pairs import LanguagePairs
from dhyan.server.model_calls import ModelCalls
from dhyan.server.request_fields import UploadedFile
from dhyan.server.routed_translation import NoPack
from dhyan.server.translated_files import TranslatedFiles, safe_name

if TYPE_CHECKING:
    from dhyan.translation.translated import Translation

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


class FileTranslation:
    def __init__(self, calls: ModelCalls, pairs: LanguagePairs) -> None:
        settings = calls.settings
        self._calls, self._pairs = calls, pairs
        most_bytes = settings.max_kept_files * settings.max_file_bytes
        self.kept = TranslatedFiles(settings.max_kept_files, most_bytes, settings.kept_file_seconds)

    def translate(self, file: UploadedFile, source: str | None, target: str, formality: str | None = None) -> str:
        """Runs in a thread. source: None, to find out. The key and the name under which the result can be fetched."""
        name = safe_name(file.name)
        format = known_format(Path(name))
        if format is None:
            raise HttpError(400, "Invalid request: file format not supported")
        with self.kept.workspace() as folder:
            path = Path(folder) / name
            path.write_bytes(file.content)
            try:
                return self._translated(path, format, source, target, formality)
            except DhyanError as error:  # the client knows the file by its name
                sentence = str(error).replace(f"{folder}/", "")
                raise HttpError(error.http_status, sentence, getattr(error, "headers", None)) from None

    def _translated(self, path: Path, format: Format, source: str | None, target: str, formality: str | None) -> str:
        sample = self._checked(path, format)
        if source is None:
            source = self._pairs.detect_each([sample])[0].code
        suffix = format.written_as[0] if format.written_as else path.suffix
        result = path.with_name(f"{path.stem}_{target}{suffix}")
        if source == target:
            result = path
        elif (pack := self._pairs.packs().get((source, target))) is None:
            raise NoPack(source, target)
        else:
            translator = _Translator(self._calls, pack, formality)
            options = DocumentOptions(source_language=source, target_language=target)
            report = translate_file(path, result, translator, options, batch=_BATCH_TEXTS)
            if report.failed and len(report.failed) == report.texts:
                raise HttpError(500, f"{path.name} could not be translated: {report.failed[0].message}")
        return f"{self.kept.keep(result, result.name)}.{result.name}"

    def _checked(self, path: Path, format: Format) -> str:
        """The first of its texts. A file with more text than is allowed is refused before any of it is translated."""
        most = self._calls.settings.max_file_characters
        if format.open is not None and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                unpacked = sum(part.file_size for part in packed.infolist())
            if unpacked > _MOST_TIMES_PACKED * self._calls.settings.max_file_bytes:
                raise HttpError(400, f"{path.name} is too large once it is unpacked; send a smaller file.")
        characters, sample = 0, ""
        with path.open("rb") as stream:
            for unit in open_document(path, stream, format, DocumentOptions()).units():
                stop_if_cancelled()
                if not isinstance(unit, Text):
                    continue
                characters += len(unit.text)
                if characters > most:
                    raise HttpError(400, f"Invalid request: request ({characters}) exceeds text limit ({most})")
                if len(sample) < _SAMPLE:
                    sample += unit.text + "\n"
        return sample


class _Translator:
    """The pack for one file. Each of its batches is let in like a request, and waits while others are before it."""

    def __init__(self, calls: ModelCalls, pack: str, formality: str | None) -> None:
        self._calls, self._pack, self._formality = calls, pack, formality

    def translate(
        self, texts: Sequence[str], *, style: str | None, contexts: Sequence[str | None]
    ) -> "list[Translation]":
        tokens = estimated_tokens(texts)
        while not self._is_let_in(tokens):
            time.sleep(_PATIENCE)
        try:
            translator = self._calls.packs.translator(self._pack).with_register(self._formality or "auto")
            return translator.translate(texts, style=style, contexts=contexts)
        finally:
            self._calls.admission.leave(tokens)

    def _is_let_in(self, tokens: int) -> bool:
        stop_if_cancelled()
        try:
            self._calls.admission.enter(tokens)
        except HttpError:
            return False
        return True
