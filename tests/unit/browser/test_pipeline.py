"""The browser's pipeline gives what Python's gives, whatever the translator of sentences does."""

import math
import random
import re
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np

from dhyan.explain.analyses.head_alignment import Alignment
from dhyan.pack.manifest import ConfidenceFit
from dhyan.translation import Glossary, TextPipeline
from dhyan.translation.checks.agreement import Agreement
from dhyan.translation.confidence import Confidence
from dhyan.translation.placeholders import placeholder_words
from dhyan.translation.source_language import SourceLanguage
from dhyan.translation.translated import Alternative
from support.javascript import call_javascript
from support.kept_spans import KEPT
from support.translators import HOSTILE, WORDS, Dictionary, identity

SHIPPED = Path(__file__).parents[2] / "shipped"
FAKES = "../../../../tests/support/fake_translators.mjs"
TERMS = {"river bank": "नदी का किनारा", "New Delhi": "नई दिल्ली", "Dhyan": None, "order": "आदेश", "party": "दल"}
SEPARATOR = "¦"
PIECES = (
    "Hello¦WORLD¦ ¦  ¦\n¦\r\n¦\t¦. ¦! ¦।¦- ¦1. ¦# ¦> ¦```¦`x y`¦{x}¦https://a.example/b¦<b>¦</b>¦<br>¦&amp;¦%s¦5¦3.14¦"
    "12,345¦😀¦👩\u200d🚀¦\u200f¦\x00¦\x1f¦e\u0301¦क्ष¦क्\u200dष¦ok ok ok¦@me¦#tag¦a_b¦**¦|¦ | ¦[a](b)¦QX¦47¦ÉCOLE¦İ¦ß¦"
    "२५¦𝟓¦𐐀𐐁¦日本語¦Привет мир. ¦ﬁ¦ϋ¦ΣΑΣ ¦ the ¦ and ¦ wait, ¦ please visit the bank ¦ I'M ¦ at 9 a.m. ¦ not "
).split(SEPARATOR)
TEXTS = [
    "",
    " \t\n\n  \r\n",
    "Hello\r\nworld\r\n\u2028bye\x0cnow\x85ok",
    "  - [ ] hello\n  - [x] world\n1. hello\n2) world\n(3) bye\na) yes\n>> world",
    "Hello.  World.   Bye.",
    "| hello | world |\n|---|---|",
    "HELLO WORLD, {name}! HOW ARE YOU?",
    "YES I'M SURE I HAVE 5 GB",
    "Government Announces New Policy for Farmers",
    "How To Make Tea With Your iPhone at NASA",
    "The Lord of the Rings and Delhi, Mumbai, Chennai, Pune, Agra, Goa",
    "price 12,345.67 at 3:45 and 25% for ₹500, $7 or €5.50",
    "open 2024-05-12 and 12/05/2024, -5 and ±3 and 5kg B2B 3rd COVID-19",
    "Visit https://example.org/a?b=c&d=1, www.example.org or write to me.too@example.org now.",
    "use `open the bank` now\n```py\nhello 5 {x}\n\n```\nworld",
    "hello\n~~~py\nhello\n```\n~~~\nworld",
    "hello {name}, {0} and {{x}} and ${open} and %s, %(open)d and %1$s",
    " ".join(f"hello {{n{number}}}" for number in range(30)),
    "<p>hello <b>good <i>new</i></b> world</p> and [the bank](https://bank.example/open) now",
    "the **good** world, _yes_ ~~no~~ hello &amp; bye&nbsp;now",
    "hello @open_bank and #morning at /etc/open.d/file.txt, C:\\open\\file.txt, file.py",
    "😀 hello 👨‍👩‍👧‍👦 world 🇮🇳 and 👍🏽 1️⃣ now",
    "hello\x00 world\x1f \u200fhello\u200e \ufeffbye",
    "hello world. नमस्ते दुनिया। मैं office जा रहा हूँ।",
    "the word नमस्ते is good and 日本語 is new, Привет is ok",
    "Il fait très beau aujourd'hui et nous allons à la plage avec les enfants. Hello world.",
    'He said “je ne sais quoi, mon ami” and "hello".',
    "Wo sind die Kinder? Sie spielen im Garten mit dem Hund.",
    "the river bank and New Delhi and Dhyan, in order to visit three parties of the party. He ordered tea.",
    "I have 47 apples, 83 pears and {x}. yes 1 1 1 2 2 2",
    "The shop opens at 9 a.m. and closes at 9 p.m. on Monday, not on Sunday.",
    "He was told not to go. She didn't come, and two hundred and six people failed to wait.",
    "Prices rose by 5 percent, to $3.50, after they fell 12 lakh rupees to ₹1,50,000.",
    "It is 5 km/h or 20 °C, x^2 + y^2 = z^2, H₂O and f(x) = 2x + 1.",
    "wait…… ok… hmmmmmmmmmmmmmmm ha ha ha ha ha ha",
    "hello world, " * 60 + "bye; " + "yes and no and " * 90 + "now.",
    "It is open now<sup>1</sup>, <a href='x'>visit <b>the bank</b></a> and `open` the file.",
    "**Press** the [new file](a.md) or *wait* for <b>the train</b>!",
    "Dr. A. B. Smith vs. the U.S.A. is open. e.g. this one. J. K. Rowling",
    "aap kaise ho? main ghar ja raha hoon, hello.",
    "x" * 300,
    "½ of ² and ① and Ⅳ; ५ सेब और १२ नाशपाती",
]
HINDI = [
    "मैं office जा रहा हूँ। वह 5 बजे आएगा, और २० लोग होंगे।",
    "AAP KAISE HO",
    "ISRO ने मिशन भेजा।",
    "hello world",
    "नमस्ते, {name}! https://example.org देखें।",
    "<b>नमस्ते</b> दुनिया, कीमत ₹1,50,000 है। यह नहीं होगा।",
    "सुबह साढ़े नौ बजे <i>रेल</i> आती है; डेढ़ लाख लोग, दो सौ छह नहीं।",
    "இது தமிழ் வாக்கியம். यह हिन्दी है।",
]


def random_texts(count):
    chance = random.Random(7)
    return ["".join(chance.choices(PIECES, k=chance.randint(2, 12))) for _ in range(count)]


def kept_texts():
    chance = random.Random(8)
    return [f"hello {chance.choice(spans)} and the {chance.choice(spans)}, now." for spans in KEPT.values()]


def shipped_texts(step):
    lines = (SHIPPED / "hard.tsv").read_text("utf-8").splitlines() + (SHIPPED / "everyday.tsv").read_text(
        "utf-8"
    ).splitlines()
    return [line.split("\t")[0] for line in lines if "\t" in line][::step]


ALL = [*TEXTS, *random_texts(60), *kept_texts(), *shipped_texts(6)]
SOME = [*TEXTS, *random_texts(25)]


def several(texts, strict):
    """Three ways to say it, the first without its numbers, the second in another order."""
    found = []
    for said in Dictionary()(texts, strict):
        ways = [re.sub(r"\d+", "", said), " ".join(reversed(said.split())), said]
        scores = (-0.5, -0.75, -1.5) if strict else (-0.125, -0.25, -0.375)
        found.append([Alternative(way, score) for way, score in zip(ways, scores, strict=True)])
    return found


TRANSLATORS = HOSTILE | {"translates words": Dictionary(), "copies": identity, "says several": several}


def align(source, target):
    given, written = source.split(), target.split()
    weights = [
        [2.0 ** -abs(len(given) - 1 - column - row) for column in range(len(given))] for row in range(len(written))
    ]
    return Alignment(tuple(given), tuple(written), np.array(weights).reshape(len(written), len(given)), ())


@cache
def agreement(source, target, script, has_case):
    return Agreement(source, target, script, has_case)


def pipeline_of(how):
    kind = how["kind"]
    options = {"glossary": Glossary(how["terms"]) if how["terms"] else None}
    if kind == "simple":
        options |= {"target_script": "Devanagari"}
    if kind == "cased":
        options |= {"target_has_case": True}
    if kind == "en-hi":
        options |= {
            "target_script": "Devanagari",
            "is_source_language": lambda text: "hello" in text,
            "source_scripts": frozenset({"Latin"}),
            "source_language": SourceLanguage("en", "hi"),
            "agreement": agreement("en", "hi", "Latin", True),
        }
    if kind == "hi-en":
        options |= {
            "target_script": "Latin",
            "is_source_language": lambda text: len(text.lstrip().encode("utf-16-le")) % 4 == 0,
            "source_scripts": frozenset({"Devanagari"}),
            "source_language": SourceLanguage("hi", "en"),
            "source_has_case": False,
            "target_has_case": True,
            "agreement": agreement("hi", "en", "Devanagari", False),
        }
    if "-" in kind:
        options |= {"confidence": Confidence(ConfidenceFit()), "align": align}
    if how["trained"]:
        options |= {"placeholders": placeholder_words(tuple(how["trained"]))}
    return TextPipeline(TRANSLATORS[how["translator"]], **options)


def case(translator, kind, texts, terms=None, trained="", style=None, contexts=None):
    how = {"translator": translator, "kind": kind, "terms": terms, "trained": trained}
    return how, texts, style, contexts


CASES = [
    *(case(name, "simple", SOME, TERMS) for name in TRANSLATORS),
    *(case(name, "en-hi", ALL) for name in ("translates words", "says several", "copies")),
    *(
        case(name, "en-hi", TEXTS, TERMS)
        for name in ("drops numbers", "reverses the words", "glues the words", "loops")
    ),
    *(case(name, "hi-en", HINDI) for name in TRANSLATORS),
    case("lowers capitals", "cased", SOME),
    case("translates words", "simple", SOME, trained="ⒶⒷⒸⒹ"),
    case("says several", "simple", ["Open", "Open", "hello {x}"], style="ui", contexts=["menu", None, None]),
]


def test_the_browsers_pipeline_answers_as_pythons():
    fit = ConfidenceFit().model_dump()
    asked = [[{**how, "words": WORDS, "fit": fit}, texts, style, contexts] for how, texts, style, contexts in CASES]
    answers = call_javascript(FAKES, "translate", asked)
    for (how, texts, style, contexts), found in zip(CASES, answers, strict=True):
        expected = [as_plain(one) for one in pipeline_of(how).translate(texts, style=style, contexts=contexts)]
        for text, there, here in zip(texts, found, expected, strict=True):
            assert rounded(there) == rounded(here), (how, text)


def as_plain(translation):
    plain = asdict(translation)
    for one in (plain, *plain["sentences"]):
        one["notes"] = list(one["notes"])
    return {**plain, "sentences": list(plain["sentences"]), "alternatives": list(plain["alternatives"])}


def rounded(translation):
    """The last digits of a logistic function are the machine's."""
    found = {**translation, "confidence": round(translation["confidence"], 9)}
    assert math.isfinite(found["confidence"])
    return found | {
        "sentences": [{**one, "confidence": round(one["confidence"], 9)} for one in translation["sentences"]]
    }
