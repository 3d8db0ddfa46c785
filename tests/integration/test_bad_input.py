"""Whatever a user gets wrong is lines in one line that says what is wrong and what to do, with exit code 2; nothing
is written, and nothing that was there is lost."""

import contextlib
import gzip
import lzma
import os
import resource
import shlex
import shutil
import subprocess
import sys

import pytest
import torch

from dhyan.cli.app import main

TINY = "--d-model 16 --heads 2 --d-ff 32 --encoder-layers 1 --decoder-layers 1 --steps 2"
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
NO_GPU = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")

SOURCES = [
    f"the {kind} {thing}" for kind in ("red", "big", "new", "old") for thing in ("house", "river", "book", "tree")
]
TARGETS = [f"{thing} {kind} है" for kind in ("लाल", "बड़ा", "नया", "पुराना") for thing in ("घर", "नदी", "किताब", "पेड़")]
PAIRS = "".join(f"{source}\t{target}\n" for source, target in zip(SOURCES, TARGETS, strict=True))

RECIPE = 'task = "translate"\nout = "new"\n[data]\ntrain = ["pairs.tsv"]\n'
FILES = {
    "pairs.tsv": PAIRS,
    "sources.en": "".join(f"{text}\n" for text in SOURCES),
    "targets.hi": "".join(f"{text}\n" for text in TARGETS[:14]),
    "text.txt": "\n".join(SOURCES),
    "empty.tsv": "",
    "one-column.tsv": "the sea\tसमुद्र\nthe sky\n",
    "latin1.tsv": "the sea\tसमुद्र\ncafé\tकैफ़े\n".encode().replace("é".encode(), b"\xe9"),
    "cut.tsv.gz": gzip.compress(PAIRS.encode())[:-20],
    "not.tsv.gz": PAIRS,
    "cut.tsv.xz": lzma.compress(PAIRS.encode())[:-20],
    "labels.tsv": "".join(f"{'good' if 'new' in text else 'bad'}\t{text}\n" for text in SOURCES),
    "one-label.tsv": "".join(f"good\t{text}\n" for text in SOURCES),
    "swapped.tsv": "".join(f"{text} {number}\tgood\n" for number in (1, 2) for text in SOURCES),
    "unseen-label.tsv": "good\tthe new sea\nmiddling\tthe old sea\n",
    "wrong-key.toml": RECIPE + "[model]\nhaeds = 2\n",
    "wrong-section.toml": RECIPE + "[trainning]\nsteps = 2\n",
    "wrong-value.toml": RECIPE + '[training]\nsteps = "many"\n',
    "wrong-choice.toml": RECIPE + '[model]\nnorm = "middle"\n',
    "wrong-task.toml": RECIPE.replace("translate", "tranlsate"),
    "no-section.toml": 'task = "translate"\nmodel = 3\n',
    "no-list.toml": RECIPE.replace('["pairs.tsv"]', '"pairs.tsv"'),
    "no-task.toml": 'out = "new"\n',
    "not.toml": "task = translate\n",
    "begun.training/recipe.toml": RECIPE,
    "folder/kept.txt": "mine",
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with data of all sorts, a translation pack `english-hindi` and a classifier `moods`."""
    folder = tmp_path_factory.mktemp("prepared")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for task, data, out in (("translate", "pairs.tsv", "english-hindi"), ("classify", "labels.tsv", "moods")):
        with contextlib.chdir(folder):
            assert exit_code(f"train {task} --train {data} --out {out} TINY") == 0
    return folder


def everything(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def exit_code(command):
    with pytest.raises(SystemExit) as left:
        main(shlex.split(command.replace("TINY", TINY)))
    return left.value.code


def run(command, folder, monkeypatch, capfd):
    """The command in this process, as the script runs it: its exit code and the lines of its error stream."""
    monkeypatch.chdir(folder)
    capfd.readouterr()
    return exit_code(command), capfd.readouterr().err.splitlines()


TRAIN_MISTAKES = [
    # the data
    ("translate --train nope.tsv --out new", ["nope.tsv", "no such file", "check the spelling"]),
    ("translate --train folder --out new", ["folder is a folder", "name the files in it"]),
    ("translate --train empty.tsv --out new", ["empty.tsv is empty", "name a file that holds text"]),
    ("write --train empty.tsv --out new", ["empty.tsv is empty", "name a file that holds text"]),
    ("translate --train text.txt --out new",
     ["text.txt", "only from .tsv, .csv, .xlsx and .jsonl", "two parallel files"]),
    ("translate --train one-column.tsv --out new", ["one-column.tsv, line 2", "1 column where 2", "fix or delete"]),
    ("translate --train sources.en --train-target targets.hi --out new",
     ["sources.en has 16 lines", "targets.hi has 14 lines", "must belong to line n"]),
    ("translate --train sources.en --train-target nope.hi --out new", ["nope.hi", "no such file"]),
    ("translate --train pairs.tsv --valid-target targets.hi --out new", ["0 source and 1 target", "go in pairs"]),
    ("classify --train labels.tsv --train-target targets.hi --out new", ["train_target", "task translate", "leave"]),
    ("translate --train latin1.tsv --out new", ["latin1.tsv, line 2", "0xE9 is not UTF-8", "iconv"]),
    ("write --train latin1.tsv --out new", ["latin1.tsv, line 2", "0xE9 is not UTF-8", "iconv"]),
    ("translate --train cut.tsv.gz --out new", ["cut.tsv.gz is not a whole .gz file", "copy or compress it again"]),
    ("translate --train not.tsv.gz --out new", ["not.tsv.gz is not a whole .gz file", "copy or compress it again"]),
    ("translate --train cut.tsv.xz --out new", ["cut.tsv.xz is not a whole .xz file", "copy or compress it again"]),
    ("translate --train pairs.tsv --valid nope.tsv --out new", ["nope.tsv", "no such file"]),
    ("translate --train pairs.tsv --valid one-column.tsv --out new", ["one-column.tsv, line 2", "1 column where 2"]),
    ("translate --train pairs.tsv --max-words 1 --out new", ["no training rows are left", "too long 16", "loosen"]),
    ("classify --train one-label.tsv --out new", ["one-label.tsv", "every row has the label 'good'", "at least two"]),
    ("classify --train swapped.tsv --out new",
     ["swapped.tsv", "32 different labels in 32 rows", "--columns label=2,text=1"]),
    ("classify --train labels.tsv --valid unseen-label.tsv --out new",
     ["unseen-label.tsv, line 2", "'middling' is not in the training data (bad, good)", "fix the row"]),
    ("classify --train labels.tsv --columns garbage --out new", ["--columns 'garbage'", "label=2,text=1"]),
    ("classify --train labels.tsv --columns lable=1 --out new", ["no column 'lable'", "did you mean 'label'"]),
    ("classify --train labels.tsv --columns label=first --out new", ["'first'", "no such name"]),
    ("classify --train labels.tsv --columns label=7 --out new", ["labels.tsv, line 1", "column 7 is needed (label)"]),
    # the command
    ("translate --train pairs.tsv --out new --stpes 9",
     ["there is no option --stpes (did you mean '--steps'?)", "`dhyan train --help`"]),
    ("translate --train pairs.tsv --out new --steps", ["'--steps' requires an argument", "--help"]),
    ("translate --train pairs.tsv --out new extra", ["unexpected extra argument", "extra", "`dhyan train --help`"]),
    ("", ["say what to train: translate, classify, embed, write, or a recipe file", "--help"]),
    ("tranlsate --train pairs.tsv --out new", ["'tranlsate' is neither a task", "did you mean 'translate'"]),
    ("translate --out new", ["no training data", "--train FILE"]),
    ("translate --train pairs.tsv", ["no folder for the pack", "--out"]),
    # recipes
    ("nope.toml", ["nope.toml", "no such file", "check the spelling"]),
    ("wrong-key.toml", ["wrong-key.toml", "'model.haeds' is not a setting", "did you mean 'heads'"]),
    ("wrong-section.toml", ["wrong-section.toml", "'trainning' is not a setting", "did you mean 'training'"]),
    ("wrong-value.toml", ["wrong-value.toml", "training.steps = 'many'", "integer"]),
    ("wrong-choice.toml", ["wrong-choice.toml", "model.norm = 'middle' is not one of pre, post"]),
    ("wrong-task.toml", ["wrong-task.toml", "task = 'tranlsate'", "did you mean 'translate'"]),
    ("no-section.toml", ["no-section.toml", "model = 3", "under [model]"]),
    ("no-list.toml", ["no-list.toml", "data.train = 'pairs.tsv'", "as a list, ['pairs.tsv']"]),
    ("no-task.toml", ["no-task.toml", "'task' is missing", "translate, classify, embed, write"]),
    ("not.toml", ["not.toml is not valid TOML", "line 1"]),
    # settings
    ("translate --train pairs.tsv --out new --steps many", ["training.steps = 'many'", "integer"]),
    ("translate --train pairs.tsv --out new --dropout 2", ["training.dropout = '2'", "less than 1"]),
    ("translate --train pairs.tsv --out new --vocabulary 100000", ["100,000 is larger", "at most 4", "leave it out"]),
    ("translate --train pairs.tsv --out new --vocabulary 100", ["100 is too small", "at least 278", "--vocabulary"]),
    ("translate --train pairs.tsv --out new --d-model 16 --heads 3", ["heads = 3 does not divide", "try heads = 2"]),
    ("translate --train pairs.tsv --out new --d-model 15", ["sinusoidal positions need an even size"]),
    ("translate --train pairs.tsv --out new --tie all", ["tie = 'all'", "set shared = true"]),
    ("translate --train pairs.tsv --out new --source-script Latn", ["'Latn'", "did you mean 'Latin'"]),
    ("translate --train pairs.tsv --out new --device tpu", ["device = 'tpu'", "auto, cpu, cuda or cuda:1"]),
    ("translate --train pairs.tsv --out new --device cpu --precision bfloat16", ["needs a GPU", "use float32"]),
    ("classify --train labels.tsv --out new --metric bleu", ["'bleu' is not measured", "(loss, accuracy, f1, "]),
    ("translate --train pairs.tsv --out new --metric accuracy", ["'accuracy'", "(loss, bleu, chrf)"]),
    ("translate --train pairs.tsv --out new --metric blue", ["metric = 'blue'", "did you mean 'bleu'"]),
    ("translate --train pairs.tsv --out new --objective masked", ["'masked'", "task 'translate'", "(translation)"]),
    # where to begin, where to go
    ("translate --train pairs.tsv --out new --start-from nope", ["there is no pack 'nope'", "or name its folder"]),
    ("translate --train pairs.tsv --out new --start-from en-hu", ["no pack 'en-hu'", "did you mean 'en-hi'"]),
    ("translate --train pairs.tsv --out new --start-from folder", ["folder is not a pack", "name the folder"]),
    ("translate --train pairs.tsv --out new --start-from english-hindi --d-model 32",
     ["d_model = 32", "english-hindi has 16", "leave the setting out"]),
    ("write --train text.txt --out new --start-from moods", ["moods is encoder", "no target side", "another pack"]),
    ("translate --train pairs.tsv --out folder", ["folder exists already and is left as it is", "another --out"]),
    ("translate --train pairs.tsv --out .", ["exists already and is left as it is", "another --out"]),
    ("translate --train pairs.tsv --out begun", ["begun.training", "`dhyan train --resume begun.training`"]),
    ("translate --train pairs.tsv --out text.txt/new", ["text.txt is a file", "choose another --out"]),
    # going on
    ("--resume nope", ["nope: there is no such folder", "name the .training folder"]),
    ("--resume folder", ["folder is not a training's folder", "name the .training folder"]),
    ("--resume .", ["is not a training's folder", "name the .training folder"]),
    ("--resume english-hindi", ["english-hindi is a finished pack", "--start-from english-hindi"]),
    ("--resume english-hindi.training", ["english-hindi exists already", "move it away"]),
    ("translate --resume english-hindi.training", ["--resume", "leave out the task"]),
    ("--resume english-hindi.training --dropout 0.5", ["dropout cannot change", "steps", "leave it out"]),
    ("--resume english-hindi.training --out other", ["out cannot change", "leave it out"]),
]  # fmt: skip

EVALUATE_MISTAKES = [
    ("english-hndi --test pairs.tsv", ["there is no pack 'english-hndi'", "did you mean 'english-hindi'"]),
    ("folder --test pairs.tsv", ["folder is not a pack", "name the folder that `dhyan train` wrote"]),
    ("text.txt --test pairs.tsv", ["text.txt is not a pack", "name the folder that `dhyan train` wrote"]),
    ("moods.training --test labels.tsv", ["moods.training is not a pack", "whose pack is moods"]),
    ("begun.training --test pairs.tsv", ["an unfinished training", "`dhyan train --resume begun.training`"]),
    ("english-hindi --test nope.tsv", ["nope.tsv", "no such file", "check the spelling"]),
    ("english-hindi --test empty.tsv", ["empty.tsv is empty"]),
    ("english-hindi", ["--test FILE", "--source FILE and --reference FILE"]),
    ("english-hindi --source sources.en", ["--test FILE", "--source FILE and --reference FILE"]),
    ("english-hindi --test pairs.tsv --reference targets.hi", ["--test FILE", "--source FILE and --reference FILE"]),
    ("english-hindi --source sources.en --reference targets.hi", ["sources.en has 16 lines", "targets.hi has 14"]),
    ("english-hindi --test text.txt", ["text.txt", "only from .tsv, .csv, .xlsx and .jsonl", "two parallel files"]),
    ("english-hindi --test pairs.tsv --beam 0", ["beam = '0'", "greater than or equal to 1"]),
    ("english-hindi --test pairs.tsv --beam many", ["command line: beam = 'many'", "integer"]),
    ("english-hindi --test pairs.tsv --tokenize 13b", ["'13b' is not one of", "did you mean '13a'"]),
    ("english-hindi --test pairs.tsv --device tpu", ["--device tpu", "it is auto, cpu or cuda"]),
    ("english-hindi --test pairs.tsv --output nope/out.txt", ["--output nope/out.txt", "in a folder that is there"]),
    ("english-hindi --test pairs.tsv --columns sorce=1", ["no column 'sorce'", "did you mean 'source'"]),
    ("english-hindi --tset pairs.tsv", ["there is no option --tset (did you mean '--test'?)"]),
    ("moods --test unseen-label.tsv", ["unseen-label.tsv, line 2", "'middling' was not in training (bad, good)"]),
    ("moods --source sources.en --reference sources.en", ["for translation", "moods is for task classify", "--test"]),
    ("", ["Missing argument 'PACK'", "`dhyan evaluate --help`"]),
]

MISTAKES = [
    *((f"train {arguments}", words) for arguments, words in TRAIN_MISTAKES),
    *((f"evaluate {arguments}", words) for arguments, words in EVALUATE_MISTAKES),
    ("tarin translate", ["No such command 'tarin'. Did you mean 'train'?", "`dhyan --help`"]),
    pytest.param("train translate --train pairs.tsv --out new --device cuda", ["no GPU here", "use --device cpu"],
                 marks=NO_GPU),
    pytest.param("evaluate moods --test labels.tsv --device cuda", ["no GPU here", "use --device cpu"], marks=NO_GPU),
]  # fmt: skip


@pytest.mark.parametrize(("command", "words"), MISTAKES)
def test_a_mistake_is_said_in_one_line_and_changes_nothing(command, words, prepared, monkeypatch, capfd):
    before = everything(prepared)
    code, lines = run(command, prepared, monkeypatch, capfd)
    assert code == 2
    assert len(lines) == 1
    assert lines[0].startswith("dhyan: ")
    for word in words:
        assert word in lines[0]
    assert everything(prepared) == before


def test_a_row_too_long_for_the_model_is_known_only_when_it_is_encoded(prepared, monkeypatch, capfd):
    before = everything(prepared)
    code, lines = run("train translate --train pairs.tsv --max-positions 2 --out new", prepared, monkeypatch, capfd)
    assert code == 2
    assert lines[-1] == "dhyan: every training row is longer than max_positions = 2 tokens; raise it."
    assert everything(prepared) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_named(prepared, tmp_path, monkeypatch, capfd):
    tmp_path.chmod(0o555)
    code, lines = run(f"train translate --train pairs.tsv --out {tmp_path}/new", prepared, monkeypatch, capfd)
    assert code == 2
    assert lines == [f"dhyan: {tmp_path} cannot be written to (Permission denied); choose another --out."]


def test_one_of_two_sizes_that_go_together_is_enough(prepared, tmp_path, monkeypatch, capfd):
    """The other one is chosen to fit; it is no mistake to leave it out."""
    for said in ("--d-model 20", "--heads 3"):
        out = tmp_path / said.split()[1]
        code, _ = run(f"train translate --train pairs.tsv --out {out} {said} --steps 1", prepared, monkeypatch, capfd)
        assert code == 0


def test_a_classifier_is_fine_tuned_to_other_labels(prepared, tmp_path, monkeypatch, capfd):
    (tmp_path / "three.tsv").write_text("".join(f"{n % 3}\t{text}\n" for n, text in enumerate(SOURCES)))
    command = f"train classify --train {tmp_path}/three.tsv --start-from moods --out {tmp_path}/three --steps 1"
    assert run(command, prepared, monkeypatch, capfd)[0] == 0
    assert run(f"evaluate {tmp_path}/three --test {tmp_path}/three.tsv", prepared, monkeypatch, capfd)[0] == 0


def test_a_checkpoint_goes_on_only_under_its_own_settings(prepared, tmp_path, monkeypatch, capfd):
    training = tmp_path / "english-hindi.training"
    shutil.copytree(prepared / training.name, training)
    recipe = training / "recipe.toml"
    text = recipe.read_text(encoding="utf-8")
    assert "\nseed = 1 " in text
    recipe.write_text(text.replace("\nseed = 1 ", "\nseed = 7 "), encoding="utf-8")
    before = everything(tmp_path)
    code, lines = run(f"train --resume {training.name}", tmp_path, monkeypatch, capfd)
    assert code == 2
    assert len(lines) == 1
    assert "holds a checkpoint from other settings" in lines[0]
    assert "training.seed was 1 and is now 7; set them back" in lines[0]
    assert everything(tmp_path) == before


def test_a_loss_that_is_no_number_names_its_batch(prepared, tmp_path, monkeypatch, capfd):
    command = f"train translate --train pairs.tsv --out {tmp_path}/new TINY --learning-rate 1e30 --clip 0"
    code, lines = run(command, prepared, monkeypatch, capfd)
    assert code == 2
    assert lines[-1].startswith("dhyan: the loss is no longer a number at step 2")
    assert "pairs.tsv line " in lines[-1]
    assert "lower --learning-rate (now 1e+30)" in lines[-1]
    assert not (tmp_path / "new").exists()


# -- in a process of its own -----------------------------------------------------------------------------------


def dhyan(command, folder, largest_file=None):
    """The real command; `largest_file` bytes are all that the disk takes of any one file."""

    def small_disk():
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    arguments = shlex.split(command.replace("TINY", TINY))
    return subprocess.run(
        [sys.executable, "-m", "dhyan.cli", *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small_disk,
    )


def test_the_command_itself_leaves_with_2_and_without_a_traceback(prepared):
    done = dhyan("train translate --train nope.tsv --out new", prepared)
    assert done.returncode == 2
    assert done.stderr == "dhyan: nope.tsv: there is no such file; check the spelling of the path.\n"
    assert not done.stdout


def test_a_full_disk_while_preparing_leaves_nothing_behind(prepared):
    before = everything(prepared)
    done = dhyan("train translate --train pairs.tsv --out new TINY", prepared, largest_file=1000)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("dhyan: the disk is full: free some space and try again")
    assert everything(prepared) == before


def test_a_full_disk_while_saving_leaves_the_last_checkpoint_whole(prepared, tmp_path):
    training = tmp_path / "english-hindi.training"
    shutil.copytree(prepared / training.name, training)
    last = training / "checkpoints" / "last"
    before = everything(last)
    done = dhyan(f"train --resume {training.name} --steps 4", tmp_path, largest_file=20_000)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    go_on = f"dhyan train --resume {training.name}"
    assert done.stderr.splitlines()[-1] == f"dhyan: the disk is full: free some space. Go on with: {go_on}"
    assert everything(last) == before
    assert not (tmp_path / "english-hindi").exists()
    done = dhyan(f"train --resume {training.name} --steps 4", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Going on from step 2 of 4" in done.stderr
    assert (tmp_path / "english-hindi" / "pack.json").is_file()
