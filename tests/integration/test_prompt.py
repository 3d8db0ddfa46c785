"""`dhyan translate` alone on a real terminal: what is typed, pasted, cancelled and asked for."""

import os
import select
import signal
import subprocess
import sys
import time

import pytest

from support.commands import ENVIRONMENT

pty = pytest.importorskip("pty")
SECONDS = 60
CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"
READY = "en-hi> "


class Terminal:
    """A command with a terminal of its own."""

    def __init__(self, *arguments, **environment):
        self.ours, theirs = pty.openpty()
        variables = ENVIRONMENT | {name: os.environ[name] for name in ("DHYAN_CACHE", "DHYAN_HOME")} | environment
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dhyan.cli", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=variables | {"TERM": "xterm"},
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(theirs)

    def until(self, words, seconds=SECONDS):
        """What is shown until these words have been."""
        seen = ""
        deadline = time.monotonic() + seconds
        while words not in seen:
            assert time.monotonic() < deadline, seen
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.ours, 4096).decode(errors="replace")
                except OSError:  # it has ended
                    break
        assert words in seen
        return seen

    def type(self, text, then=READY):
        os.write(self.ours, text.encode())
        return self.until(then)

    def interrupt(self):
        """Ctrl-C until there is a prompt: a key that comes while the line editor is not there yet is lost."""
        for _ in range(10):
            os.write(self.ours, CTRL_C.encode())
            try:
                return self.until(READY, seconds=5)
            except AssertionError:
                continue
        raise AssertionError("no prompt after Ctrl-C")

    def ends(self):
        code = self.process.wait(SECONDS)
        os.close(self.ours)
        return code


def take_terminal():
    """In the child: this is the terminal whose Ctrl-C is for it."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_conversation(at_home, home):
    terminal = Terminal("translate")
    assert "en-hi: English → Hindi" in terminal.until(READY)
    assert "आप कैसे हैं" in terminal.type("How are you?\r")
    assert len(terminal.type("/alternatives 2\r")) < 100
    assert terminal.type("How are you?\r").count("\n  ") == 2
    os.write(terminal.ours, b"never sent")
    terminal.until("never sent")  # the line editor is there
    terminal.interrupt()
    assert "did you mean '/model'" in terminal.type("/modle x\r")
    assert "there is no pack 'nothing'" in terminal.type("/model nothing\r")
    assert "/explain [TEXT]" in terminal.type("/help\r")
    assert "Which word comes from which" in terminal.type("/explain\r")
    os.write(terminal.ours, CTRL_D.encode())
    assert terminal.ends() == 0

    again = Terminal("translate")  # what was typed is still there, but for the line that was given up
    again.until(READY)
    assert "/explain" in again.type(f"{UP}{UP}{UP}\r", then="/explain")
    again.type("/quit\r", then="/quit")
    assert again.ends() == 0
    assert "never sent" not in (home / "translate_history").read_text(encoding="utf-8")


def test_pasted_lines_are_one_text(at_home):
    pytest.importorskip("readline")
    terminal = Terminal("translate")
    terminal.until(READY)
    shown = terminal.type("\x1b[200~Thank you\nHow are you?\x1b[201~\r")
    assert shown.count(READY) <= 2  # once more by the line editor at most: not a prompt per line
    assert "आप कैसे हैं" in shown
    os.write(terminal.ours, CTRL_D.encode())
    assert terminal.ends() == 0


def test_ctrl_c_while_a_file_is_translated_says_how_to_go_on(at_home, tmp_path):
    (tmp_path / "in.txt").write_text("".join(f"Thank you {number}\n" for number in range(200_000)))
    out = tmp_path / "out.txt"
    terminal = Terminal("translate", str(tmp_path / "in.txt"), "-o", str(out))
    terminal.until("texts/s")
    assert "give the same command again to continue" in terminal.type(CTRL_C, then="continue where it stopped")
    assert terminal.ends() == 130
    assert not out.exists()
    assert (tmp_path / ".out.txt.part").exists()


def test_without_a_terminal_it_reads_what_comes(at_home):
    variables = ENVIRONMENT | {name: os.environ[name] for name in ("DHYAN_CACHE", "DHYAN_HOME")}
    for arguments in ([], ["-"], ["-", "-o", "-"], ["--file", "-"]):
        done = subprocess.run(
            [sys.executable, "-m", "dhyan.cli", "translate", *arguments],
            input="How are you?\n",
            env=variables,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "आप कैसे हैं\n"
