"""`dhyan.train`, `dhyan.evaluate` and `dhyan.translate_file`: what the commands do, for Python."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin

from dhyan.core.arguments import check_function, check_mapping, check_path
from dhyan.core.errors import DhyanError
from dhyan.core.extras import needs_extra
from dhyan.core.progress import Progress, ProgressUpdate
from dhyan.core.settings import flat_fields, nested_settings
from dhyan.training.recipe import Recipe, merge, read_recipe
from dhyan.training.trained_pack import TrainedPack

if TYPE_CHECKING:
    from dhyan.documents.batches import TranslateTexts
    from dhyan.documents.translate_file import Report as FileReport
    from dhyan.engines.convert import Compute

Report = Callable[[str], object]  # called with a line of text: print, or a logger's method


def train(
    recipe: str | Path | None = None,
    *,
    resume: str | Path | None = None,
    report: Report | None = None,
    **settings: Any,
) -> TrainedPack:
    """Train a Transformer on your own text; return the folder of the finished pack: a notebook shows its curve.

    recipe: a TOML file of settings. settings: any of them by name, as `dhyan train --help` lists them, such as task,
    train, valid, out, steps, d_model; they win over the recipe, and what neither gives is chosen from the data.
    resume: the folder of a training to continue, instead of a recipe. report: called with each line of progress, such
    as `print`. It needs PyTorch: the extra `train`.
    """
    lists = [name for _, name, field in flat_fields(Recipe) if get_origin(field.annotation) is list]
    given = {
        name: [value] if name in lists and isinstance(value, str | Path) else value
        for name, value in settings.items()
    }
    values = nested_settings(Recipe, given, "dhyan.train")
    progress = _progress(report)
    with needs_extra("train", "dhyan.train"):
        from dhyan.training import train as training
    if resume is not None:
        if recipe is not None:
            raise DhyanError("resume takes its settings from the training's folder; leave out the recipe.")
        return TrainedPack(training.resume(check_path(resume, "the training to continue"), values, progress))
    if recipe is not None:
        values = merge(read_recipe(check_path(recipe, "the recipe")), values)
    return TrainedPack(training.train(values, progress, "dhyan.train" if recipe is None else str(recipe)))


def translate_file(
    source: str | Path,
    target: str | Path,
    translator: "TranslateTexts | None" = None,
    *,
    overwrite: bool = False,
    progress: "Callable[[int, float], None] | None" = None,
    **options: Any,
) -> "FileReport":
    """Translate a document into `target`; all that is not prose is kept (formats: docs/guides/documents.md).

    translator: a loaded translator, or any function from texts to texts; without one, the pack that comes with Dhyan.
    options: what the command's flags say about a document, such as format, columns, keys, style. progress: called
    with the bytes that are done and the texts per second. The report has the notes, and what could not be translated.
    """
    from dhyan.documents.options import DocumentOptions
    from dhyan.documents.translate_file import translate_file as translate
    from dhyan.translation.translator import Translator

    chosen = DocumentOptions.checked(options, "dhyan.translate_file")
    files = check_path(source, "the document"), check_path(target, "its translation")
    if translator is not None:
        check_function(translator, "the translator")
    known = translator if translator is not None else Translator.load()
    return translate(*files, known, chosen, progress, overwrite=overwrite)


def evaluate(
    pack: str | Path,
    test: str | Path | None = None,
    *,
    source: str | Path | None = None,
    reference: str | Path | None = None,
    columns: dict[str, str] | None = None,
    device: str = "cpu",
    compute: "Compute | None" = None,
    threads: int = 0,
    report: Report | None = None,
) -> dict[str, Any]:
    """Score a pack on test data; return the scores by name.

    test: rows (TSV, CSV, Excel, JSONL) or plain text; or, for a translator, source and reference as two parallel
    files. columns: where the columns are, by name or number, such as {"label": "tag", "text": "2"}. device: cpu, or
    cuda with PyTorch. compute: int8 or float32 scores the pack as users run it; unset, the model alone, in float32.
    threads: 0 for one per core. report: called with each line of progress, such as `print`.
    """
    if (test is None) == (source is None) or (source is None) != (reference is None):
        raise DhyanError("name the test data: test, or source and reference.")
    from dhyan.engines.loaded_model import open_named
    from dhyan.evaluation.evaluate import evaluate as scores_of
    from dhyan.evaluation.test_data import TestData

    files = [check_path(file, "the test data") for file in (test, source) if file is not None]
    parallel = None if reference is None else check_path(reference, "the reference")
    if columns is not None:
        check_mapping(columns, "columns", '{"label": "1", "text": "2"}')
    data = TestData(files, parallel, columns or {})
    scores = scores_of(
        open_named(pack), data, device=device, compute=compute, threads=threads, progress=_progress(report)
    )
    return {name: value for name, value in scores.items() if name != "outputs"}


def _progress(report: Report | None) -> Progress:
    if report is None:
        return Progress()
    check_function(report, "report")
    return ReportedLines(report)


class ReportedLines(Progress):
    """Progress as lines of text."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def say(self, text: str) -> None:
        self.report(text)

    def table(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        for row in rows:
            self.report(f"{title}: {'  '.join(row)}")

    @contextmanager
    def working(self, what: str, total: int) -> Iterator[ProgressUpdate]:
        """A line at the beginning: how far it is would be a line per step."""
        self.report(f"{what} …")
        yield lambda done, **figures: None
