"""Awkward texts, each with what must come out of a word-for-word translator into Hindi."""

import pytest

from dhyan.translation import Glossary, TextPipeline
from support.translators import Dictionary, identity

LAYOUT = {
    "": "",
    " ": " ",
    "\n": "\n",
    " \t\n\n  \r\n": " \t\n\n  \r\n",
    "Hello": "नमस्ते",
    "  Hello  ": "  नमस्ते  ",
    "Hello\nworld": "नमस्ते\nदुनिया",
    "Hello\r\nworld\r\n": "नमस्ते\r\nदुनिया\r\n",
    "Hello\rworld": "नमस्ते\rदुनिया",
    "Hello\n\n\nworld\n": "नमस्ते\n\n\nदुनिया\n",
    "    Hello\n\tworld": "    नमस्ते\n\tदुनिया",
    "- hello\n* world\n+ bye\n• yes": "- नमस्ते\n* दुनिया\n+ विदा\n• हाँ",
    "1. hello\n2) world\n(3) bye\na) yes": "1. नमस्ते\n2) दुनिया\n(3) विदा\na) हाँ",
    "  - [ ] hello\n  - [x] world": "  - [ ] नमस्ते\n  - [x] दुनिया",
    "> hello\n>> world": "> नमस्ते\n>> दुनिया",
    "## Hello world": "## नमस्ते दुनिया",
    "Hello.  World.   Bye.": "नमस्ते।  दुनिया।   विदा।",
    "hello\tworld": "नमस्ते\tदुनिया",
    "hello     world": "नमस्ते     दुनिया",
    "| hello | world |\n|---|---|": "| नमस्ते | दुनिया |\n|---|---|",
    "hello\u2028world\x0cbye": "नमस्ते\u2028दुनिया\x0cविदा",
    "Hello  world": "नमस्ते दुनिया",  # a double space is sent as one
}
CASE = {
    "HELLO WORLD": "नमस्ते दुनिया",
    "HELLO": "नमस्ते",
    "GOOD MORNING. BYE NOW!": "अच्छा सुबह। विदा अब!",
    "YES I HAVE APPLES": "हाँ मैं रखता सेब",
    "NASA": "NASA",
    "USA": "USA",
    "OK": "OK",
    "NASA is open": "NASA है खुला",
    "Government Announces New Policy for Farmers": "सरकार घोषित नया नीति लिए किसान",
    "How To Make Tea": "कैसे को बनाएँ चाय",
    "PLEASE WAIT FOR {name}": "कृपया रुकें लिए {name}",
}
NUMBERS = {
    "I have 5 apples.": "मैं रखता 5 सेब।",
    "price 12,345.67": "दाम 12,345.67",
    "train comes at 3:45": "रेल आती पर 3:45",
    "price ₹500 and 25%": "दाम ₹500 और 25%",
    "open 2024-05-12 and 12/05/2024": "खुला 2024-05-12 और 12/05/2024",
    "42": "42",
    "3.14 + 2.72 = 5.86": "3.14 + 2.72 = 5.86",
    "- 5 apples": "- 5 सेब",
    "1. 5 apples": "1. 5 सेब",
}
MARKUP = {
    "Visit https://example.org/a?b=c&d=1.": "देखें https://example.org/a?b=c&d=1।",
    "https://example.org": "https://example.org",
    "write to me.too@example.org now": "लिखें को me.too@example.org अब",
    "use `open the bank` now": "प्रयोग `open the bank` अब",
    "hello\n```\nhello world\n\n```\nworld": "नमस्ते\n```\nhello world\n\n```\nदुनिया",
    "hello\n~~~py\nhello\n```\n~~~\nworld": "नमस्ते\n~~~py\nhello\n```\n~~~\nदुनिया",
    "```\nhello world": "```\nhello world",
    "hello {name}, {0} and {{x}} and ${open}": "नमस्ते {name}, {0} और {{x}} और ${open}",
    "hello %s and %(open)d and %1$s": "नमस्ते %s और %(open)d और %1$s",
    "25% discount": "25% discount",
    "<p>hello world</p>": "<p>नमस्ते दुनिया</p>",
    "hello <b>world</b> now": "नमस्ते <b>दुनिया</b> अब",
    "<i>Hello.</i> World.": "<i>नमस्ते।</i> दुनिया।",
    "hello.<br>world": "नमस्ते।<br>दुनिया",
    "hello &amp; bye&nbsp;now": "नमस्ते &amp; विदा&nbsp;अब",
    "hello @open_bank and #morning": "नमस्ते @open_bank और #morning",
    "open /etc/open.d/file.txt now": "खुला /etc/open.d/file.txt अब",
    "open C:\\open\\file.txt now": "खुला C:\\open\\file.txt अब",
    "open file.py now.": "खुला file.py अब।",
    "visit [the bank](https://bank.example/open) now": "देखें [वह तट](https://bank.example/open) अब",
    "**hello** world": "**नमस्ते** दुनिया",
    "hello {a}{b} world": "नमस्ते {a}{b} दुनिया",
    "hello <code>open the file</code> now": "नमस्ते <code>open the file</code> अब",
}
CHARACTERS = {
    "hello 😀": "नमस्ते 😀",
    "😀 hello 👨‍👩‍👧‍👦 world 🇮🇳": "😀 नमस्ते 👨‍👩‍👧‍👦 दुनिया 🇮🇳",
    "😀😀": "😀😀",
    "...": "...",
    "?!": "?!",
    "—": "—",
    "“hello” world": "“नमस्ते” दुनिया",
    "\u200fhello\u200e": "\u200fनमस्ते\u200e",
    "\ufeffhello": "\ufeffनमस्ते",
    "hello\x00 world\x1f": "नमस्ते\x00 दुनिया\x1f",
    "ok": "ठीक",
    "नमस्ते दुनिया": "नमस्ते दुनिया",
    "क्\u200dष और र्\u200cय": "क्\u200dष और र्\u200cय",
    "मैं office जा रहा हूँ।": "मैं office जा रहा हूँ।",
    "hello world. नमस्ते दुनिया।": "नमस्ते दुनिया। नमस्ते दुनिया।",
}
ALL = LAYOUT | CASE | NUMBERS | MARKUP | CHARACTERS


@pytest.mark.parametrize("text", ALL, ids=ascii)
def test_what_comes_out(text):
    pipeline = TextPipeline(Dictionary(), target_script="Devanagari")
    assert pipeline.translate([text])[0].text == ALL[text]


@pytest.mark.parametrize("text", ALL, ids=ascii)
def test_what_is_copied_comes_out_as_it_was(text):
    assert TextPipeline(identity).translate([text])[0].text == text


def test_there_are_enough_of_them():
    assert len(ALL) >= 60


def test_the_batch_makes_no_difference():
    together = TextPipeline(Dictionary(), target_script="Devanagari").translate(list(ALL))
    assert [result.text for result in together] == list(ALL.values())
    backwards = TextPipeline(Dictionary(), target_script="Devanagari").translate(list(ALL)[::-1])
    assert backwards == together[::-1]


def test_one_batch_and_equal_sentences_once():
    dictionary = Dictionary()
    TextPipeline(dictionary).translate(["Hello world. Hello world.", "- Hello world.\nbye", "BYE NOW", "Bye now"])
    assert dictionary.batches == [(["Hello world.", "bye", "Bye now"], False)]


def test_nothing_to_translate_asks_nothing():
    dictionary = Dictionary()
    texts = ["", "42", "😀", "https://example.org", "{name}", "नमस्ते"]
    TextPipeline(dictionary, target_script="Devanagari").translate(texts)
    assert dictionary.batches == []


def test_the_model_never_sees_what_is_hidden():
    dictionary = Dictionary()
    TextPipeline(dictionary).translate([*MARKUP, *LAYOUT])
    sent = " ".join(text for texts, _ in dictionary.batches for text in texts)
    for hidden in ("http", "@", "{", "`", "<", "&", "\t", "\n"):
        assert hidden not in sent


def test_the_model_never_sees_what_stands_at_an_edge():
    dictionary = Dictionary()
    TextPipeline(dictionary).translate(["<p>😀 hello <b>world</b></p> 👍", "**hello**", "Hello. <i>World.</i> Bye."])
    # Of a pair with one half inside, both are: its words may move.
    assert dictionary.batches == [(["hello X1 world X2", "hello", "Hello.", "World.", "Bye."], False)]


def test_no_length_is_cut():
    text = "\n".join(["hello world, " * 250 + "bye."] * 40)
    dictionary = Dictionary()
    result = TextPipeline(dictionary).translate([text])[0].text
    assert result == "\n".join(["नमस्ते दुनिया, " * 250 + "विदा।"] * 40)
    assert all(len(sent.split()) <= 100 for sent in dictionary.batches[0][0])


def test_notes_say_what_was_in_the_target_language():
    pipeline = TextPipeline(Dictionary(), target_script="devanagari")
    notes = [result.notes for result in pipeline.translate(["नमस्ते।", "Hello. नमस्ते।", "Hello.", "नमस्ते। 42", ""])]
    assert notes == [
        ("already in the target language",),
        ("partly in the target language already",),
        (),
        ("already in the target language",),
        (),
    ]


@pytest.mark.parametrize(
    ("text", "as_it_is"),
    [
        ("मैं office में काम करता हूँ", True),
        ("मैं office की meeting में हूँ और वहाँ काम करता हूँ", True),
        ("उसने बहुत ज़ोर से चिल्लाकर प्लेटफ़ॉर्म पर खड़े सभी लोगों से कहा please wait for the train", False),
        ("the word नमस्ते is good", False),
    ],
)
def test_mixed_text(text, as_it_is):
    result = TextPipeline(Dictionary(), target_script="Devanagari").translate([text])[0]
    assert (result.text == text) is as_it_is
    assert bool(result.notes) is as_it_is


def test_case_comes_back_where_the_target_has_it():
    def german(texts, strict):
        return [text.replace("ello", "allo").replace("world", "welt") for text in texts]

    pipeline = TextPipeline(german, target_has_case=True)
    texts = ["HELLO WORLD, {name}!", "Hello world", "HELLO", "How To Greet The World"]
    results = [result.text for result in pipeline.translate(texts)]
    assert results == ["HALLO WELT, {name}!", "Hallo welt", "HALLO", "How To Greet The Welt"]
    assert TextPipeline(german).translate(["HELLO WORLD"])[0].text == "Hallo welt"


def test_without_case_nothing_is_lowered():
    dictionary = Dictionary()
    TextPipeline(dictionary, source_has_case=False).translate(["HELLO WORLD"])
    assert dictionary.batches[0][0] == ["HELLO WORLD"]


def test_names_keep_their_capitals():
    dictionary = Dictionary()
    texts = [
        "Narendra Modi",
        "New York",
        "The Lord of the Rings",
        "Delhi, Mumbai, Chennai, Pune, Agra, Goa",
        "NASA ESA",
    ]
    TextPipeline(dictionary).translate(texts)
    assert dictionary.batches[0][0][:4] == texts[:4]


def test_a_title_keeps_what_is_capital_on_purpose():
    dictionary = Dictionary()
    TextPipeline(dictionary).translate(["How To Visit NASA With Your iPhone"])
    assert dictionary.batches[0][0] == ["How to visit NASA with your iPhone"]


def test_glossary_in_the_table():
    pipeline = TextPipeline(Dictionary(), glossary=Glossary({"bank": "बैंक", "river bank": "तट", "Hello": None}))
    texts = [
        "The bank is open.",
        "the RIVER BANK is open",
        "Hello world, hello",
        "bank",
        "`bank` and banks, embank",
    ]
    assert [result.text for result in pipeline.translate(texts)] == [
        "वह बैंक है खुला।",
        "वह तट है खुला",
        "Hello दुनिया, नमस्ते",
        "बैंक",
        "`bank` और बैंक, embank",
    ]
