"""The files that the guides speak of as the reader's own: my-pack, pairs.tsv, notes.md and so on, all small."""

import shutil
from pathlib import Path

from docx import Document

from dhyan.data.open_text import zstd
from support.commands import dhyan
from support.packs import random_pack
from support.tiny import TINY

PAIRS = [
    ("How are you today?", "आज आप कैसे हैं?"),
    ("I like eating ice-cream.", "मुझे आइसक्रीम खाना पसंद है।"),
    ("The river flows slowly.", "नदी धीरे धीरे बहती है।"),
    ("Thank you very much.", "आपका बहुत बहुत धन्यवाद।"),
    ("The boy eats rice.", "लड़का चावल खाता है।"),
    ("It rains in the city.", "शहर में बारिश होती है।"),
]
TEXTS = [
    "a dog runs over the grass",
    "it rains in the city",
    "a boy eats rice",
    "the bank of the river",
    "money in the bank",
]
LABELLED = (
    "good\ta warm and funny film\nbad\tdull from start to end\ngood\tI laughed all evening\nbad\ta waste of time\n"
)
LINES = "\n".join(TEXTS) + "\n"
TSV = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
PO = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Save"\nmsgstr ""\n'
FILES = {
    **dict.fromkeys(
        ["pairs.tsv", "valid.tsv", "test.tsv", "domain.tsv", "general.tsv", "domain-test.tsv", "phrases.tsv"], TSV
    ),
    **dict.fromkeys(["taught.txt", "text.txt", "texts.txt", "in/news/a.txt"], LINES),
    "labelled.tsv": LABELLED,
    "paraphrases.tsv": "a dog runs\tthe dog is running\nit rains\theavy rain falls\na boy eats\tthe boy is eating\n",
    "book.txt": "To be, or not to be, that is the question.\n" * 40,
    "more-text.txt": LINES * 20,
    "sentences.txt": "he sat on the bank of the river\nthe bank gave him a loan\n",
    "text.tsv": "".join(f"{source}\t{target}\ttatoeba\n" for source, target in PAIRS),
    "corpora.tsv": "".join(f"{source}\t{target}\ttatoeba\n" for source, target in PAIRS),
    "terms.tsv": "bank\tबैंक\nDhyan\n",
    "notes.md": "# Notes\n\nThe river flows **slowly**.\n\n- It rains.\n",
    "in/a.md": "# Notes\n\nIt rains.\n",
    "app.po": PO,
    "test.en": "".join(f"{source}\n" for source, _ in PAIRS),
    "test.hi": "".join(f"{target}\n" for _, target in PAIRS),
    "card.md": "Trained for a test of the documentation.\n",
    "recipe.toml": 'task = "translate"\nout = "from-recipe"\n[data]\ntrain = ["pairs.tsv"]\nvalid = ["pairs.tsv"]\n',
    "finetune.toml": 'task = "translate"\n[training]\nlearning_rate = 1e-4\n',
}


def make_packs(folder: Path) -> None:
    """Packs of every kind. The translator has one unigram vocabulary, so that every format of export takes it."""
    (folder / "pairs.tsv").write_text(TSV, encoding="utf-8")
    words = ["--shared", "--pieces", "unigram", "--source-language", "en", "--target-language", "hi"]
    dhyan(
        "train", "translate", "--train", "pairs.tsv", "--valid", "pairs.tsv", "--out", "my-pack", *words, *TINY,
        "--steps", "20", folder=folder,
    )  # fmt: skip
    shutil.copytree(folder / "my-pack", folder / "my-teacher")
    random_pack(folder / "my-classifier", "encoder")
    random_pack(folder / "my-writer", "decoder")


def write_files(folder: Path, packs: Path) -> None:
    for pack in packs.glob("my-*"):
        if pack.suffix != ".training" and pack.is_dir():
            shutil.copytree(pack, folder / pack.name)
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for name, text in (("pairs.tsv.zst", TSV), ("taught.tsv.zst", TSV)):
        (folder / name).write_bytes(zstd.compress(text.encode()))
    letter = Document()
    letter.add_paragraph("Good morning.")
    letter.save(folder / "report.docx")
