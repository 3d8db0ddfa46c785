"""The everyday commands on real packs: the notes' own list, learnt by heart, and a small writer."""

import json
import re
import subprocess
import sys
from pathlib import Path

import ctranslate2
import pytest

import dhyan as library
from dhyan.cli.console import ConsoleProgress
from dhyan.core.screen import Screen
from dhyan.pack.pack import read_pack
from support.commands import ENVIRONMENT, dhyan
from support.tiny import PAIRS

pytestmark = pytest.mark.usefixtures("at_home")


def said(*arguments, folder, **options):
    return dhyan(*arguments, folder=folder, **options).stdout.splitlines()


def test_words_are_translated_by_the_pack_called_en_hi(home, tmp_path):
    assert said("translate", *PAIRS, folder=tmp_path) == list(PAIRS.values())


def test_no_torch_is_loaded_to_translate(home, tmp_path):
    code = "import sys, dhyan; t = dhyan.load('en-hi'); t('Thank you'); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=False).returncode == 0


def test_python_gives_what_the_command_gives(home):
    translate = library.load("en-hi", threads=1)
    assert translate("How are you?") == PAIRS["How are you?"]
    assert translate(list(PAIRS)) == list(PAIRS.values())
    (found,) = translate.translate(["Thank you"], alternatives=3)
    assert found.text == PAIRS["Thank you"]
    texts = [one.text for one in found.alternatives]
    assert 1 <= len(texts) <= 3
    assert len({found.text, *texts}) == len(texts) + 1  # other ways, all different
    scores = [one.score for one in found.alternatives]
    assert scores == sorted(scores, reverse=True)


def test_the_examples_of_the_documentation_run(home, tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "guides" / "translating.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
    check = "\nassert translate('Thank you') == 'धन्यवाद'\nassert classify('a warm evening') in ('good', 'bad')"
    subprocess.run([sys.executable, "-c", example + check], env=ENVIRONMENT, check=True, capture_output=True)


def test_two_processes_may_convert_at_once(home, tmp_path):
    cache = {"DHYAN_CACHE": str(tmp_path / "cache")}
    code = "import dhyan; print(dhyan.load('en-hi', threads=1)('Thank you'))"
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=ENVIRONMENT | cache, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in running] == ["धन्यवाद"] * 3
    left = [path.name for path in (tmp_path / "cache").iterdir() if path.name != "digests"]
    assert len(left) == 1
    assert left[0].startswith("en-hi-")


def test_case_layout_and_text_that_is_hindi_already(home, tmp_path):
    text = "  - THANK YOU\n\n\t1. How are you? I am fine\n"
    (found,) = [json.loads(line) for line in said("translate", "--json", text, folder=tmp_path)]
    assert found["text"] == "  - धन्यवाद\n\n\t1. आप कैसे हैं मैं बढ़िया हूँ\n"
    (found,) = [json.loads(line) for line in said("translate", "--json", "आप कैसे हैं", folder=tmp_path)]
    assert found["text"] == "आप कैसे हैं"
    assert "already" in found["notes"][0]
    assert [one["source"] for one in found["sentences"]] == ["आप कैसे हैं"]
    assert found["confidence"] == found["sentences"][0]["confidence"] == 1


def test_strict_makes_a_note_an_exit_code(home, tmp_path):
    dhyan("translate", "--strict", "Thank you", folder=tmp_path)
    dhyan("translate", "--strict", "आप कैसे हैं", folder=tmp_path, expect=3)
    (tmp_path / "mixed.txt").write_text("Thank you\nआप कैसे हैं\n", encoding="utf-8")
    dhyan("translate", "mixed.txt", "-o", "out.txt", folder=tmp_path)
    dhyan("translate", "--strict", "mixed.txt", "-o", "out.txt", "--overwrite", folder=tmp_path, expect=3)
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "धन्यवाद\nआप कैसे हैं\n"


def test_a_pack_is_scored_as_users_run_it(home, tmp_path):
    found = json.loads(dhyan("evaluate", "en-hi", "--test", home / "pairs.tsv", "--compute", "int8", "--json",
                             folder=tmp_path).stdout)  # fmt: skip
    assert found["chrf"] == 100


def test_a_glossary_is_obeyed(home, tmp_path):
    (tmp_path / "terms.tsv").write_text("Thank you\tशुक्रिया\nDhyan\n", encoding="utf-8")
    found = said("translate", "--glossary", "terms.tsv", "Thank you", "Dhyan", folder=tmp_path)
    assert found == ["शुक्रिया", "Dhyan"]
    translate = library.load("en-hi", threads=1)
    translate.glossary = tmp_path / "terms.tsv"
    (found,) = translate.translate(["Thank you. I am fine"], alternatives=3)
    assert all("शुक्रिया" in one.text for one in found.alternatives)


def test_input_of_any_length_and_none(home):
    translate = library.load("en-hi", threads=1)
    assert translate(["", "  \n"]) == ["", "  \n"]
    found = translate(["é" * 3000, "Thank you"])
    assert found[0]
    assert found[1] == PAIRS["Thank you"]
    with pytest.raises(library.DhyanError, match="compute"):
        library.load("en-hi", compute="int4")


def test_files_folders_and_pipes(home, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.md").write_text("# Thank you\n\n- How are you?\n\n```\nThank you\n```\n")
    (tmp_path / "in" / "picture.bin").write_bytes(b"\x00\x01")
    dhyan("translate", "in/notes.md", "-o", "notes.hi.md", folder=tmp_path)
    expected = "# धन्यवाद\n\n- आप कैसे हैं\n\n```\nThank you\n```\n"
    assert (tmp_path / "notes.hi.md").read_text(encoding="utf-8") == expected
    dhyan("translate", "in", "-o", "out", folder=tmp_path)
    assert (tmp_path / "out" / "notes.md").read_text(encoding="utf-8") == expected
    assert (tmp_path / "out" / "picture.bin").read_bytes() == b"\x00\x01"
    piped = subprocess.run(
        [sys.executable, "-m", "dhyan.cli", "translate"],
        input="Thank you\n\nI am fine\n",
        env=ENVIRONMENT | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert piped.stdout == "धन्यवाद\n\nमैं बढ़िया हूँ\n"


def test_pipes_take_formats_and_files_go_to_the_screen(home, tmp_path):
    (tmp_path / "notes.md").write_text("# Thank you\n\n```\nThank you\n```\n")
    expected = "# धन्यवाद\n\n```\nThank you\n```\n"
    assert dhyan("translate", "notes.md", "-o", "-", folder=tmp_path).stdout == expected
    for arguments, printed in ((["-o", "-"], expected), ([], expected), (["-o", "out.md"], "")):
        piped = subprocess.run(
            [sys.executable, "-m", "dhyan.cli", "translate", "--format", "md", *arguments],
            stdin=(tmp_path / "notes.md").open(),
            env=ENVIRONMENT | {"PYTHONIOENCODING": "utf-8"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert piped.stdout == printed
    assert (tmp_path / "out.md").read_text(encoding="utf-8") == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.md", "out.md"]


def test_latin_letters_register_and_a_review(home, tmp_path):
    (tmp_path / "notes.md").write_text("# Thank you\n\nHow are you?\n", encoding="utf-8")
    (tmp_path / "terms.tsv").write_text("Thank you\tशुक्रिया\n", encoding="utf-8")
    how = ("--roman", "iso", "--glossary", "terms.tsv", "--formality", "informal", "--side-by-side", "review.md")
    told = dhyan("translate", "--json", *how, "Thank you. How are you?", folder=tmp_path)
    row = json.loads(told.stdout)
    assert row["roman"] == library.romanise(row["text"], "iso")
    assert "glossary: Thank you → शुक्रिया (1)" in row["notes"]
    assert any(note.startswith("style: informal") for note in row["notes"])
    assert "How are you?" in (tmp_path / "review.md").read_text(encoding="utf-8")
    assert said("translate", "--roman", "plain", "Thank you", folder=tmp_path) == ["dhanyavaad"]
    dhyan("translate", "notes.md", "-o", "out.md", "--side-by-side", "review.html", "--keep-order", folder=tmp_path)
    page = (tmp_path / "review.html").read_text(encoding="utf-8")
    assert "<title>notes.md</title>" in page
    assert page.index("Thank you") < page.index("How are you?")


def test_a_pack_is_written_on(home, tmp_path):
    flags = ["--max-length", 20, "--seed", 4]
    first, again = (said("write", "to be", *flags, folder=tmp_path) for _ in range(2))
    assert first == again
    assert first[0].startswith("to be")
    told = json.loads(said("write", "to be", *flags, "--json", folder=tmp_path)[0])
    assert "to be" + told["text"] == "\n".join(first)


def test_an_exported_pack_is_plain_ctranslate2(home, tmp_path):
    dhyan("export", "en-hi", "out", "--compute", "float32", folder=tmp_path)
    pack = read_pack(home / "packs" / "en-hi")
    source = [pack.source_tokenizer.piece(number) for number in pack.source_tokenizer.encode("Thank you")]
    result = ctranslate2.Translator(str(tmp_path / "out"), compute_type="float32").translate_batch([source])[0]
    assert "".join(result.hypotheses[0]).strip() == PAIRS["Thank you"]


def test_models_and_doctor_tell_what_there_is(home, tmp_path):
    found = json.loads(dhyan("models", "--json", folder=tmp_path).stdout)
    tasks = {"en-hi": "translate", "writer": "write", "sentiment": "classify", "english": "embed"}
    tasks["hi-en"] = "translate"  # built in; the others are the user's own of these names
    assert {one["name"]: one["task"] for one in found} == tasks
    assert "en-hi" in dhyan("models", folder=tmp_path).stdout
    answers = json.loads(dhyan("doctor", "--json", folder=tmp_path).stdout)
    assert answers["dhyan"] == library.__version__
    assert str(home / "cache") in answers["cache"]
    assert "en-hi, english, sentiment, writer" in answers["your packs"]


def test_square_brackets_are_shown_as_they_are(capsys):
    ConsoleProgress(Screen()).table("[mine]", ["label"], [["[positive]"], [":smile:"]])
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("[mine]", "[positive]", ":smile:"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["translate", "--model", "en-hii", "x"], "did you mean 'en-hi'"),
        (["translate", "--model", "writer", "x"], "a pack for `dhyan write`, not for `dhyan translate`"),
        (["translate", "nothing.md"], "nothing.md: there is no such file"),
        (["translate", "there.md"], "with -o"),
        (["translate", "there.md", "-o", "there.md"], "there.md"),
        (["translate", "there.md", "-o", "taken.md"], "taken.md"),
        (["translate", "there.xyz", "-o", "out.xyz"], "--format"),
        (["translate", "binary.txt", "-o", "out.txt"], "binary.txt"),
        (["translate", "there.md", "-o", "no/such/folder/out.md"], "no/such/folder"),
        (["translate", "--glossary", "bad.tsv", "x"], "bad.tsv, line 2"),
        (["translate", "there.md", "words", "-o", "x.md"], "texts and files together"),
        (["translate", "--columns", "a", "x"], "--columns is for files and pipes"),
        (["translate", "--roman", "isso", "x"], "did you mean 'iso'"),
        (["translate", "--roman", "iso", "there.md", "-o", "x.md"], "--roman is for texts and pipes"),
        (["translate", "--formality", "formel", "x"], "did you mean 'formal'"),
        (["translate", "--gender", "x", "x"], "feminine or masculine"),
        (["translate", "--side-by-side", "review.txt", "x"], "must end in .html or .md"),
        (["translate", "--format", "mdd", "there.md", "-o", "x.md"], "did you mean 'md'"),
        (["write", "--temperature", "0", "x"], "temperature"),
        (["write", "--seed", "4294967296", "x"], "seed"),
        (["write", "--threads", "-1", "x"], "--threads"),
        (["export", "en-hi", "taken.md"], "taken.md exists already"),
        (["export", "en-hi", "out", "--to", "onx"], "did you mean 'onnx'"),
        (["export", "en-hi", "out", "--to", "argos"], "--shared --pieces unigram"),
    ],
)
def test_bad_input_is_one_line(arguments, words, home, tmp_path):
    (tmp_path / "there.md").write_text("Thank you")
    (tmp_path / "taken.md").write_text("mine")
    (tmp_path / "there.xyz").write_text("Thank you")
    (tmp_path / "binary.txt").write_bytes(b"\xff\x00\xfe")
    (tmp_path / "bad.tsv").write_text("a\tb\nc\td\te\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    told = dhyan(*arguments, folder=tmp_path, expect=2).stderr.splitlines()
    assert len(told) == 1
    assert told[0].startswith("dhyan: ")
    assert words in told[0]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
