"""The browser finds the same terms of a glossary as Python does, and the same labels of programs in the table."""

import random
from itertools import starmap

import pytest

from dhyan.core.errors import DhyanError
from dhyan.translation.glossary import Glossary
from dhyan.translation.translated import Translation
from dhyan.translation.ui_labels import parse_label, translate_labels
from dhyan.translation.ui_table import FOLDER, ui_table
from support.javascript import call_javascript
from support.texts import in_units, texts_of_tests, varied_texts

HELPER = "../../../../tests/support/care_for_text.mjs"
GLOSSARIES = [
    {"bank": "B", "river bank": "R", "Apple": "A", "US": "U", "order": "O", "book": "B", "case": "C", "hand": "H"},
    {"Dhyan": None, "ok": "ok", "C++": "सी++", ".NET": None, "नदी": "river", "café": "कैफ़े", "水": "water", "PC": "P"},
    {"study": "S", "box": "B", "day": "D", "child": "C", "point of sale": "P", "new": "N", "save": "V", "a": "A"},
    {"लड़का": "boy", "शहर": "city", "भाषा": "language", "काला बाज़ार": "black market", "घोड़ा": "horse", "İx": "q"},
    {},
]
TEXTS = [
    "Bank, BANK and bank; banks embank bank-note", "Apple, APPLE and apple; US and us", "river \u00a0 bank 🙂 bank",
    "OK C++ and .NET, PCs and USES", "नदी नदीया नदियाँ café cafe\u0301 喝水吧", "Studies in boxes, days, children's",
    "लड़का लड़के लड़कों शहरों की भाषाएँ, काले बाज़ार में घो\u095cा और घो\u095cे", "In order to order it, orders of magnitude",
    "on the other   hand, a hand; in that case the case is lost; book a room", "ordered stopping saved order",
    "İx 𐐀bank", "Court shoes in court", "an order of magnitude; points of sale; NEWS and news as A",
]  # fmt: skip


def found_by_python(glossary, text):
    def units(one):
        return [in_units(text, one.start), in_units(text, one.end)]

    return [
        [[*units(span), span.kind.name, span.replacement] for span in glossary.spans(text)],
        [[*units(one), one.term, one.translation, one.left_alone] for one in glossary.find(text)],
    ]


def test_the_same_terms():
    texts = [*TEXTS, *texts_of_tests()[::9], *varied_texts(150, seed=7)]
    kinds = [(terms, phrases) for terms in GLOSSARIES for phrases in ([], ["court shoe|shoes"])]
    calls = [[list(terms.items()), phrases, text] for terms, phrases in kinds for text in texts]
    expected = [found_by_python(glossary, text) for glossary in starmap(Glossary, kinds) for text in texts]
    answers = call_javascript(HELPER, "found", calls)
    for call, answer, said in zip(calls, answers, expected, strict=True):
        assert answer == said, call


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff# terms\r\n\r\nbank\tबैंक\r\nDhyan\r\n ok \t ok \r\nbank\tबैंक\r\n",
        "court\tन्यायालय\n! court shoe|shoes\n",
        "a\tb\tc\n", "a\tb\n\tb\n", "# x\na\t\n", "a\tb\na\tc\n", "! a b\tc\n", "",
    ],
)  # fmt: skip
def test_the_same_glossary_files(tmp_path, content):
    path = tmp_path / "terms.tsv"
    path.write_bytes(content.encode())
    try:
        spans = Glossary.read(path).spans("bank Dhyan OK court")
        expected = [[one.start, one.end, one.kind.name, one.replacement] for one in spans]
    except DhyanError as error:
        expected = str(error)
    assert call_javascript(HELPER, "readGlossary", [[str(path), content]]) == [expected]


def by_model(texts, contexts):
    return [Translation(text, f"<{text}>।") for text in texts]


def test_the_same_labels():
    rows = [line.split("\t") for line in (FOLDER / "en-hi.tsv").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if len(row) > 1 and row[0][:1] not in "#@"]
    dice = random.Random(8)
    contexts = [None, "noun", "button.post", "shop: cart", "This is a noun, not a verb", "address form", "menu_open"]
    slots = ["%s", "{name}", "3", "the file", "₹500", "“cats”", "%d messages", "Google", "photos", "soul"]
    forms = ["{}", "{}…", "_{}", "&{}:", "{}\tCtrl+S", " {} ", "{}.", "• {}!", "{} (F5)", "S_{}"]

    def filled(label):
        label = label.replace("{1}", dice.choice(slots)).replace("{2}", dice.choice(slots))
        return dice.choice(forms).replace("{}", label)

    english = [*(filled(row[0]) for row in rows), *texts_of_tests()[::12], "R&D", "AT&T", "max_count", "Save _As..."]
    hindi = [dice.choice(forms).replace("{}", row[1]) for row in rows[::4]]
    calls = [
        [english, [dice.choice(contexts) for _ in english], ("Latin", "Devanagari"), None],
        [english[::5], [None for _ in english[::5]], ("Latin", "Devanagari"), [["cart", "ठेला"], ["file", None]]],
        [hindi, [None for _ in hindi], ("Devanagari", "Latin"), None],
        [english[:50], [None] * 50, ("Latin", "Latin"), None],
    ]
    answers = call_javascript(HELPER, "labels", calls)
    for (texts, asked, scripts, terms), answer in zip(calls, answers, strict=True):
        table, glossary = ui_table(*scripts), Glossary(dict(terms)) if terms else None
        said = translate_labels(texts, asked, table, glossary, by_model)
        for text, context, one, other in zip(texts, asked, said, answer, strict=True):
            parsed = parse_label(text, table)
            parts = {name: getattr(parsed, name) for name in ("before", "core", "after", "accelerator")}
            assert other == [one.text, list(one.notes), one.confidence, parts], (text, context)
