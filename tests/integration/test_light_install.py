"""The light install, in an empty virtual environment: small, without PyTorch, and every command works in it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dhyan.cli.command_table import COMMANDS
from support.foreign_models import STORED
from support.made_once import made_once
from support.packs import TEXT, random_pack

ROOT = Path(__file__).parents[2]
MOST_MEGABYTES = 352  # of the whole environment, with the packs and with pip itself
BLOCK = 4096
NO_NETWORK = ("Could not find a version", "No matching distribution", "ConnectionError", "NewConnectionError")
HEAVY = ("torch", "sklearn", "scipy", "pandas", "matplotlib", "ray", "pyarrow")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def light(tmp_path_factory, worker_id):
    """The environment's folder, made once for all test processes; beside it `work`, with files to work on."""
    return made_once(tmp_path_factory, worker_id, "light-install", install)


def install(place):
    checkout = place / "checkout"  # a copy: building leaves files behind
    shutil.copytree(ROOT / "src", checkout / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "constraints.txt"):
        shutil.copy(ROOT / name, checkout)
    subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
    pip = [place / "venv" / "bin" / "pip", "install", "--quiet", "-c", "constraints.txt", "."]
    done = subprocess.run(pip, cwd=checkout, env=environment(place), capture_output=True, text=True, check=False)
    if done.returncode and any(sign in done.stderr for sign in NO_NETWORK):
        pytest.skip(f"pip reaches no package index: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    write_files(place / "work")


def write_files(work):
    work.mkdir()
    texts = [
        "a dog runs in the park",
        "the dog barks",
        "rice boils in a pot",
        "she cooks rice and beans",
        "a cat sleeps",
    ]
    files = {
        "texts.txt": "".join(f"{text}\n" for text in texts),
        "labelled.tsv": "positive\ta warm film\nnegative\ta dull film\npositive\twarm and kind\nnegative\tdull\n",
        "pairs.tsv": "".join(f"{text}\t{text}\n" for text in texts),
        "mix.tsv": "".join(f"{number} {text}\t{number} पानी बहता है\tnews\n" for number, text in enumerate(texts)),
        "mix.toml": '[group.all]\nsources = ["news"]\n',
        "source.en": "Hello.\nWhat is your name?\n",
        "reference.hi": "नमस्ते।\nआपका नाम क्या है?\n",
    }
    for name, content in files.items():
        (work / name).write_text(content, encoding="utf-8")
    shutil.copytree(STORED, work / "foreign")
    random_pack(work / "masked", "encoder", masked_head=True)
    manifest = work / "masked" / "pack.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"task": "embed"}))
    (work / "plain.txt").write_text("\n".join(TEXT), encoding="utf-8")


def environment(place):
    own = {"DHYAN_CACHE": str(place / "cache"), "DHYAN_HOME": str(place / "home"), "OMP_NUM_THREADS": "1"}
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | own


def run(place, *command, expect=0):
    program, *arguments = command
    done = subprocess.run(
        [place / "venv" / "bin" / program, *arguments],
        cwd=place / "work",
        env=environment(place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expect, done.stderr
    return done


def test_it_is_small_and_holds_nothing_heavy(light):
    (packages,) = (light / "venv" / "lib").glob("python*/site-packages")
    # As `du` counts on a disk, wherever this lies: in whole blocks, folders too.
    files = [file for file in (light / "venv").rglob("*") if not file.is_symlink()]
    size = sum(-(-file.stat().st_size // BLOCK) for file in files) * BLOCK / 2**20
    assert size <= MOST_MEGABYTES
    assert not [name for name in HEAVY if (packages / name).exists()]


WORKS = {  # command → words that must be printed
    "models": "en-hi",
    "packs list": "en-hi",
    "terms mix.tsv -o terms.tsv --min-count 2": "",
    "doctor": "ctranslate2",
    'translate "How are you?"': "आप",
    "embed words --model english": '"vector"',
    "embed --word bank --layer 2 --model en-hi bank": '"vector"',
    "similar puppy --among texts.txt": "dog",
    "similar rice --among texts.txt --model tf-idf": "rice boils in a pot",
    "cluster texts.txt --clusters 2 --map map.svg": "rice",
    "cluster texts.txt --clusters 2 --model one-hot": "dog",
    'detect "Comment allez-vous ?"': "French",
    "classify film --all": "positive",
    "classify warm --model tf-idf --train labelled.tsv": "positive",
    "classify warm --train labelled.tsv": "positive",
    "write Hello --max-length 4 --json": '"prompt": "Hello"',
    "explain Hello.": "softmax",
    "evaluate en-hi --source source.en --reference reference.hi": "chrf++",
    "evaluate en-hi --source source.en --reference reference.hi --compute int8": "pip install sacrebleu",
    "evaluate sentiment --test labelled.tsv": "accuracy",
    "evaluate writer --test texts.txt": "bits_per_character",
    "evaluate english --test pairs.tsv": "partner found first",
    "evaluate masked --test plain.txt": "perplexity",
    "evaluate english --task clusters --test labelled.tsv": "nmi",
    "evaluate tf-idf --task labels --train labelled.tsv --test labelled.tsv": "accuracy",
    "import foreign/bert --out imported": "",
    "export sentiment exported": "",
    "repack sentiment repacked": "",
    "interpolate sentiment sentiment 0.5 between": "",
    "mix mix.toml --train mix.tsv --out mixed.tsv.zst": "",
    "lab": "sqrt-dk",
    "serve --help": "--port",
    "site out --model writer": "",
}
NEEDS_TRAINING = [
    "train translate --train pairs.tsv --out my-pack",
    "distil en-hi --train texts.txt --out distilled.tsv",
    "similar rice --among texts.txt --model word2vec",
    "translate Hello. --device cuda",
]


def test_every_command_is_tried():
    tried = {command.split()[0] for command in [*WORKS, *NEEDS_TRAINING]}
    assert tried == set(COMMANDS) - {"keys"}  # which serves others


@pytest.mark.parametrize("command", WORKS)
def test_what_works(command, light):
    assert WORKS[command] in run(light, "dhyan", *shlex.split(command)).stdout


@pytest.mark.parametrize("command", NEEDS_TRAINING)
def test_what_needs_pytorch_says_in_one_sentence_how_to_install_it(command, light):
    said = run(light, "dhyan", *shlex.split(command), expect=2).stderr
    assert len(said.splitlines()) == 1
    assert "needs torch, which is not installed" in said
    assert f'pip install "dhyan[train] @ {(light / "checkout").as_uri()}"' in said  # where this one came from


def test_python(light):
    code = """
import sys, dhyan
print(dhyan.load("en-hi")("Hello."), dhyan.load("sentiment")("a warm film"), dhyan.load("english")("a dog").shape)
print(dhyan.load("writer")("To be", max_length=3), dhyan.load("en-hi").explain("Hello.").steps)
assert not {"torch", "sklearn", "scipy"} & set(sys.modules)
"""
    assert "positive (384,)" in run(light, "python", "-c", code).stdout
