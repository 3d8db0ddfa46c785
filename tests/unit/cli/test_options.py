"""One definition of each option: wherever it is found, it means the same."""

import pytest
import typer

from dhyan.cli.app import app
from dhyan.cli.options import check_compute, check_device
from dhyan.core.errors import DhyanError
from dhyan.model.generation.settings import GenerationSettings

COMMANDS = typer.main.get_command(app).commands
OPTIONS = {
    name: {flag: option for option in command.params for flag in getattr(option, "opts", ())}
    for name, command in COMMANDS.items()
}
RUN_A_MODEL = ("translate", "classify", "embed", "similar", "cluster", "write", "evaluate")


def told(option):
    return option.help, option.metavar


@pytest.mark.parametrize("flag", ["--device", "--compute", "--executor", "--threads", "--workers", "--beam"])
def test_an_option_is_the_same_in_every_command(flag):
    others = {"--device": {"train"}, "--beam": {"train"}, "--workers": {"mix"}, "--executor": {"serve"}}.get(
        flag, set()
    )
    found = {name: told(options[flag]) for name, options in OPTIONS.items() if flag in options and name not in others}
    assert len(found) >= 2
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize("command", RUN_A_MODEL)
def test_whatever_runs_a_model_says_where_and_how(command):
    assert {"--device", "--compute", "--threads"} <= OPTIONS[command].keys()


@pytest.mark.parametrize("command", ["train", "distil", "lab", "serve"])
def test_whatever_computes_has_threads(command):
    assert "--threads" in OPTIONS[command]


def test_generation_has_the_help_of_its_settings():
    for name, options in OPTIONS.items():
        for key, field in GenerationSettings.model_fields.items():
            flag = "--" + key.replace("_", "-")
            if flag in options and name not in ("train", "mix", "lab") and key != "alternatives":
                assert options[flag].help == field.description, (name, flag)


def test_a_device_or_arithmetic_that_there_is_not():
    with pytest.raises(DhyanError, match=r"--device gpu: it is auto, cpu or cuda"):
        check_device("gpu")
    with pytest.raises(DhyanError, match=r"--compute int4: it is int8 or float32 \(did you mean 'int8'"):
        check_compute("int4")
    assert check_device("auto") in ("cpu", "cuda")
