"""General sentences, so that a translator which is fine-tuned on one subject does not forget the others.

`general/en-hi.tsv.xz` has 3,300 sentences of news and encyclopaedia with careful Hindi. A pack that reads either
language sees some of them again while it learns, in its own translation of before (replay); others judge what it has
forgotten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dhyan.data.open_text import numbered_lines
from dhyan.engines.base import start_engine
from dhyan.engines.convert import Compute
from dhyan.engines.converted_cache import forget_conversion
from dhyan.pack.pack import Pack, read_pack, write_pack
from dhyan.pack.weights_file import Weights
from dhyan.translation.sentence_translator import SentenceTranslator

FOLDER = Path(__file__).parent / "general"
LANGUAGES = ("en", "hi")  # of the two columns
COMPUTE: Compute = "int8"
JUDGED = 200  # the first of them judge, the others are learnt from


@dataclass(frozen=True)
class GeneralText:
    """Sentences of one language, and their translations where those are known."""

    sources: list[str]
    references: list[str] | None


def general_text(source_language: str, target_language: str) -> GeneralText | None:
    """None for a language that there is nothing of."""
    if source_language not in LANGUAGES:
        return None
    rows = [line.split("\t") for _, line in numbered_lines(FOLDER / "en-hi.tsv.xz")]
    columns = dict(zip(LANGUAGES, map(list, zip(*rows, strict=True)), strict=True))
    return GeneralText(columns[source_language], columns.get(target_language))


def to_judge(pack: Pack) -> GeneralText | None:
    """Without references a pack's own translations stand for them: what changes is what it has forgotten."""
    found = general_text(pack.manifest.source_language, pack.manifest.target_language)
    if found is None:
        return None
    references = found.references[:JUDGED] if found.references is not None else None
    return GeneralText(found.sources[:JUDGED], references)


def to_replay(pack: Pack, count: int) -> list[tuple[str, str]]:
    """So many sentences with the pack's own translations."""
    found = general_text(pack.manifest.source_language, pack.manifest.target_language)
    if found is None or not count:
        return []
    sources = found.sources[JUDGED : JUDGED + count]
    return list(zip(sources, own_translations(pack, sources), strict=True))


def translations_with(weights: Weights, pack: Pack, sources: Sequence[str]) -> list[str]:
    """What the pack would say if it had these weights."""
    with TemporaryDirectory() as place:
        folder = Path(place) / pack.folder.name
        write_pack(folder, pack.manifest.model_copy(update={"storage": "float32"}), weights, pack.tokenizers)
        changed = read_pack(folder)
        try:
            return own_translations(changed, sources)
        finally:
            forget_conversion(changed, COMPUTE)


def own_translations(pack: Pack, sources: Sequence[str]) -> list[str]:
    """As the pack itself translates them, by the engine that users run."""
    return SentenceTranslator(pack, start_engine(pack, compute=COMPUTE))(sources)
