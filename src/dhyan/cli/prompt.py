"""`dhyan translate` alone on a terminal: a text is typed or pasted, and its translation stands below it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.options import complete_pack
from dhyan.cli.review import Review
from dhyan.cli.shown_texts import ShownTexts
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.paths import home_folder
from dhyan.core.screen import Screen
from dhyan.text.language_id import language_name

if TYPE_CHECKING:
    from dhyan.translation.translator import Translator

COMMANDS = {
    "/model NAME": "go on with another pack, such as hi-en",
    "/alternatives N": "show so many alternatives below each translation; 0 for none",
    "/explain [TEXT]": "which word came from which, for this text or the last one",
    "/help": "this list",
    "/quit": "end; so does Ctrl-D",
}
NAMES = [usage.partition(" ")[0] for usage in COMMANDS]
MOST_ALTERNATIVES = 32
HISTORY = "translate_history"  # in the user's folder, beside the packs
MOST_HISTORY = 1000  # lines that are kept


class Prompt:
    """One conversation. `open_model` opens a pack by its name, or the default one, as the command's flags say."""

    def __init__(
        self,
        open_model: "Callable[[str | None], Translator]",
        model: str | None,
        alternatives: int,
        roman: str | None,
    ) -> None:
        self.open_model, self.alternatives, self.roman = open_model, alternatives, roman
        self.translator = open_model(model)
        self.last = ""  # the text that was translated last
        self.screen = Screen()

    def run(self) -> None:
        self._introduce()
        with LineEditing(self._completions):
            while True:
                try:
                    text = input(f"{self.translator.pack.manifest.name}> ")
                except EOFError:
                    self.screen.print()
                    return
                except KeyboardInterrupt:  # the line is given up, and so is a translation that takes too long
                    self.screen.print()
                    continue
                try:
                    if text.strip() == "/quit":
                        return
                    self._answer(text)
                except DhyanError as error:
                    ConsoleProgress().complain(str(error))
                except KeyboardInterrupt:
                    self.screen.print()

    def _introduce(self) -> None:
        names = [language_name(code) for code in self.translator.languages or ()]
        between = f": {' → '.join(names)}" if names else ""
        name = self.translator.pack.manifest.name
        self.screen.print(f"{name}{between}. Type a text and press Enter; /help lists commands, Ctrl-D ends.")

    def _answer(self, text: str) -> None:
        if not text.strip():
            return
        if not text.startswith("/"):
            self.last = text
            ShownTexts(self.translator, None, self.alternatives, False, self.roman, Review(None)).show([text])
            return
        command, _, argument = text.partition(" ")
        argument = argument.strip()
        match command:
            case "/model":
                self.translator = self.open_model(argument or None)
                self._introduce()
            case "/alternatives":
                if not argument.isdecimal() or int(argument) > MOST_ALTERNATIVES:
                    raise DhyanError(f"/alternatives {argument}: say how many, from 0 to {MOST_ALTERNATIVES}.")
                self.alternatives = int(argument)
            case "/explain":
                self._explain(argument or self.last)
            case "/help":
                self.screen.table(list(COMMANDS.items()), indent=2)
            case _:
                near = did_you_mean(command, NAMES)
                raise DhyanError(f"there is no {command}{near}; to translate it, put a blank before it.")

    def _explain(self, text: str) -> None:
        from dhyan.explain.views.terminal import View

        if not text:
            raise DhyanError("/explain TEXT: say what to explain, or translate something first.")
        View(self.screen, words=True).alignment(self.translator.explain(text))
        self.screen.print(f"Every step of it: dhyan explain --model {self.translator.pack.manifest.name} TEXT")

    def _completions(self, line: str) -> list[str]:
        command, blank, rest = line.partition(" ")
        if not blank:
            return [name for name in NAMES if name.startswith(command)] if command else []
        return complete_pack(rest) if command == "/model" else []


class LineEditing:
    """Editing, history and completion of what is typed, where Python has readline; plain input elsewhere."""

    def __init__(self, completions: Callable[[str], list[str]]) -> None:
        self.completions = completions
        self.history = home_folder() / HISTORY

    def __enter__(self) -> None:
        with suppress(ImportError):
            import readline

            readline.set_completer_delims(" ")
            readline.set_completer(self._complete)
            if "libedit" in (readline.__doc__ or ""):
                readline.parse_and_bind("bind ^I rl_complete")
            else:
                readline.parse_and_bind("tab: complete")
                readline.parse_and_bind("set enable-bracketed-paste on")  # so that pasted lines are one text
            readline.set_history_length(MOST_HISTORY)
            with suppress(OSError):
                readline.read_history_file(self.history)

    def __exit__(self, *_: object) -> None:
        with suppress(ImportError, OSError):  # nowhere to keep it: then it is forgotten
            import readline

            Path(self.history).parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(self.history)

    def _complete(self, word: str, number: int) -> str | None:
        import readline

        found = self.completions(readline.get_line_buffer()[: readline.get_endidx()])
        return found[number] + " " if number < len(found) else None
