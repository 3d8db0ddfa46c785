"""The README's commands work as printed, one after the other, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

from dhyan.cli.app import app

README = Path(__file__).parents[2] / "README.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.S | re.M)


def test_the_readmes_commands_run(tmp_path):
    (tmp_path / "README.md").write_text(README.read_text(encoding="utf-8"), encoding="utf-8")
    bin_folder = Path(sys.executable).parent
    assert (bin_folder / "dhyan").exists()
    environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    environment["DHYAN_CACHE"] = str(tmp_path / "cache")

    def run(*command):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    said = [run("bash", "-euo", "pipefail", "-c", block) for block in blocks("bash")]
    assert len(said) == 5
    hindi, at_once, *said = said
    shown = re.search(r"^```\n(आप .*?)^```", README.read_text(encoding="utf-8"), flags=re.S | re.M)
    assert shown is not None
    assert hindi.startswith(shown.group(1))
    assert [line.split()[0] for line in at_once.splitlines()[:2]] == ["positive", "negative"]
    assert "a dog runs" in at_once.splitlines()[2]  # the nearest to a puppy
    assert re.search(r"chrf\s+100", said[0])  # learnt by heart; BLEU wants four words in a row, and has none here
    for pack in ("my-pack", "my-classifier", "my-encoder", "my-writer", "spelt-out"):
        assert (tmp_path / pack / "pack.json").exists()
    assert said[0].splitlines()[-2:] == ["आप कैसे हैं", "धन्यवाद"]
    use, look = blocks("python")
    run(sys.executable, "-c", use + "\nassert translate('How are you?') == 'आप कैसे हैं'")
    run(sys.executable, "-c", look + "\nassert abs(trace['enc.0.self.h1.weights'].sum(axis=-1) - 1).max() < 1e-5")


def test_every_command_in_the_readme_is_one_that_exists():
    text = README.read_text(encoding="utf-8")
    named = set(re.findall(r"^dhyan (\w+)", text, flags=re.M))
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert named <= known
    for link in re.findall(r"\]\(([\w/.]+)\)", text):
        assert (README.parent / link).exists(), link
