"""General sentences, so that a translator which is fine-tuned on one subject does not forget the others.

`general/en-hi.tsv.xz` has 3,300 sentences of news and encyclopaedia with careful Hindi. A pack that reads either
language sees some of them again while it learns, in its own translation of before (replay); others judge what it has
forgotten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dhyan.data.open_text import numbered_lines
from dhyan.engines.base import start_engine
from dhyan.pack.pack import Pack
from dhyan.translation.sentence_translator import SentenceTranslator

FOLDER = Path(__file__).parent / "general"
LANGUAGES = ("en", "hi")  # of the two columns
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


def own_translations(pack: Pack, sources: Sequence[str]) -> list[str]:
    """As the pack itself translates them, by the engine that users run."""
    return SentenceTranslator(pack, start_engine(pack))(sources)
