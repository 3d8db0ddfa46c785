"""`dhyan explain` and `.explain()` on trained packs, as users run them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dhyan as library
from dhyan.cli.app import main
from support.commands import ENVIRONMENT, dhyan
from support.tiny import PAIRS

pytestmark = pytest.mark.usefixtures("at_home")


def said(*arguments, folder, **options):
    return dhyan("explain", *arguments, folder=folder, **options).stdout


def test_the_explanation_says_what_the_engine_says(home):
    translate = library.load("en-hi", compute="float32", threads=1)
    for text in PAIRS:
        trace = translate.explain(text)
        assert trace.text == translate.sentence_translator([text])[0]
        np.testing.assert_allclose(trace["dec.1.cross.weights"].sum(axis=-1), 1, atol=1e-5)


def test_what_was_learnt_by_heart_is_walked_through(home, tmp_path):
    trace = library.load("en-hi", threads=1).explain("Thank you")
    assert trace.text == PAIRS["Thank you"]
    shown = said("Thank you", folder=tmp_path)
    for words in (
        "Thank you → धन्यवाद",
        "Text → pieces → ids",
        "÷ √d_k",
        "softmax",
        "Feed-forward",
        "And round again",
    ):
        assert words in shown
    row = trace.steps[0]
    assert f"{row.chosen.probability:.4f}" in shown
    assert trace.alignment.said in shown
    other = said("Thank you", "--layer", 1, "--head", 1, "--step", 2, folder=tmp_path)
    assert "enc.1.self.h1.weights" in other
    assert "Step 2" in other


def test_no_torch_is_loaded_to_explain(home):
    code = "import sys, dhyan; dhyan.load('en-hi').explain('Thank you').alignment; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=False).returncode == 0


def test_any_array_by_address(home, tmp_path):
    trace = library.load("en-hi", threads=1).explain("Thank you")
    address = "dec.1.cross.h1.weights"
    expected = trace[address]
    told = json.loads(said("Thank you", "--at", address, "--json", folder=tmp_path))
    np.testing.assert_allclose(told["values"], expected, atol=1e-6)
    assert told["shape"] == list(expected.shape)
    rows = said("Thank you", "--at", address, "--csv", folder=tmp_path).splitlines()
    assert len(rows) == len(expected) + 1
    said("Thank you", "--at", address, "--npy", "out.npy", folder=tmp_path)
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), expected, atol=1e-6)
    printed = said("Thank you", "--at", f"{address}[0,0]", folder=tmp_path)
    assert float(printed.splitlines()[-1].replace("−", "-")) == pytest.approx(float(expected[0, 0]), rel=1e-5)
    merged = json.loads(said("Thank you", "--at", address, "--word-mode", "--json", folder=tmp_path))
    assert merged["axes"][1]["labels"] == ["Thank", "you", "<end>"]
    np.testing.assert_allclose(np.sum(merged["values"], axis=1), 1, atol=1e-5)
    listed = said("Thank you", "--addresses", folder=tmp_path)
    assert "dec.1.cross.weights  4 × " in listed
    assert "enc.0.self.W_Q  4 × 16 × 64" in listed


def test_the_summary_as_json(home, tmp_path):
    told = json.loads(said("Thank you", "--json", folder=tmp_path))
    assert told["text"] == PAIRS["Thank you"]
    assert [word["text"] for word in told["source"]["words"]] == ["Thank", "you", "<end>"]
    assert told["steps"][0]["guesses"][0]["probability"] > 0.3
    assert told["alignment"]["head"].startswith("dec.")
    assert len(told["occlusion"]["values"][0]) == 2
    heads = json.loads(said("Thank you", "--at", "heads", "--json", folder=tmp_path))
    assert len(heads) == 2 * 4 * 3
    assert "matters" in said("Thank you", "--at", "heads", folder=tmp_path)
    beam = json.loads(said("Thank you", "--at", "beam", "--beam", 3, "--json", folder=tmp_path))
    assert beam["beam"] == 3
    assert {one["fate"] for step in beam["steps"] for one in step} >= {"best", "pruned"}
    assert "results" in said("Thank you", "--at", "beam", folder=tmp_path)


def test_figures_and_pages_are_files(home, tmp_path):
    said("Thank you", "--at", "dec.1.cross", "--figure", "out.svg", folder=tmp_path)
    svg = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "dec.1.cross.h1" in svg
    said("Thank you", "--html", "out.html", folder=tmp_path)
    assert "धन्यवाद" in (tmp_path / "out.html").read_text(encoding="utf-8")
    before = (tmp_path / "out.html").read_bytes()
    told = dhyan("explain", "I am fine", "--html", "out.html", folder=tmp_path, expect=2).stderr
    assert "is there already" in told
    assert (tmp_path / "out.html").read_bytes() == before


def test_a_hidden_word_says_what_changed(home, tmp_path):
    shown = said("Thank you", "--hide", "1", folder=tmp_path)
    assert "hidden: you" in shown
    assert "Δ log-probability of what was written before" in shown


def test_numbers_set_by_hand_say_what_changed(home, tmp_path):
    shown = said("Thank you", "--set", "enc.output[0]=0", "--set", "enc.0.self.h1.weights[0,:2]=1,0", folder=tmp_path)
    assert "set: enc.output[0] = 0" in shown
    assert "set: enc.0.self.h1.weights[0,:2] = 2 numbers" in shown
    assert "Δ log-probability of what was written before" in shown
    assert "(never reached" in said("Thank you", "--set", "dec.output[200]=0", folder=tmp_path)
    trace = library.load("en-hi", threads=1)
    other = trace.explain("I am fine")
    asked = ["--patch", "enc.output[1]", "--set", "enc.output[0]=enc.output[2]", "--from", "I am fine", "--json"]
    told = json.loads(said("Thank you", *asked, folder=tmp_path))
    expected = trace.explain("Thank you", set={"enc.output[1]": other, "enc.output[0]": other["enc.output[2]"]})
    assert told["text"] == expected.text
    assert told["change"]["total"] == pytest.approx(expected.change.total, abs=1e-4)


def test_heads_off_and_forced_pieces_say_what_changed(home, tmp_path):
    shown = said("Thank you", "--heads-off", "enc.0.h1,dec.1.cross", folder=tmp_path)
    assert "heads off: enc.0.self.h1, dec.1.cross.h0, dec.1.cross.h1, dec.1.cross.h2, dec.1.cross.h3" in shown
    assert "What changed" in shown
    assert "before  धन्यवाद" in shown
    trace = library.load("en-hi", threads=1).explain("Thank you")
    other = trace.steps[1].guesses[1]
    told = json.loads(said("Thank you", "--force", f"1=#{other.id}", "--json", folder=tmp_path))
    assert told["steps"][1]["forced"]
    assert told["steps"][1]["chosen"]["id"] == other.id
    assert told["change"]["before"] == trace.text
    given = json.loads(said("Thank you", "--target", "बधाई", "--json", folder=tmp_path))
    assert given["text"] == "बधाई"


def test_the_other_shapes(home, tmp_path):
    assert "The label" in said("a warm film", "--model", "sentiment", folder=tmp_path)
    told = json.loads(said("a warm film", "--model", "sentiment", "--json", folder=tmp_path))
    assert told["labels"][told["text"]] == max(told["labels"].values())
    written = json.loads(said("to be", "--model", "writer", "--max-length", 5, "--json", folder=tmp_path))
    assert len(written["steps"]) <= 5
    assert "And round again" in said("to be", "--model", "writer", "--max-length", 5, folder=tmp_path)
    for model in ("sentiment", "writer"):
        said("to be", "--model", model, "--html", f"{model}.html", folder=tmp_path)


def test_the_examples_of_the_documentation_run(home, tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "guides" / "explain.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
    assert examples
    for example in examples:
        subprocess.run(
            [sys.executable, "-c", example], env=ENVIRONMENT, check=True, capture_output=True, cwd=tmp_path
        )
    trace = library.load("en-hi", threads=1).explain("Thank you")
    for name in re.findall(r"`trace\.(\w+)", text):
        assert hasattr(trace, name), name
    commands = re.findall(r"^dhyan explain (.*?)(?: +#.*)?$", text, flags=re.M)
    assert commands
    for command in commands:
        subprocess.run(
            ["bash", "-c", f"{sys.executable} -m dhyan.cli explain {command}"], env=ENVIRONMENT, check=True,
            capture_output=True, cwd=tmp_path,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["  "], "no text to explain"),
        (["word " * 400], "at most 256"),
        (["hi", "--at", "enc.0.slef.weights"], "did you mean 'enc.0.self.weights'"),
        (["hi", "--at", "enc.0.self.h7.weights"], "h0 to h3"),
        (["hi", "--at", "enc.0.ffn"], "is a part, not an array"),
        (["hi", "--at", "enc.0.self.h0.query", "--word-mode", "--csv"], "no tokens side by side"),
        (["hi", "--at", "beam", "--csv"], "not an array"),
        (["hi", "--heads-off", "enc.9.h0"], "there is no 'enc.9.h0'"),
        (["hi", "--set", "enc.output[0]"], "sets nothing"),
        (["hi", "--set", "enc.output[0]=1,2"], "2 numbers do not fit"),
        (["hi", "--patch", "enc.output"], "give it with --from"),
        (["hi", "--heads-off", "dec.0.h0"], "dec.0.self or dec.0.cross"),
        (["hi", "--force", "0=not a piece at all"], "not one piece"),
        (["hi", "--force", "first=a"], "a step and a token"),
        (["hi", "--force", "99=#300"], "no step 99"),
        (["hi", "--csv"], "--at"),
        (["hi", "--json", "--csv", "--at", "enc.input"], "choose one"),
        (["hi", "--figure", "out.jpg"], ".svg or .png"),
        (["hi", "--html", "no/such/out.html"], "a folder that is there"),
        (["hi", "--theme", "drak"], "did you mean 'dark'"),
        (["hi", "--head", "9"], "there is no head 9"),
        (["hi", "--beam", "0"], "beam = '0': input should be greater than or equal to 1"),
        (["hi", "--model", "sentiment", "--at", "alignment"], "an encoder alone"),
        (["hi", "--model", "sentiment", "--at", "beam"], "there is no beam"),
        (["hi", "--target", "a", "--at", "beam"], "there is no beam"),
        (["hi", "--from", "bye"], "say what is copied"),
        (["hi", "--addresses", "--at", "enc.9"], "nothing below 'enc.9'"),
        (["hi", "--model", "sentiment", "--force", "0=a"], "writes nothing"),
        (["hi", "--model", "writer", "--at", "dec.0.cross.weights"], "there is no 'dec.0.cross.weights'"),
        (["hi", "--model", "en-hii"], "did you mean 'en-hi'"),
    ],
)
def test_bad_input_is_one_line(arguments, words, home, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["explain", *arguments])
    told = capsys.readouterr().err.splitlines()
    assert left.value.code == 2
    assert len(told) == 1
    assert told[0].startswith("dhyan: ")
    assert words in told[0]
    assert not list(tmp_path.iterdir())
