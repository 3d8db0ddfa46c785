"""Settings as flags: the new names are shown, the old ones go on working and say the new one once."""

from typing import Annotated

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

from dhyan.cli.flags import Command, given_settings, renamed_flags, with_flags
from dhyan.core import settings
from dhyan.core.settings import RenamedWarning, Settings, was


class Training(Settings):
    weight_decay: float = Field(0.0, json_schema_extra=was("pull"), description="AdamW weight decay")
    resume: bool = Field(False, json_schema_extra=was("go_on"), description="continue a training")


class Recipe(Settings):
    training: Training = Field(default_factory=Training)


@pytest.fixture
def command(monkeypatch):
    monkeypatch.setattr(settings, "_noticed", set())
    app = typer.Typer()

    @app.command(cls=Command)
    @renamed_flags({"--engine": "--executor"})
    @with_flags(Recipe)
    def work(
        texts: Annotated[list[str] | None, typer.Argument()] = None,
        executor: Annotated[str | None, typer.Option("--executor", help="local or ray")] = None,
        **flags,
    ):
        typer.echo((given_settings(Recipe, flags), executor, texts))

    def run(*arguments):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
        return done.output.strip()

    return run


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["--pull", "0.1"], ["--weight-decay", "0.1"]),
        (["--pull=0.1"], ["--weight-decay=0.1"]),
        (["--go-on"], ["--resume"]),
        (["--no-go-on"], ["--no-resume"]),
        (["--engine", "ray"], ["--executor", "ray"]),
    ],
)
def test_an_old_flag_is_the_new_one(command, old, new):
    with pytest.warns(RenamedWarning) as said:
        assert command(*old) == command(*old) == command(*new)
    assert [str(one.message) for one in said] == [
        f"'{old[0].split('=')[0]}' is now called '{new[0].split('=')[0]}'; the old name still works."
    ]


def test_the_help_shows_new_names_only(command):
    told = command("--help")
    assert "--weight-decay" in told
    assert not [old for old in ("--pull", "--go-on", "--engine") if old in told]


def test_a_text_that_looks_like_an_old_flag_is_a_text(command):
    assert command("--", "--pull") == "({}, None, ['--pull'])"
