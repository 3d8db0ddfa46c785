"""Dhyan (ध्यान, attention): the Transformer as a tool.

Train one on your own text, run it fast on any machine, and look at every number that it computes.

    import dhyan

    translate = dhyan.load("en-hi")                     # or dhyan.Translator.load(), or a folder of your own
    translate("How are you?")                           # one text or many
    translate.glossary = dhyan.Glossary({"bank": "बैंक"})
    trace = translate.explain("river bank flows")
    trace["enc.0.self.h1.weights"]                      # any number by its address

    dhyan.translate_file("in.docx", "out.docx", translate)

    dhyan.load("sentiment")("a warm and funny film")    # a label
    dhyan.load("english")("a dog runs")                 # a vector
    dhyan.load("writer")("To be", max_length=40)        # a continuation
    dhyan.detect("aap kaise hain").name                 # the language: "Hindi in Latin letters"

    pack = dhyan.train(task="translate", train="pairs.tsv", out="my-pack", report=print)
    dhyan.evaluate(pack, test="test.tsv")               # scores by name
    dhyan.romanise("आप कैसे हैं?")                        # "aap kaise hain?", or scheme="iso"

What a caller can get wrong raises `DhyanError`, whose message says what to do. Everything in `dhyan.__all__` is
stable; docs/reference/python.md says what that means. Importing is light: PyTorch is imported by what trains, and
nothing is imported before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dhyan._version import __version__
from dhyan.core.errors import DhyanError

if TYPE_CHECKING:
    from dhyan.api import evaluate, train, translate_file
    from dhyan.engines.writer import Writer
    from dhyan.loading import load
    from dhyan.text.language_id import detect
    from dhyan.text.romanise import romanise
    from dhyan.translation.glossary import Glossary
    from dhyan.translation.translator import Translator
    from dhyan.vectors.classifier import Classifier
    from dhyan.vectors.embedder import Embedder

__all__ = [
    "Classifier",
    "DhyanError",
    "Embedder",
    "Glossary",
    "Translator",
    "Writer",
    "__version__",
    "detect",
    "evaluate",
    "load",
    "romanise",
    "train",
    "translate_file",
]

_MODULES = {
    "Classifier": "dhyan.vectors.classifier",
    "Embedder": "dhyan.vectors.embedder",
    "Glossary": "dhyan.translation.glossary",
    "Translator": "dhyan.translation.translator",
    "Writer": "dhyan.engines.writer",
    "detect": "dhyan.text.language_id",
    "evaluate": "dhyan.api",
    "load": "dhyan.loading",
    "romanise": "dhyan.text.romanise",
    "train": "dhyan.api",
    "translate_file": "dhyan.api",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'dhyan' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__file__", "__name__", "__path__"])
