"""Engines beside other threads, in forked processes and in pickles."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest

import dhyan
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.model.generation.settings import GenerationSettings
from support.packs import TEXT, random_pack

pytestmark = pytest.mark.slow

SOURCE = str(Path(dhyan.__file__).parents[1])


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


def run_python(code, *arguments, path=SOURCE):
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


WHILE_IMPORTING = """
import sys, threading, time
failed, done = [], threading.Event()

def import_torch():
    while not done.is_set():
        try:
            import torch
            assert torch.name == "stand-in"
        except ImportError as error:
            failed.append(error)
        sys.modules.pop("torch", None)
        time.sleep(0.001)  # or the two threads do little but wait for each other

thread = threading.Thread(target=import_torch)
thread.start()
from dhyan.engines.import_ctranslate2 import ctranslate2, model_spec
done.set()
thread.join()
print(len(failed), model_spec.torch_is_available)
"""


def test_another_thread_can_import_torch_meanwhile(tmp_path):
    (tmp_path / "torch.py").write_text("name = 'stand-in'\n")
    ran = run_python(WHILE_IMPORTING, path=f"{tmp_path}{os.pathsep}{SOURCE}")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split()[0] == "0"


def test_starting_does_not_import_torch(tmp_path):
    (tmp_path / "torch.py").write_text("raise RuntimeError('not needed')\n")
    ran = run_python("import dhyan.engines.import_ctranslate2", path=f"{tmp_path}{os.pathsep}{SOURCE}")
    assert ran.returncode == 0, ran.stderr


def test_threads_that_sample_at_once_keep_to_their_own_seeds(tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", bias_to_end=-9.0)
    engine = CTranslate2Engine(pack, threads=1)
    prompt = pack.tokenizer.encode(TEXT[0])[:8]

    def write(seed):
        return list(engine.write(prompt, GenerationSettings(sample=True, seed=seed, max_length=12)))

    alone = {seed: write(seed) for seed in range(8)}
    assert len({tuple(ids) for ids in alone.values()}) == 8
    together = {}
    threads = [Thread(target=lambda seed=seed: together.update({seed: write(seed)})) for seed in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_a_sampled_text_depends_on_its_seed_alone_whichever_worker_writes_it(tmp_path):
    """Across several generators, beside texts that are left unread or in use by other threads."""
    pack = random_pack(tmp_path / "pack", "decoder", bias_to_end=-9.0)
    engine = CTranslate2Engine(pack, threads=1)
    engine._sampler.count = 3
    started = []
    engine._sampler.start = lambda workers: started.append(workers) or engine._start(workers)
    prompt = pack.tokenizer.encode(TEXT[0])[:8]

    def write(seed):
        return engine.write(prompt, GenerationSettings(sample=True, seed=seed, max_length=12))

    alone = [
        list(
            CTranslate2Engine(pack, threads=1).write(
                prompt, GenerationSettings(sample=True, seed=seed, max_length=12)
            )
        )
        for seed in range(4)
    ]
    unread = [write(9) for _ in range(2)]
    for each in unread:
        next(each)
    assert [list(write(seed)) for seed in (0, 1, 2, 3, 3, 2, 1, 0)] == [*alone, *reversed(alone)]
    del unread
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda seed: list(write(seed)), [0, 1, 2, 3] * 4))
    assert found == alone * 4
    assert started == [3] * 9  # one for three texts: 2 + 8 + 16 of them


LEFT_UNREAD = """
import sys
from dhyan import load

model = load(sys.argv[1], threads=1)
is_sampled = sys.argv[3] == "sampled"
finished = model(sys.argv[2], sample=is_sampled, max_length=5)
text = model.stream(sys.argv[2], sample=is_sampled, max_length=50)
next(text)
print("ended")
"""


@pytest.mark.parametrize("way", ["sampled", "greedy"])
def test_a_process_can_end_while_a_text_is_unread(way, tmp_path):
    random_pack(tmp_path / "pack", "decoder", bias_to_end=-9.0)
    ran = run_python(LEFT_UNREAD, tmp_path / "pack", TEXT[0], way)
    assert (ran.stdout, ran.returncode) == ("ended\n", 0), ran.stderr


FORKED = """
import os, sys
from dhyan import load

options = {"sample": True, "max_length": 12} if sys.argv[3] == "decoder" else {}
model = load(sys.argv[1], threads=2)
before = model(sys.argv[2], **options)
if options:
    unread = model.stream(sys.argv[2], **options)
    next(unread)
child = os.fork()
if not child:
    print(model(sys.argv[2], **options) == before, flush=True)
    sys.exit(7)  # the ordinary way out, with all destructors
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), model(sys.argv[2], **options) == before)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("shape", ["encoder-decoder", "decoder"])
def test_a_forked_child_can_go_on_with_a_loaded_model(shape, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    random_pack(tmp_path / "pack", shape)
    ran = run_python(FORKED, tmp_path / "pack", TEXT[0], shape)
    assert ran.stdout.split() == ["True", "7", "True"], ran.stderr


PICKLED = """
import pickle, sys
from dhyan import load
from dhyan.translation import Glossary

model = load(sys.argv[1], compute="float32", threads=1)
if hasattr(model, "glossary"):
    model.glossary = Glossary({"bank": "XX"})
again = pickle.loads(pickle.dumps(model))
a, b = model(sys.argv[2]), again(sys.argv[2])
print(repr(a) == repr(b), "XX" in str(b), again.engine.compute, again.engine.threads, type(again) is type(model))
"""


@pytest.mark.parametrize(("shape", "glossary"), [("encoder-decoder", True), ("encoder", False), ("decoder", False)])
def test_a_pickle_opens_the_pack_again(shape, glossary, tmp_path):
    random_pack(tmp_path / "pack", shape)
    ran = run_python(PICKLED, tmp_path / "pack", "the bank")
    assert ran.stdout.split() == ["True", str(glossary), "float32", "1", "True"], ran.stderr
