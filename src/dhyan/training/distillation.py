"""Sequence-level knowledge distillation: a teacher's translations, for a smaller student to be trained on.

A pipeline: one chunk of rows is read and tokenized while the one before is translated, and the one before written.
"""

import gzip
import hashlib
import lzma
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import torch

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.core.resumable_file import ResumableFile
from dhyan.data.corpus import read_lines, read_rows
from dhyan.data.mix.mixing import with_style_tag
from dhyan.data.open_text import TABLES, format_of, sheet_of, zstd
from dhyan.model import fast
from dhyan.model.generation.batched import for_search, mean_log_probabilities, search_ids
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.model.transformer import Transformer
from dhyan.pack.inherited import named_with_licence, origins_of, write_origin
from dhyan.pack.pack import WEIGHTS, Pack
from dhyan.training.sentence_gleu import closest_candidates

CHUNK_ROWS = 50_000  # finished and written at a time: enough to sort by length, little to lose
# Chunks are compressed one by one and concatenated, which each of these formats allows.
COMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    ".tsv": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": partial(zstd.compress, level=9),
}


@dataclass(frozen=True)
class DistillationCounts:
    """How many rows were read, in this run and before, and what became of them."""

    rows: int
    written: int
    left_out: int
    resumed: int  # rows that earlier runs had read


class SourceRow(NamedTuple):
    """A row to translate."""

    text: str
    reference: str  # empty: there is none
    name: str  # where it comes from


class Translated(NamedTuple):
    text: str
    mean_log_probability: float  # per token, the end token counted if it was written


@dataclass(frozen=True)
class Chunk:
    """Rows, and the inputs for the teacher."""

    rows: list[SourceRow]
    new: list[str]  # texts that no earlier chunk has
    sources: list[list[int]]  # their ids
    guides: list[list[int]]  # ids of a reference for each of them; empty: there is none, or it is too long
    scored: list[int]  # the indices of the rows whose references are scored
    scored_sources: list[list[int]]
    references: list[list[int]]


class TeacherOutput(NamedTuple):
    """The teacher's translations and scores for a chunk."""

    translations: list[Hypothesis]  # of the new texts
    references: list[float]  # mean log-probability per token of those that are scored


def distil(
    pack: Pack,
    files: Sequence[Path],
    out: Path,
    device: torch.device,
    decoding: GenerationSettings,
    batch_tokens: int | None = None,
    progress: Progress | None = None,
    nearest: bool = False,
    tag: str = "",
    back: bool = False,
    chunk_rows: int = CHUNK_ROWS,
) -> DistillationCounts:
    """Translate the first column of `files`; write text, translation, name and two scores per row, in their order.

    tag: a style tag that the teacher reads before every text; it is not written. back: back-translation, where the
    teacher is given the second column, and its translation is written before the text.

    nearest: of all hypotheses in the beam, take the one closest to the reference by sentence GLEU: still in the
    teacher's wording, but the reference decides among the best hypotheses (Kim and Rush's interpolation).

    The name is the teacher's, a slash and the row's own, so that a mix can tell the two apart. The scores are the
    teacher's mean log-probabilities of its own translation and of the reference. A run that was killed is resumed by
    the next one with the same settings.
    """
    if nearest:
        decoding = decoding.model_copy(update={"alternatives": decoding.beam})
    teacher = Teacher(pack, device, decoding, batch_tokens, tag)
    total, repeated = count_rows(files, back)
    compress = COMPRESS[out.suffix.lower()]
    with ResumableFile(out, fingerprint(pack, files, decoding, tag, back), discard_other=False) as work:
        resumed = work.counts["rows"]
        rows = islice(source_rows(files, back), resumed, None)
        builder = ChunkBuilder(teacher, repeated, back)
        with (progress or Progress()).working("distilling", total) as update:
            began, translated = time.monotonic(), resumed

            def translate(chunk: Chunk) -> TeacherOutput:
                nonlocal translated
                output = teacher.translate(chunk, lambda part: show(translated + int(part * len(chunk.rows))))
                translated += len(chunk.rows)
                return output

            def show(done: int) -> None:
                speed = (done - resumed) / max(time.monotonic() - began, 1e-9)
                update(done, speed=f"{speed:,.0f} sentences/s")

            def write(chunk: Chunk, output: TeacherOutput) -> None:
                lines, too_long = builder.lines(chunk, output)
                data = "".join(f"{line}\n" for line in lines).encode("utf-8")
                work.add(
                    compress(data) if lines else b"", rows=len(chunk.rows), written=len(lines), left_out=too_long
                )

            pipeline(lambda: builder.next_chunk(rows, chunk_rows), translate, write)
        if out.exists():
            raise DhyanError(f"{out} was created while this ran; move it away and run the command again.")
        work.finish()
    write_origin(out, [named_with_licence(teacher.name, pack.manifest.licence), *origins_of(files)])
    counts = work.counts
    return DistillationCounts(counts["rows"], counts["written"], counts["left_out"], resumed)


def pipeline(
    read: Callable[[], Chunk | None],
    translate: Callable[[Chunk], TeacherOutput],
    write: Callable[[Chunk, TeacherOutput], None],
) -> None:
    """Read, translate and write chunk after chunk; each stage works one chunk ahead of the next, all in order."""
    with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(1) as writer:
        reading = reader.submit(read)
        writing: Future[None] | None = None
        while (chunk := reading.result()) is not None:
            reading = reader.submit(read)
            output = translate(chunk)
            if writing is not None:
                writing.result()  # raises what went wrong there
            writing = writer.submit(write, chunk, output)
        if writing is not None:
            writing.result()


class Teacher:
    def __init__(
        self,
        pack: Pack,
        device: torch.device,
        decoding: GenerationSettings,
        batch_tokens: int | None = None,
        tag: str = "",
    ) -> None:
        if pack.manifest.task != "translate" or pack.source_tokenizer is None or pack.target_tokenizer is None:
            raise DhyanError(
                f"{pack.folder} is a pack for `dhyan {pack.manifest.task}`; a teacher is a pack that translates."
            )
        fast.install()
        model = Transformer(pack.manifest.architecture)
        model.load_weights(pack.weights)
        self.model = for_search(model.eval().to(device))
        self.device = device
        self.name = one_line(pack.manifest.name)
        self.source, self.target = pack.source_tokenizer, pack.target_tokenizer
        self.decoding, self.batch_tokens = decoding, batch_tokens
        self.special = pack.manifest.architecture.special
        self.max_positions = pack.manifest.architecture.max_positions
        self.tag = one_line(tag)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        found = self.source.encode_batch([with_style_tag(text, self.tag) for text in texts])
        return [self.special.around(ids) for ids in found]

    def translate(self, chunk: Chunk, show: Callable[[float], None]) -> TeacherOutput:
        """show: is called with the fraction that is done."""
        count = max(1, len(chunk.sources))
        found = search_ids(
            self.model,
            chunk.sources,
            self.decoding,
            self.batch_tokens,
            lambda done: show(done / count),
        )
        nothing = Hypothesis([], 0.0, ended=True)
        best = [hypotheses[0] if hypotheses else nothing for hypotheses in found]
        if self.decoding.alternatives > 1:
            guided = [number for number, guide in enumerate(chunk.guides) if guide and found[number]]
            ids = [[hypothesis.ids for hypothesis in found[number]] for number in guided]
            choices = closest_candidates(ids, [chunk.guides[number] for number in guided], self.device)
            for number, choice in zip(guided, choices, strict=True):
                best[number] = found[number][choice]
        return TeacherOutput(best, mean_log_probabilities(self.model, chunk.scored_sources, chunk.references))

    def decode(self, found: Sequence[Hypothesis]) -> list[Translated]:
        texts = self.target.decode_batch([one.ids for one in found])
        return [
            Translated(one_line(text), self.mean_log_probability(hypothesis))
            for text, hypothesis in zip(texts, found, strict=True)
        ]

    def mean_log_probability(self, hypothesis: Hypothesis) -> float:
        """Per token, without the length penalty."""
        return self.decoding.log_probability(hypothesis) / hypothesis.length


class ChunkBuilder:
    """Makes the teacher's inputs out of rows, and rows out of its outputs. Equal texts are translated once."""

    def __init__(self, teacher: Teacher, repeated: set[int], back: bool = False) -> None:
        self.teacher = teacher
        self.back = back
        self.repeated = repeated  # hashes of the texts that come more than once: only those are kept
        self.sent: set[str] = set()  # repeated texts that have gone to the teacher
        self.known: dict[str, Translated | None] = {}  # repeated texts that have come back; None: too long

    def next_chunk(self, rows: Iterator[SourceRow], most: int) -> Chunk | None:
        some = list(islice(rows, most))
        if not some:
            return None
        texts = list(dict.fromkeys(row.text for row in some))
        ids = dict(zip(texts, self.teacher.encode(texts), strict=True))
        longest = self.teacher.max_positions
        new = [text for text in texts if text not in self.sent and len(ids[text]) <= longest]
        self.sent.update(text for text in texts if hash(text) in self.repeated)
        referenced = [number for number, row in enumerate(some) if row.reference and len(ids[row.text]) <= longest]
        encoded = self.teacher.target.encode_batch([some[number].reference for number in referenced])
        special = self.teacher.special
        room = longest - len(special.target_prefix)
        fitting = [(n, found) for n, found in zip(referenced, encoded, strict=True) if len(found) < room]
        scored = [number for number, _ in fitting]
        # Of several references for a text the first guides.
        guides = {some[number].text: reference for number, reference in reversed(fitting)}
        return Chunk(
            rows=some,
            new=new,
            sources=[ids[text] for text in new],
            guides=[guides.get(text, []) for text in new],
            scored=scored,
            scored_sources=[ids[some[number].text] for number in scored],
            references=[[*reference, special.end] for _, reference in fitting],
        )

    def lines(self, chunk: Chunk, output: TeacherOutput) -> tuple[list[str], int]:
        """The chunk's rows as TSV lines, and how many were left out because they are too long."""
        here: dict[str, Translated | None] = dict(
            zip(chunk.new, self.teacher.decode(output.translations), strict=True)
        )
        references = dict(zip(chunk.scored, output.references, strict=True))
        lines = []
        for number, row in enumerate(chunk.rows):
            found = here[row.text] if row.text in here else self.known.get(row.text)
            if found is not None:
                reference = f"{references[number]:.3f}" if number in references else ""
                name = f"{self.teacher.name}/{row.name}"
                pair = [found.text, row.text] if self.back else [row.text, found.text]
                lines.append("\t".join([*pair, name, f"{found.mean_log_probability:.3f}", reference]))
        self.known.update((text, found) for text, found in here.items() if hash(text) in self.repeated)
        return lines, len(chunk.rows) - len(lines)


def source_rows(files: Sequence[Path], back: bool = False) -> Iterator[SourceRow]:
    """The rows of tables (text, reference, name; the last two may lack) and the lines of others; no blank ones.

    With `back` the first two columns of a row are reference and text.
    """
    for file in files:
        named = file.name.partition(".")[0]
        if format_of(file) in TABLES:
            for row in read_rows([file], ("source", "target?", "name?")):
                text, reference, name = map(one_line, row.columns)
                if back:
                    text, reference = reference, text
                if text:
                    yield SourceRow(text, reference, name or named)
        else:
            for row in read_lines([file]):
                if text := one_line(row.columns[0]):
                    yield SourceRow(text, "", named)


def count_rows(files: Sequence[Path], back: bool = False) -> tuple[int, set[int]]:
    """How many rows there are, and the hashes of the texts that come more than once. Finds errors before the work."""
    seen: set[int] = set()
    repeated: set[int] = set()
    total = 0
    for row in source_rows(files, back):
        total += 1
        found = hash(row.text)
        (repeated if found in seen else seen).add(found)
    if not total:
        raise DhyanError(f"there is no text in {', '.join(map(str, files))}; name files that hold some.")
    return total, repeated


def fingerprint(
    pack: Pack, files: Sequence[Path], decoding: GenerationSettings, tag: str, back: bool
) -> dict[str, Any]:
    """Everything the result depends on: only a run with the same fingerprint is resumed."""
    with (pack.folder / WEIGHTS).open("rb") as weights:
        teacher = f"{pack.manifest.name} {hashlib.file_digest(weights, 'sha256').hexdigest()}"
    found = [(file, sheet_of(file)[0].stat()) for file in files]
    states = [(str(file.resolve()), state.st_size, state.st_mtime_ns) for file, state in found]
    options = {"decoding": decoding.model_dump(), "tag": tag, "back": back}
    return {"teacher": teacher, "files": [list(state) for state in states], **options}


def one_line(text: str) -> str:
    return " ".join(text.split())
