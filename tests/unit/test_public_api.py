"""The public API: small, light to import, typed, and strict with what it is given."""

import inspect
import json
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dhyan
from dhyan import DhyanError
from support.packs import TEXT, random_pack

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """One loaded pack of each shape; the encoder both as a classifier and as an embedder."""
    folder = tmp_path_factory.mktemp("packs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DHYAN_CACHE", str(folder / "cache"))
        for shape in ("encoder-decoder", "encoder", "decoder"):
            random_pack(folder / shape, shape)
        return {
            "translate": dhyan.Translator.load(folder / "encoder-decoder", compute="float32"),
            "classify": dhyan.Classifier.load(folder / "encoder"),
            "embed": dhyan.Embedder.load(folder / "encoder"),
            "write": dhyan.Writer.load(folder / "decoder"),
        }


def test_dir_shows_what_is_public_and_nothing_else():
    assert [name for name in dir(dhyan) if not name.startswith("_")] == [
        name for name in sorted(dhyan.__all__) if not name.startswith("_")
    ]
    assert all(getattr(dhyan, name) is not None for name in dhyan.__all__)
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        dhyan.lode


def test_help_shows_how_to_begin():
    text = pydoc.plain(pydoc.render_doc(dhyan))
    assert 'translate = dhyan.load("en-hi")' in text
    for name in set(dhyan.__all__) - {"__version__"}:
        assert re.search(rf"\b{name}\b", text), name


def test_importing_brings_nothing_heavy():
    code = "import json, sys; old = set(sys.modules); import dhyan; print(json.dumps(sorted(set(sys.modules) - old)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not ours & {"torch", "numpy", "pydantic", "ctranslate2", "tokenizers", "rich", "typer", "fastapi"}


def test_repr_says_what_a_model_is(models):
    shown = {task: repr(model).removeprefix("<dhyan.") for task, model in models.items()}
    assert shown == {
        "translate": "Translator 'random-encoder-decoder': Devanagari → Devanagari, 0.1M parameters, float32 on cpu>",
        "classify": "Classifier 'random-encoder': labels bad, fine, good, 0.1M parameters, int8 on cpu>",
        "embed": "Embedder 'random-encoder': 0.1M parameters, int8 on cpu>",
        "write": "Writer 'random-decoder': 0.1M parameters, int8 on cpu>",
    }


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (None, "not None"),
        (b"x", "not bytes; decode them first"),
        (3, "not int"),
        (["a", None], "not None"),
        ([b"x"], "not bytes"),
    ],
)
def test_what_is_no_text_is_refused_in_one_sentence(models, wrong, words):
    calls = [models["translate"], models["translate"].translate, models["classify"], models["classify"].classify]
    translator = models["translate"]
    of_one = [models["write"], translator.explain, translator.continuations]
    of_one += [lambda text: translator.alternatives(text, 2), lambda text: translator.align(text, TEXT[0])]
    for call in [*calls, models["embed"], *of_one]:
        if isinstance(wrong, list) and call in of_one:
            continue
        with pytest.raises(DhyanError, match=words):
            call(wrong)


def test_texts_may_come_from_anything_that_gives_them_one_by_one(models, tmp_path):
    for task in ("translate", "classify", "embed"):
        assert len(models[task](iter(TEXT[:2]))) == 2
    assert len(models["translate"].translate(iter(TEXT[:2]), contexts=iter([None, "menu"]))) == 2
    terms = tmp_path / "terms.tsv"
    terms.write_text("bank\tबैंक\n", encoding="utf-8")
    assert dhyan.Glossary.read(str(terms)).find("the bank")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"target": 3}, "the target must be a str"),
        ({"heads_off": [None]}, "a head must be a str, not None"),
        ({"heads_off": 2.5}, "the name of a head or a list of them, not float"),
        ({"force": [1]}, "force is a dict"),
        ({"force": {"a": 3}}, "a step is a whole number"),
        ({"force": {0: None}}, "a piece to force"),
        ({"hide": [None]}, "a word of the text"),
        ({"hide": 1.5}, "a word of the text or a list of them, not float"),
        ({"set": [1]}, "the numbers to set is a dict"),
        ({"set": {3: 1}}, "an address must be a str"),
    ],
)
def test_a_change_of_the_wrong_type_is_refused(models, asked, words):
    with pytest.raises(DhyanError, match=words):
        models["translate"].explain(TEXT[0], **asked)


def test_one_head_or_word_needs_no_list(models):
    explain = models["translate"].explain
    assert explain(TEXT[0], heads_off="enc.0.h1").heads_off == explain(TEXT[0], heads_off=["enc.0.h1"]).heads_off
    word = explain(TEXT[0]).source.words[0].text
    assert explain(TEXT[0], hide=word).question == explain(TEXT[0], hide=[word]).question
    assert explain(TEXT[0], hide=0).question == explain(TEXT[0], hide=[0]).question


def test_an_explanation_refuses_what_it_does_not_have(models):
    trace = models["translate"].explain(TEXT[0])
    for ask in (lambda: trace[None], lambda: trace.shapes(None), lambda: trace.figure(3), lambda: trace.heads(3)):
        with pytest.raises(DhyanError, match="must be a str"):
            ask()
    for step in (-1, len(trace.written)):
        with pytest.raises(DhyanError, match=f"there is no step {step}"):
            trace.guessed(step)
    assert trace.get("enc.nothing") is None
    assert trace.get("enc.output") is not None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: dhyan.load(None), "name a pack or its folder"),
        (lambda: dhyan.load("en-hi", device=None), "device = 'None'"),
        (lambda: dhyan.load("en-hi", compute="int4"), "compute = 'int4'"),
        (lambda: dhyan.load("en-hi", threads="two"), "threads = two"),
        (lambda: dhyan.load("en-hi", task="sing"), "task = 'sing'"),
        (lambda: dhyan.Writer.load("en-hi"), "a pack for `dhyan translate`, not for `dhyan write`"),
        (lambda: dhyan.train(task="translate", stpes=3), r"'stpes' is not a setting \(did you mean 'steps'"),
        (lambda: dhyan.train(task="translate", dropout=3), "training.dropout = 3"),
        (lambda: dhyan.train("a.toml", resume="b.training"), "leave out the recipe"),
        (lambda: dhyan.train(3), "the recipe is named by its path"),
        (lambda: dhyan.train(task="translate", report=3), "report is a function"),
        (lambda: dhyan.load(""), "the name is empty"),
        (lambda: dhyan.evaluate("en-hi", ""), "'' is no path"),
        (lambda: dhyan.evaluate("en-hi", b"a.tsv"), "the test data is named by its path"),
        (lambda: dhyan.evaluate("en-hi", "a\0.tsv"), "is no path"),
        (lambda: dhyan.evaluate("en-hi", "a.tsv", columns=3), "columns is a dict"),
        (lambda: dhyan.translate_file(None, "b.txt"), "the document is named by its path"),
        (lambda: dhyan.translate_file("a.txt", "b.txt", "en-hi"), "the translator is a function"),
        (lambda: dhyan.Glossary(["bank"]), "a glossary is a dict"),
        (lambda: dhyan.Glossary({3: "x"}), "a term of a glossary must be a str"),
        (lambda: dhyan.Glossary({"bank": 3}), "the translation of 'bank' must be a str"),
        (lambda: dhyan.Glossary.read(None), "a glossary is named by its path"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_sentence(call, words):
    with pytest.raises(DhyanError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_wrong_number_or_glossary_is_refused(models):
    for wrong in (-1, 33, "3"):
        with pytest.raises(DhyanError, match="a number from 0 to 32"):
            models["translate"].translate(TEXT[0], alternatives=wrong)
    with pytest.raises(DhyanError, match=r"a glossary is a dhyan\.Glossary"):
        models["translate"].glossary = 3


def test_an_embedder_clusters_texts(models):
    texts = ["the river", "the bank", "नदी का घर", "नदी"]
    found = models["embed"].cluster(texts, 2)
    assert sorted(member for cluster in found.clusters for member in cluster.members) == [0, 1, 2, 3]
    assert "2 clusters" in found._repr_svg_()
    with pytest.raises(DhyanError, match="give a text"):
        models["embed"].cluster(None)


def test_texts_may_come_from_a_generator(models):
    assert models["embed"](text for text in TEXT).shape == (3, 48)
    assert len(models["translate"](text for text in TEXT)) == 3


# -- the page -------------------------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_page():
    assert not [name for name in dhyan.__all__ if name not in PAGE]


def test_what_the_page_names_is_there_with_these_arguments(models):
    of = {"translator": "translate", "classifier": "classify", "embedder": "embed", "writer": "write"}
    calls = re.findall(r"^\| `(dhyan|translator|classifier|embedder|writer)((?:\.\w+)*)(?:\(([^)]*)\))?`", PAGE, re.M)
    assert len(calls) >= 14
    for owner, path, arguments in calls:
        found = dhyan if owner == "dhyan" else models[of[owner]]
        for name in path.split(".")[1:]:
            found = getattr(found, name)
        named = [part.partition("=")[0].strip(" *") for part in (arguments or "").split(",")]
        if callable(found):
            known = inspect.signature(found).parameters
            assert not [name for name in named if name not in known and name not in ("", "…")], path


# -- types ----------------------------------------------------------------------------------------------------------

TYPES = """
import dhyan
reveal_type(dhyan.load("en-hi"))
reveal_type(dhyan.load("hi-en"))
reveal_type(dhyan.load("english"))
reveal_type(dhyan.load("sentiment"))
reveal_type(dhyan.load("writer"))
reveal_type(dhyan.load("my-pack", task="classify"))
reveal_type(dhyan.load("my-pack"))
reveal_type(dhyan.Translator.load("my-pack"))
"""
UNION = "Translator | Embedder | Classifier | Writer"
REVEALED = ["Translator", "Translator", "Embedder", "Classifier", "Writer", "Classifier", UNION, "Translator"]


def python_blocks():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        found = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        for number, block in enumerate(found, start=1):
            name = "_".join(page.relative_to(ROOT).with_suffix("").parts)
            yield f"{name}_{number}".replace("-", "_"), block


def strict(folder, files):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache" / "users"), *files]
    command += ["--config-file", str(ROOT / "pyproject.toml")]
    command += ["--disable-error-code", "import-untyped"]  # of others' clients, some of which have no types
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_every_python_block_of_the_docs_passes_strict_type_checking(tmp_path):
    blocks = dict(python_blocks())
    assert len(blocks) >= 4
    assert not [name for name, block in blocks.items() if "cast(" in block or "# type:" in block]
    for name, block in (blocks | {"revealed": TYPES}).items():
        (tmp_path / f"{name}.py").write_text(block, encoding="utf-8")
    told = strict(tmp_path, [f"{name}.py" for name in [*blocks, "revealed"]])
    assert "error:" not in told
    found = re.findall(r'Revealed type is "([^"]*)"', told)
    assert [re.sub(r"dhyan\.[\w.]*\.", "", one) for one in found] == REVEALED
