"""Translation speed on a CPU: our runtime, HF transformers' MarianMT, and plain CTranslate2, side by side.

    pip install transformers
    python benchmarks/runtime_speed.py --write docs/measured/runtime-speed.md

Weights are random, so speed is all that is compared: every system translates the same sentences, as ids, into
outputs of the same length. Ours is a pack of 25M parameters (6 + 2 layers, d_model 384, two vocabularies of 12,000);
the other two have the size of opus-mt-en-hi (6 + 6 layers, d_model 512, one vocabulary of 61,950). The systems take
turns within one run, so that a busy machine slows all of them alike; what counts are the ratios.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dhyan.core.atomic import write_atomic
from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_count, parameter_shapes

OURS = {"d_model": 384, "heads": 6, "d_ff": 1536, "encoder_layers": 6, "decoder_layers": 2, "tie": "output"}
OPUS = {
    "d_model": 512,
    "heads": 8,
    "d_ff": 2048,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "tie": "all",
    "norm": "post",
}
OUR_WORDS, OPUS_WORDS = 12_000, 61_950
FIRST_PIECE = 261  # ids below are special tokens and bytes

Translate = Callable[[list[list[int]], int], None]  # sentences as ids, beam


def architecture(sizes: dict[str, Any], vocabulary: int) -> Architecture:
    words = {"source_vocabulary": vocabulary, "target_vocabulary": vocabulary}
    return Architecture.checked({**sizes, **words, "shape": "encoder-decoder", "max_positions": 512}, "benchmark")


def write_model(folder: Path, sizes: dict[str, Any], vocabulary: int) -> None:
    """A model of random weights in CTranslate2's format, int8."""
    from dhyan.engines import convert

    random = np.random.default_rng(0)
    a = architecture(sizes, vocabulary)
    weights = {name: random.normal(0, 0.02, shape).astype(np.float32) for name, shape in parameter_shapes(a).items()}
    names = [f"t{number}" for number in range(vocabulary)]
    names[:5] = ["<pad>", "<unk>", "<start>", "<end>", "<mask>"]
    spec = convert.model_specification(a, weights, names, names)
    spec.validate()
    spec.optimize(quantization="int8")
    spec.save(str(folder))


def ctranslate2_translator(folder: Path, threads: int, length: int) -> Translate:
    from dhyan.engines.import_ctranslate2 import ctranslate2  # as our runtime starts it, without PyTorch

    model = ctranslate2.Translator(str(folder), device="cpu", compute_type="int8", intra_threads=threads)

    def translate(sentences: list[list[int]], beam: int) -> None:
        named = [[f"t{number}" for number in ids] for ids in sentences]
        model.translate_batch(named, beam_size=beam, min_decoding_length=length, max_decoding_length=length)

    return translate


def marian_translator(threads: int, length: int) -> Translate:
    import torch
    from transformers import MarianConfig, MarianMTModel

    torch.set_num_threads(threads)
    config = MarianConfig(
        vocab_size=OPUS_WORDS,
        d_model=512,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=2048,
        decoder_ffn_dim=2048,
        max_position_embeddings=512,
        pad_token_id=0,
        eos_token_id=3,
        decoder_start_token_id=0,
        forced_eos_token_id=3,
    )
    model: Any = MarianMTModel(config)
    model.eval()

    @torch.inference_mode()
    def translate(sentences: list[list[int]], beam: int) -> None:
        longest = max(map(len, sentences))
        ids = torch.tensor([[*sentence, *[0] * (longest - len(sentence))] for sentence in sentences])
        model.generate(
            input_ids=ids,
            attention_mask=(ids != 0).long(),
            num_beams=beam,
            do_sample=False,
            min_new_tokens=length,
            max_new_tokens=length,
        )

    return translate


def child(options: argparse.Namespace) -> None:
    """One system in a process of its own: tells its start, then answers lines `batch beam` with seconds."""
    begun = time.perf_counter()
    if options.system == "marian":
        translate, words = marian_translator(options.threads, options.length), OPUS_WORDS
    else:
        translate = ctranslate2_translator(Path(options.folder), options.threads, options.length)
        words = OUR_WORDS if options.system == "ours" else OPUS_WORDS
    random = np.random.default_rng(1)
    sentences = [
        random.integers(FIRST_PIECE, words, max(4, int(random.normal(options.length, 6)))).tolist() for _ in range(64)
    ]
    translate(sentences[:1], 1)
    print(json.dumps({"start": time.perf_counter() - begun}), flush=True)
    for line in sys.stdin:
        batch, beam = map(int, line.split())
        begun = time.perf_counter()
        if batch == 1:
            for sentence in sentences[:8]:
                translate([sentence], beam)
        else:
            translate(sentences, beam)
        spent = time.perf_counter() - begun
        peak = peak_memory()
        print(json.dumps({"seconds": spent, "sentences": 8 if batch == 1 else 64, "peak": peak}), flush=True)


def peak_memory() -> float:
    """In MB. Not from getrusage, which counts what the parent had when it started us."""
    status = Path("/proc/self/status").read_text().split("VmHWM:")[1]
    return int(status.split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--length", type=int, default=25, help="tokens of an output")
    parser.add_argument("--write", type=Path, help="write the table here (Markdown)")
    parser.add_argument("--system", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.system:
        child(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        report = compare(options, Path(folder))
    print(report)
    if options.write:
        write_atomic(options.write, report + further_sections(options.write))


def further_sections(file: Path) -> str:
    """What stands behind the table, from the next heading on: it comes from other commands."""
    _, heading, rest = (file.read_text(encoding="utf-8") if file.exists() else "").partition("\n## ")
    return heading + rest


def compare(options: argparse.Namespace, folder: Path) -> str:
    folders = {"ours": (OURS, OUR_WORDS), "ctranslate2": (OPUS, OPUS_WORDS)}
    for name, (sizes, words) in folders.items():
        (folder / name).mkdir()
        write_model(folder / name, sizes, words)
    systems = ("ours", "ctranslate2", "marian")
    passed_on = ["--threads", str(options.threads), "--length", str(options.length)]
    running = {}
    starts = {}
    for name in systems:
        command = [sys.executable, __file__, "--system", name, "--folder", str(folder / name), *passed_on]
        running[name] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        starts[name] = ask(running[name])["start"]
    cases = [(64, 1), (64, 4), (1, 1), (1, 4)]
    rates: dict[tuple[str, int, int], list[float]] = {}
    peaks = dict.fromkeys(systems, 0.0)
    for _ in range(options.rounds):
        for batch, beam in cases:
            for name in systems:
                answer = ask(running[name], f"{batch} {beam}\n")
                rates.setdefault((name, batch, beam), []).append(answer["sentences"] / answer["seconds"])
                peaks[name] = max(peaks[name], answer["peak"])
    for process in running.values():
        process.communicate()
    return table(options, cases, rates, starts, peaks)


def ask(process: "subprocess.Popen[str]", question: str = "") -> dict[str, float]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("a child without pipes")
    process.stdin.write(question)
    process.stdin.flush()
    while True:  # libraries may print lines of their own
        line = process.stdout.readline()
        if not line:
            raise SystemExit("a system ended before its time; is `transformers` installed?")
        if line.startswith("{"):
            answer: dict[str, float] = json.loads(line)
            return answer


def table(
    options: argparse.Namespace,
    cases: list[tuple[int, int]],
    rates: dict[tuple[str, int, int], list[float]],
    starts: dict[str, float],
    peaks: dict[str, float],
) -> str:
    medians = {case: {name: statistics.median(rates[name, *case]) for name in starts} for case in cases}
    times = {name: [found["ours"] / found[name] for found in medians.values()] for name in ("ctranslate2", "marian")}
    ours, opus = (
        f"{parameter_count(architecture(*sizes)) / 1e6:.1f}M parameters"
        for sizes in ((OURS, OUR_WORDS), (OPUS, OPUS_WORDS))
    )
    cores = "one CPU core" if options.threads == 1 else f"{options.threads} CPU threads"
    lines = [
        "# Speed on a CPU",
        "",
        f"On {cores} a translator of Dhyan's size is {min(times['marian']):.1f} to {max(times['marian']):.1f} times"
        " as fast as Hugging Face's MarianMT,",
        f"and {min(times['ctranslate2']):.1f} to {max(times['ctranslate2']):.1f} times as fast as CTranslate2 with a"
        " model of the size of opus-mt-en-hi.",
        "",
        "| sentences per second | Dhyan | CTranslate2, opus size | MarianMT | times CTranslate2 | times MarianMT |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for batch, beam in cases:
        found = medians[batch, beam]
        what = f"{'a batch of 64' if batch == 64 else 'one at a time'}, {'greedy' if beam == 1 else f'beam {beam}'}"
        lines.append(
            f"| {what} | {found['ours']:.1f} | {found['ctranslate2']:.1f} | {found['marian']:.2f} |"
            f" {found['ours'] / found['ctranslate2']:.1f}× | {found['ours'] / found['marian']:.1f}× |"
        )
    lines += [
        "| start to first result, s | {ours:.2f} | {ctranslate2:.2f} | {marian:.2f} | | |".format(**starts),
        "| peak memory, MB | {ours:.0f} | {ctranslate2:.0f} | {marian:.0f} | | |".format(**peaks),
        "",
        "<!-- not run: it takes transformers and some minutes -->",
        "",
        "```bash",
        f"python benchmarks/runtime_speed.py --threads {options.threads} --rounds {options.rounds}",
        "```",
        "",
        f"- **Models**: Dhyan's has {ours}, in int8. The others have the size of opus-mt-en-hi",
        f"  ({opus}): CTranslate2 in int8, MarianMT in float32. Dhyan runs on CTranslate2, too, so the",
        "  second column differs from the first by the model alone. Weights are random: only speed is compared, not",
        "  quality.",
        f"- **Outputs** are equally long for all: {options.length} tokens.",
        "- **Figures** are medians of rounds in which the systems take turns, so that other programs slow all of",
        f"  them alike. The machine is {platform.machine()}.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
