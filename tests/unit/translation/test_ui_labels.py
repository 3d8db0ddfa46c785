"""Labels of programs: the table, its senses and patterns, and what a label carries besides its words."""

from dataclasses import replace
from pathlib import Path

import pytest

from dhyan import Translator
from dhyan.core.errors import DhyanError
from dhyan.translation.glossary import Glossary
from dhyan.translation.translated import Translation
from dhyan.translation.ui_labels import parse_label, translate_labels
from dhyan.translation.ui_table import FOLDER, ui_table

STORED = Path(__file__).parents[2] / "stored" / "pack-format-1"
TABLE = ui_table("Latin", "Devanagari")


def by_model(texts, contexts):
    return [Translation(text, f"<{text}>।") for text in texts]


def label(text, context=None, glossary=None):
    return translate_labels([text], [context], TABLE, glossary, by_model)[0].text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Save", "सहेजें"),
        ("SAVE", "सहेजें"),
        ("Add to cart", "कार्ट में जोड़ें"),
        ("Add To Cart", "कार्ट में जोड़ें"),
        ("Like", "पसंद करें"),
        ("Run", "चलाएँ"),
        ("Log in", "लॉग इन करें"),
        ("Don’t ask again", "फिर न पूछें"),
        ("Terms & Conditions", "नियम और शर्तें"),
        ("Terms &amp; Conditions", "नियम और शर्तें"),
    ],
)
def test_labels_of_the_table(text, expected):
    assert label(text) == expected


@pytest.mark.parametrize(
    ("text", "context", "expected"),
    [
        ("Post", "noun", "पोस्ट"),
        ("Post", "button.post", "पोस्ट करें"),
        ("Post", "noun, form for a job", "पद"),
        ("Match", "sports", "मैच"),
        ("Match", "search.match", "मिलान"),
        ("Order", "cart.orderButton", "ऑर्डर करें"),
        ("Order", "order_history.column: shop", "ऑर्डर"),
        ("Order", None, "क्रम"),
        ("Run", "A workout: how far somebody went", "दौड़"),
        ("Home", "address type", "घर"),
        ("View", "Menu", "दृश्य"),
        ("State", "address form", "राज्य"),
        ("Copy", "This is a noun, not a verb", "प्रति"),
        ("Copy", "This is a verb, not a noun", "कॉपी करें"),
        ("Free", "calendar: nothing planned", "खाली"),
    ],
)
def test_the_context_chooses_the_sense(text, context, expected):
    assert label(text, context) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Delete %s", "%s हटाएँ"),
        ("Delete %(name)s?", "%(name)s हटाएँ?"),
        ("Add to {list}", "{list} में जोड़ें"),
        ("3 files selected", "3 फ़ाइलें चुनी गईं"),
        ("%d files selected", "%d फ़ाइलें चुनी गईं"),
        ("Delete the photo", "फ़ोटो हटाएँ"),
        ("Delete %d messages?", "%d संदेश हटाएँ?"),
        ("Pay ₹500", "₹500 का भुगतान करें"),
        ("Report user", "उपयोगकर्ता की शिकायत करें"),
        ("Create new list", "नई सूची बनाएँ"),
        ("Create new folder", "नया फ़ोल्डर बनाएँ"),
        ("Previous file", "पिछली फ़ाइल"),
        ("Remove {item} from {list}", "{list} से {item} हटाएँ"),
        ("Page %d of %d", "पृष्ठ %d / %d"),
        ("Search for “cats”", "“cats” खोजें"),
        ("Sign in with Google", "Google से साइन इन करें"),
        ("Book a table", "मेज़ बुक करें"),
    ],
)
def test_patterns(text, expected):
    assert label(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Update slowly",  # no object: "slowly" is not something to update
        "Class members",  # nobody counts classes here
        "Remove %s from %s",  # a program fills them in by their order, which Hindi turns round
        "Delete somebody's soul",
        "Polish the silver",
    ],
)
def test_what_the_table_does_not_know_goes_to_the_model(text):
    assert label(text) == f"<{text}>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_Save", "सहेजें (_S)"),
        ("Save _As...", "इस रूप में सहेजें (_A)..."),
        ("Save _As…", "इस रूप में सहेजें (_A)…"),
        ("&File", "फ़ाइल (&F)"),
        ("S&ave", "सहेजें (&A)"),
        ("E_xit", "बाहर निकलें (_X)"),
        ("_Polish the silver...", "<Polish the silver> (_P)..."),
        ("Polish the _silver:", "<Polish the silver> (_S):"),
        ("Save\tCtrl+S", "सहेजें\tCtrl+S"),
        ("&Save\tCtrl+Shift+S", "सहेजें (&S)\tCtrl+Shift+S"),
        ("Save (Ctrl+S)", "सहेजें (Ctrl+S)"),
        ("Name:", "नाम:"),
        (" Open ", " खोलें "),
        ("• Settings", "• सेटिंग"),
        ("Saved.", "सहेजा गया।"),
        ("Are you sure?", "क्या आप निश्चित हैं?"),
        ("Thank you!", "धन्यवाद!"),
        ("+5 more", "+5 और"),
    ],
)
def test_what_stands_around_the_words_is_kept(text, expected):
    assert label(text) == expected


@pytest.mark.parametrize("text", ["max_count", "R&D", "AT&T", "a &amp; b", "this && that", "__init__", "x_y_z"])
def test_marks_that_are_no_accelerators(text):
    parsed = parse_label(text, TABLE)
    assert (parsed.core, parsed.accelerator) == (text, "")


def test_a_glossary_goes_before_the_table():
    glossary = Glossary({"cart": "ठेला"})
    assert label("Add to cart", glossary=glossary) == "<Add to cart>"
    assert label("Delete cart", glossary=glossary) == "ठेला हटाएँ"


def test_a_label_of_several_senses_is_noted_where_no_context_decides():
    alone, decided = translate_labels(["Post", "Post"], [None, "button"], TABLE, None, by_model)
    assert alone.notes == ("ui: 'Post' is taken as पोस्ट करें; with a context it can be पोस्ट or डाक or पद",)
    assert decided.notes == ()
    assert alone.confidence < decided.confidence


def test_without_a_table_everything_goes_to_the_model():
    assert translate_labels(["_Save..."], [None], None, None, by_model)[0].text == "<Save> (_S)..."


def test_the_other_direction():
    table = ui_table("Devanagari", "Latin")
    assert translate_labels(["सहेजें…"], [None], table, None, by_model)[0].text == "Save…"


def test_every_line_of_the_table_is_sound():
    lines = [line for line in (FOLDER / "en-hi.tsv").read_text(encoding="utf-8").splitlines() if line[:1] not in "#@"]
    rows = [line.split("\t") for line in lines if line]
    assert len(rows) > 1500
    assert all(len(row) in (2, 3) and all(cell == cell.strip() != "" for cell in row) for row in rows)
    for english, hindi, *_ in rows:
        assert english.count("{") == hindi.count("{"), english
        assert any("\u0900" <= letter <= "\u097f" for letter in hindi) or "/" in hindi, english
    pairs = [(english.lower(), context) for english, _, *context in rows]
    assert len({str(pair) for pair in pairs}) == len(pairs)
    assert all(one in TABLE.labels for one in TABLE.objects)


@pytest.fixture(scope="module")
def tiny():
    return Translator.load(STORED / "translator", threads=1)


def test_an_unknown_style_is_refused(tiny):
    with pytest.raises(DhyanError, match=r"style = 'uix': it is ui \(did you mean 'ui'\?\)"):
        tiny.translate("x", style="uix")


def test_a_pack_reads_its_tag_before_each_sentence(tiny, monkeypatch):
    sent = []
    source = tiny.sentence_translator.source
    encode = source.encode_batch
    monkeypatch.setattr(source, "encode_batch", lambda texts: sent.extend(texts) or encode(texts))
    tagged = replace(tiny.pack, manifest=tiny.pack.manifest.model_copy(update={"style_tags": {"ui": "①"}}))
    monkeypatch.setattr(tiny, "pack", tagged)
    tiny.translate(["Polish the silver."], style="ui")
    tiny.translate(["Polish the silver."])
    assert "① Polish the silver." in sent
    assert "Polish the silver." in sent
