"""The page beside a training (`dhyan train --page`): a server in a process of its own, which only reads its folder.

    python -m dhyan.cli.training_page FOLDER PORT

It serves no pack until the training has made one, so it costs next to nothing. It ends when its input does, so that
it never outlives the training, however that ends.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.core.standard_streams import use_utf8

NICE = 10  # the training goes first


class TrainingPage:
    """`with TrainingPage(…):` around a training. Whatever goes wrong with it is said, and the training goes on.

    It ends with the training; where somebody sits at a terminal, it stays until Ctrl-C after one that has finished.
    """

    def __init__(self, folder: Path, port: int, progress: Progress) -> None:
        self.folder, self.port, self.progress = folder.resolve(), port, progress
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> None:
        command = [sys.executable, "-m", "dhyan.cli.training_page", str(self.folder), str(self.port)]
        try:
            # In a session of its own: Ctrl-C in the terminal is for the training, which then ends the page.
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", start_new_session=True
            )
        except OSError as error:
            self.progress.say(f"Note: there is no page ({error}); the training goes on without it.")
            return
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()

    def _listen(self, lines: Iterable[str]) -> None:
        """Each line is a sentence for the user; the first has the address."""
        for line in lines:
            self.progress.say(line.rstrip())

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self.process is None:
            return
        if error is None and self.process.poll() is None and sys.stdin.isatty() and sys.stderr.isatty():
            self.progress.say("The page stays until Ctrl-C.")
            with suppress(KeyboardInterrupt):
                self.process.wait()
        self.process.kill()  # it holds nothing that could be lost
        self.process.wait()


def serve_page(folder: Path, port: int) -> None:
    from dhyan.pack.pack import MANIFEST
    from dhyan.pack.training_folder import SUFFIX
    from dhyan.server.serve import run, take_port
    from dhyan.server.served_packs import ServedPacks
    from dhyan.server.settings import ServerSettings

    settings = ServerSettings(training=(folder,), port=port, threads=1, grace_seconds=0)
    pack = folder.with_name(folder.name.removesuffix(SUFFIX))

    def find() -> dict[str, Path]:
        """The pack, once it is there."""
        return {pack.name: pack} if (pack / MANIFEST).is_file() else {}

    def say(sentence: str) -> None:
        print(sentence, flush=True)

    try:
        held = take_port(port)
    except DhyanError:
        held = take_port(0)  # somebody else's: any that is free
    run(
        ServedPacks({}, settings),
        held,
        settings,
        ready=lambda address: say(f"Watch it: {address}/#/watch"),
        report=say,
        find=find,
    )


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    use_utf8()
    threading.Thread(target=_end_with_input, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        serve_page(Path(sys.argv[1]), int(sys.argv[2]))
    except Exception as error:
        print(f"Note: the page has ended ({error}); the training goes on without it.", flush=True)
