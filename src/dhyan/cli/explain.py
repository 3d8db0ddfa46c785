"""`dhyan explain`: a model opened up: the walk, any number by address, figures, and what changes with its parts."""

import io
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import given_settings, with_flags
from dhyan.cli.input_texts import check_output
from dhyan.cli.open_model import model_for
from dhyan.cli.options import AsJson, Model
from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError, did_you_mean, shortened
from dhyan.core.screen import Screen
from dhyan.model.generation.settings import GenerationSettings

if TYPE_CHECKING:
    from dhyan.core.svg import Theme
    from dhyan.explain.formulas import Array
    from dhyan.explain.interactive import InteractiveExplanation
    from dhyan.explain.views.stages import Where
    from dhyan.pack.pack import Pack

NO_ARRAYS = ("beam", "heads")  # what --at shows besides arrays
THEMES = ("auto", "light", "dark")


@with_flags(GenerationSettings, only=["beam", "max_length"])
def explain(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="one sentence, or a prompt")],
    second: Annotated[
        str | None,
        typer.Option("--and", metavar="TEXT", help="the second text, for a pack that reads pairs of texts"),
    ] = None,
    model: Model = None,
    at: Annotated[
        str | None, typer.Option("--at", help="an address, such as enc.0.self.h3.weights; or beam, heads")
    ] = None,
    addresses: Annotated[
        bool, typer.Option("--addresses", help="list every address (below --at) with its shape")
    ] = False,
    heads_off: Annotated[
        list[str] | None, typer.Option("--heads-off", metavar="HEAD,…", help="switch heads off, such as enc.2.h5")
    ] = None,
    force: Annotated[
        list[str] | None, typer.Option("--force", metavar="STEP=TOKEN", help="generate this token at this step")
    ] = None,
    hide: Annotated[
        list[str] | None,
        typer.Option("--hide", metavar="WORD,…", help="hide words of the text, by number or written"),
    ] = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="ADDRESS=VALUE", help="put numbers in the place of computed ones"),
    ] = None,
    patch: Annotated[
        list[str] | None, typer.Option("--patch", metavar="ADDRESS", help="copy these numbers from --from's run")
    ] = None,
    other: Annotated[str | None, typer.Option("--from", metavar="TEXT", help="where --patch copies from")] = None,
    target: Annotated[str | None, typer.Option("--target", help="explain this text, not the model's own")] = None,
    word_mode: Annotated[bool, typer.Option("--word-mode", help="merge the tokens of each word")] = False,
    token: Annotated[int, typer.Option("--token", help="walkthrough: which token of the text")] = 0,
    layer: Annotated[int, typer.Option("--layer", help="walkthrough: which layer")] = 0,
    head: Annotated[int, typer.Option("--head", help="walkthrough: which head")] = 0,
    step: Annotated[int, typer.Option("--step", help="walkthrough: which generated token")] = 0,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="print the array at --at as CSV")] = False,
    npy: Annotated[Path | None, typer.Option("--npy", help="write the array at --at for NumPy")] = None,
    figure: Annotated[Path | None, typer.Option("--figure", help="draw --at (or alignment): .svg or .png")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="write everything as one .html file")] = None,
    theme: Annotated[str, typer.Option("--theme", metavar="|".join(THEMES), help="of a figure")] = "auto",
    **search: Any,
) -> None:
    _refuse(at, as_json, as_csv, npy, figure, html, theme)
    from dhyan.explain.explainer import Explainer
    from dhyan.explain.read_edits import written_edits
    from dhyan.explain.token_view import word_asked
    from dhyan.pack.named_packs import find_pack
    from dhyan.pack.pack import open_pack

    if patch and other is None:
        raise DhyanError("--patch copies from the run of another text: give it with --from.")
    if other is not None and not (patch or numbers):
        raise DhyanError("--from names a text to copy from: say what is copied, with --patch or --set.")
    pack = open_pack(find_pack(model_for("translate", model)))
    if second is not None:
        if not pack.manifest.reads_pairs:
            raise DhyanError(f"{pack.folder.name} reads one text at a time: leave --and out.")
        text = f"{text}\t{second}"
    if at == "beam" and not pack.manifest.architecture.has_decoder:
        raise DhyanError(f"{pack.folder.name} is an encoder and searches for nothing: there is no beam.")
    if at == "beam" and target is not None:
        raise DhyanError("with --target nothing is searched for, so there is no beam: leave one of them out.")
    explainer = Explainer(pack)
    searching = given_settings(GenerationSettings, search)

    @lru_cache
    def run_of(copied: str) -> "InteractiveExplanation":
        return explainer.explain(copied, **searching)

    def look(address: str, copied: str | None) -> "Array":
        return run_of(copied or other or text)[address]

    trace = explainer.explain(
        text,
        target=target,
        **searching,
        heads_off=[name for listed in heads_off or [] for name in listed.split(",")],
        force=_forced(force or []),
        hide=[word_asked(word) for listed in hide or [] for word in listed.split(",")],
        set=written_edits(numbers or [], patch or [], look),
    )
    if pack.manifest.task == "translate":
        _say_what_translate_reads(pack, text)
    if at in (None, "alignment", "occlusion", "heads") and not addresses:
        with ConsoleProgress().working("hiding words", sum(not w.special for w in trace.source.words)) as progress:
            trace.hide_words(progress)
    if figure is not None or html is not None or npy is not None:
        _write(trace, at, word_mode, npy, figure, html, theme)
    elif addresses:
        _list(trace, at or "", as_json)
    elif as_csv:
        from dhyan.explain.views.export import as_csv as table

        typer.echo(table(trace, at or "", word_mode), nl=False)
    elif as_json:
        typer.echo(json.dumps(_json_of(trace, at, word_mode), ensure_ascii=False))
    else:
        from dhyan.explain.views.stages import Where

        _show(trace, at, word_mode, Where(token, layer, head, step))


def _refuse(
    at: str | None, as_json: bool, as_csv: bool, npy: Path | None, figure: Path | None, html: Path | None, theme: str
) -> None:
    """Refuse at once what could not be done after long work."""
    if theme not in THEMES:
        raise DhyanError(f"--theme {theme}: it is {', '.join(THEMES)}{did_you_mean(theme, THEMES)}.")
    if as_json and as_csv:
        raise DhyanError("--json and --csv together: choose one.")
    if at is None and (as_csv or npy is not None):
        raise DhyanError("--csv and --npy write one array: name it with --at; --addresses lists all of them.")
    if at in NO_ARRAYS and (as_csv or npy is not None):
        raise DhyanError(f"{at} is not an array; use --json.")
    for flag, path, suffixes in (
        ("--npy", npy, [".npy"]),
        ("--figure", figure, [".svg", ".png"]),
        ("--html", html, [".html"]),
    ):
        if path is not None:
            check_output(flag, path, suffixes)


def _forced(asked: Sequence[str]) -> dict[int, int | str]:
    """["2=नदी", "4=#871"] → {2: "नदी", 4: 871}"""
    found: dict[int, int | str] = {}
    for one in asked:
        step, equals, piece = one.partition("=")
        if not equals or not step.strip().isdecimal() or not piece:
            raise DhyanError(f"--force {one!r}: write a step and a token, such as 2=word, or its id, such as 2=#871.")
        found[int(step)] = int(piece[1:]) if piece[:1] == "#" and piece[1:].isdecimal() else piece
    return found


def _show(trace: "InteractiveExplanation", at: str | None, words: bool, where: "Where") -> None:
    from dhyan.explain.views.figures import attention_below
    from dhyan.explain.views.terminal import View

    view = View(Screen(), words)
    parts = attention_below(trace, at) if at is not None else []
    if at is None:
        view.walk(trace, where)
    elif at == "beam":
        view.beam(trace)
    elif at == "heads":
        view.heads(trace)
    elif at == "alignment":
        view.alignment(trace)
        view.array(trace, at)
    elif parts:
        for part in parts:
            view.array(trace, f"{part}.weights")
    else:
        view.array(trace, at)
    if trace.question.changed:
        view.change(trace.change)


def _say_what_translate_reads(pack: "Pack", text: str) -> None:
    """The model is opened up on the text as it is typed; `dhyan translate` may show it another."""
    from dhyan.translation.first_reading import first_reading

    found = first_reading(pack, text)
    if found is None:
        return
    if not found.sentences:
        why = f" ({found.notes[0]})" if found.notes else ""
        said = f"`dhyan translate` leaves this text as it is{why}; here the model is asked all the same."
    else:
        quoted = " ".join(f'"{shortened(sentence)}"' for sentence in found.sentences)
        one = "" if len(found.sentences) == 1 else ", one sentence at a time"
        said = f"`dhyan translate` has the model read {quoted}{one}; here it reads the text as it is typed."
    ConsoleProgress().say(said)


def _list(trace: "InteractiveExplanation", under: str, as_json: bool) -> None:
    shapes = trace.shapes(under, weights=True)
    if not shapes:
        raise DhyanError(f"there is nothing below '{under}'; --addresses without --at lists everything.")
    if as_json:
        typer.echo(json.dumps({name: list(shape) for name, shape in shapes.items()}))
        return
    for name, shape in shapes.items():
        typer.echo(f"{name}  {' × '.join(map(str, shape))}")


def _json_of(trace: "InteractiveExplanation", at: str | None, words: bool) -> dict[str, object]:
    from dataclasses import asdict

    from dhyan.explain.views.export import as_json

    if at == "beam" and trace.search is not None:
        return asdict(trace.search)
    if at == "heads":
        return {head: asdict(traits) for head, traits in trace.head_stats().items()}
    if at is not None:
        return as_json(trace, at, words)
    summary: dict[str, object] = trace.as_dict()
    summary["occlusion"] = as_json(trace, "occlusion")
    if trace.architecture.has_cross:
        summary["alignment"] = as_json(trace, "alignment") | {
            "head": trace.alignment.head,
            "said": trace.alignment.said,
            "links": trace.alignment.links,
        }
    if trace.question.changed:
        change = trace.change
        summary["change"] = asdict(change) | {
            "log_probability": change.log_probability.tolist(),
            "total": change.total,
        }
    return summary


def _write(
    trace: "InteractiveExplanation",
    at: str | None,
    words: bool,
    npy: Path | None,
    figure: Path | None,
    html: Path | None,
    theme: str,
) -> None:
    say = ConsoleProgress().say
    if npy is not None and at is not None:
        import numpy as np

        array = trace.by_words(at) if words else trace[at]
        held = io.BytesIO()
        np.save(held, array)
        write_atomic(npy, held.getvalue())
        say(f"{npy}: {at}, {' × '.join(map(str, array.shape)) or 'a number'}.")
    if figure is not None:
        from dhyan.explain.views.figures import figure as draw

        what = at or ("alignment" if trace.architecture.has_cross else "occlusion")
        svg = draw(trace, what, words, _theme(theme))
        svg.save(figure)
        say(f"{figure}: {what}.")
    if html is not None:
        from dhyan.explain.views.html_report import page

        write_atomic(html, page(trace, trace.change if trace.question.changed else None))
        say(f"{html}: open it in a browser; it needs nothing else.")


def _theme(name: str) -> "Theme":
    return "dark" if name == "dark" else "light" if name == "light" else "auto"
