"""Imported models against transformers on one core: how far their numbers are apart, and how fast both are.

Models of the sizes that people use, with random weights: speed does not depend on them. transformers runs in a
process of its own, from the folder that the tests' oracles are installed in; the two take turns, and CPU time is
counted, so that a busy machine slows both alike.

    pip install --no-deps --target .venv/oracles -r tests/oracles.txt
    python benchmarks/imported_models.py            # docs/guides/import.md has the table
    python benchmarks/imported_models.py --only GPT-2
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import pre_tokenizers

from dhyan.engines.convert import Compute
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.interchange.import_model import import_model
from dhyan.interchange.sentencepiece_file import Piece, PieceType, SentencePieceModel
from dhyan.interchange.sentencepiece_writer import sentencepiece_bytes
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack

ORACLES = Path(sys.prefix) / "oracles"
STEPS = 24  # tokens that are written
LENGTH = 24  # tokens that are read

THEIRS = """
import json, sys, time
import torch, transformers

asked = json.load(open(sys.argv[1]))
torch.set_num_threads(1)
torch.manual_seed(0)
kind = getattr(transformers, asked["kind"])
model = kind(kind.config_class(**asked["settings"])).eval()
model.save_pretrained(asked["folder"])
source, target = (ids and torch.tensor([ids]) for ids in (asked["source"], asked["target"]))
read = target if source is None else source
greedy = {"do_sample": False, "num_beams": 1, "min_new_tokens": asked["steps"], "max_new_tokens": asked["steps"]}
if asked["language"]:
    greedy |= {"forced_bos_token_id": asked["language"], "max_new_tokens": asked["steps"] + 1}

@torch.inference_mode()
def run():
    if target is None:
        return model(read).last_hidden_state
    return model.generate(read, attention_mask=torch.ones_like(read), **greedy)

with torch.inference_mode():
    if target is None:
        numbers = run()
    elif source is None:
        numbers = model(target).logits
    else:
        numbers = model(input_ids=source, decoder_input_ids=target).logits
print(json.dumps(numbers[0, -1].tolist()), flush=True)
for _ in sys.stdin:
    began = time.process_time()
    run()
    print(time.process_time() - began, flush=True)
"""


@dataclass(frozen=True)
class Family:
    shown: str
    kind: str  # transformers' class
    settings: dict[str, Any]
    write_tokenizer: Callable[[Path, int], None]
    source: list[int] | None  # what the encoder reads, special tokens included
    target: list[int] | None  # what the decoder is given, from its first token on
    languages: tuple[str, str] = ("", "")


def word_pieces(folder: Path, size: int) -> None:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("\n".join([*special, *fillers(size - 5)]) + "\n")


def byte_level(*special: str) -> Callable[[Path, int], None]:
    def write(folder: Path, size: int) -> None:
        first = [*special, *sorted(pre_tokenizers.ByteLevel.alphabet())]
        write_vocabulary(folder, [*first, *fillers(size - len(first))])
        (folder / "merges.txt").write_text("#version: 0.2\n")

    return write


def opus_mt(folder: Path, size: int) -> None:
    learned = fillers(size - 3)
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(sentence_pieces(learned))
    write_vocabulary(folder, ["</s>", "<unk>", *learned, "<pad>"])


def m2m100(folder: Path, size: int) -> None:
    learned = fillers(size - 4 - M2M100_LANGUAGES)
    (folder / "sentencepiece.bpe.model").write_bytes(sentence_pieces(learned))
    write_vocabulary(folder, ["<s>", "<pad>", "</s>", "<unk>", *learned])


def sentence_pieces(learned: list[str]) -> bytes:
    pieces = [("<unk>", PieceType.UNKNOWN), *((piece, PieceType.NORMAL) for piece in learned)]
    return sentencepiece_bytes(
        SentencePieceModel(tuple(Piece(text, -1.0, kind) for text, kind in pieces), "unigram", 0, -1, -1)
    )


def write_vocabulary(folder: Path, pieces: list[str]) -> None:
    (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))


def fillers(count: int) -> list[str]:
    return [f"w{number}" for number in range(count)]


MIDDLE = list(range(300, 300 + LENGTH - 2))
BASE_SIZES = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
MINILM_SIZES = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
OPUS_SIZES = {
    "vocab_size": 58_101,
    "decoder_vocab_size": 58_101,
    "pad_token_id": 58_100,
    "decoder_start_token_id": 58_100,
    "eos_token_id": 0,
    "forced_eos_token_id": None,
    "d_model": 512,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_attention_heads": 8,
    "decoder_attention_heads": 8,
    "encoder_ffn_dim": 2048,
    "decoder_ffn_dim": 2048,
    "max_position_embeddings": 512,
    "activation_function": "swish",
    "scale_embedding": True,
}
M2M100_LANGUAGES, ENGLISH, HINDI = 100, 18, 32  # their tokens stand behind all others, by code
M2M100_SIZES = {"vocab_size": 128_104, "decoder_start_token_id": 2}  # else as the class has them: m2m100_418M
SMOLLM2_SIZES = {
    "vocab_size": 49_152,
    "hidden_size": 576,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "intermediate_size": 1536,
    "max_position_embeddings": 2048,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "tie_word_embeddings": True,
}
FAMILIES = (
    Family(
        "BERT (as MiniLM, 6 × 384)",
        "BertModel",
        {"vocab_size": 30_522, **MINILM_SIZES},
        word_pieces,
        [2, *MIDDLE, 3],
        None,
    ),
    Family(
        "RoBERTa (as roberta-base, 12 × 768)",
        "RobertaModel",
        {"vocab_size": 50_265, "type_vocab_size": 1, "max_position_embeddings": 514, **BASE_SIZES},
        byte_level("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
        [0, *MIDDLE, 2],
        None,
    ),
    Family("DistilBERT (6 × 768)", "DistilBertModel", {"vocab_size": 30_522}, word_pieces, [2, *MIDDLE, 3], None),
    Family("Marian (as opus-mt, 6 + 6 × 512)", "MarianMTModel", OPUS_SIZES, opus_mt, [*MIDDLE, 5, 0], [58_100, 7, 8]),
    Family(
        "M2M100 (as m2m100_418M, 12 + 12 × 1024)",
        "M2M100ForConditionalGeneration",
        M2M100_SIZES,
        m2m100,
        [128_004 + ENGLISH, *MIDDLE, 2],
        [2, 128_004 + HINDI, 8],
        ("en", "hi"),
    ),
    Family(
        "GPT-2 (as distilgpt2, 6 × 768)",
        "GPT2LMHeadModel",
        {"vocab_size": 50_257, "n_layer": 6, "bos_token_id": 0, "eos_token_id": 0},
        byte_level("<|endoftext|>"),
        None,
        [*MIDDLE, 5, 6],
    ),
    Family(
        "Llama (as SmolLM2-135M, 30 × 576)",
        "LlamaForCausalLM",
        SMOLLM2_SIZES,
        byte_level("<|endoftext|>"),
        None,
        [*MIDDLE, 5, 6],
    ),
)


class Theirs:
    """transformers in a process of its own: it makes the model, leaves it in the folder, and runs when asked to."""

    def __init__(self, family: Family, folder: Path) -> None:
        family.write_tokenizer(folder, family.settings["vocab_size"])
        question = folder / "asked.json"
        asked = {"kind": family.kind, "settings": family.settings, "folder": str(folder), "steps": STEPS}
        language = family.target[1] if family.target and family.languages[1] else None
        asked |= {"source": family.source, "target": family.target, "language": language}
        question.write_text(json.dumps(asked))
        environment = os.environ | {"PYTHONPATH": str(ORACLES), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        environment |= {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "TQDM_DISABLE": "1", "TRANSFORMERS_VERBOSITY": "error"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", THEIRS, question],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.numbers = np.array(self._answer())  # of the last position: the vector, or the logits

    def seconds(self) -> float:
        assert self.process.stdin
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        return float(self._answer())

    def end(self) -> None:
        self.process.communicate()

    def _answer(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())


class Ours:
    """An engine on one core: the same number of tokens read, and written."""

    def __init__(self, pack: Pack, family: Family, compute: Compute) -> None:
        self.architecture, self.family = pack.manifest.architecture, family
        self.engine = CTranslate2Engine(pack, compute, threads=1)
        self.greedy = GenerationSettings(beam=1, max_length=STEPS)

    def seconds(self) -> float:
        began = time.process_time()
        written = self._run()
        taken = time.process_time() - began
        return taken * (STEPS / written if self.architecture.has_decoder else 1)  # should it end early, as if not

    def _run(self) -> int:
        special, source = self.architecture.special, self.family.source
        if source is None:
            return len(list(self.engine.write(self.family.target or [], self.greedy)))
        inner = source[len(special.source_prefix) : len(source) - len(special.source_suffix)]
        if self.architecture.has_decoder:
            return len(self.engine.translate([inner], self.greedy)[0][0].ids)
        return len(self.engine.encode([inner]))


def numbers_of(pack: Pack, family: Family) -> Any:
    """Of the last position: the vector, or the logits."""
    a = pack.manifest.architecture
    address = "dec.out.logits" if a.has_decoder else "enc.output"
    return NumpyTransformer(a, pack.weights).trace(family.source, family.target)[address][-1]


def row(family: Family, work: Path, rounds: int) -> str:
    folder = work / "model"
    folder.mkdir()
    theirs = Theirs(family, folder)
    pack = import_model(folder, work / "pack", *family.languages)
    found = numbers_of(pack, family)
    apart = float(np.abs(found - theirs.numbers[: len(found)]).max())
    systems: dict[str, Theirs | Ours] = {"transformers": theirs}
    systems |= {"float32": Ours(pack, family, "float32"), "int8": Ours(pack, family, "int8")}
    for system in systems.values():
        system.seconds()  # warm
    turns = [{name: system.seconds() for name, system in systems.items()} for _ in range(rounds)]
    theirs.end()
    cells = [family.shown, f"{apart:.0e}"]
    cells += [f"{1000 * statistics.median(turn[name] for turn in turns):.1f} ms" for name in systems]
    for name in ("float32", "int8"):
        ratios = sorted(turn["transformers"] / turn[name] for turn in turns)
        cells.append(f"{statistics.median(ratios):.1f}× ({ratios[0]:.1f}–{ratios[-1]:.1f})")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="families whose name contains this")
    arguments = parser.parse_args()
    if not ORACLES.is_dir():
        sys.exit(f"transformers is not there: pip install --no-deps --target {ORACLES} -r tests/oracles.txt")
    print("| model | largest difference | transformers | float32 | int8 | float32 is faster by | int8 is faster by |")
    print("|---|---|---|---|---|---|---|")
    for family in FAMILIES:
        if arguments.only in family.shown:
            with tempfile.TemporaryDirectory() as name:
                os.environ["DHYAN_CACHE"] = str(Path(name) / "cache")
                print(row(family, Path(name), arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
