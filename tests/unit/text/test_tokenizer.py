"""Text to ids and back: nothing is lost, nothing in a text is taken for a special token, Hindi is never bytes."""

import json
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dhyan.core.errors import DhyanError
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import END, MASK, PAD, SPECIAL, START, UNK, Tokenizer, with_dotted_circle

ENGLISH = [
    "The river runs past the old mill, and the mill turns.",
    "Don't cross the river when the water is high!",
    "In 1947 the bridge had 12 arches; today it has 9.",
    "She said: the old bridge is the best bridge.",
]
HINDI = [
    "नदी पुरानी चक्की के पास से बहती है।",
    "जब पानी ऊँचा हो तो नदी पार मत करो।",
    "पुराना पुल सबसे अच्छा पुल है।",
    "क्या यह नदी बहुत बड़ी है?",
]
KINDS = ("bpe", "unigram", "characters")
NASTY = [
    "",
    " ",
    "   ",
    " leading",
    "trailing ",
    "a  b   c",
    "\t\ttab",
    "line\nbreak\r\nand\n\n",
    "\x00\x01\x1f\x7f",
    "<end>",
    "<pad><unk> <mask>",
    "<0x41>",
    " <0xE0><0xA4>",
    "▁under▁score",
    "\u0301lone mark",
    " \u093f",
    "e\u0301 and \u0915\u093c",
    "क्‍ष र्‍य श्री",
    "👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
    "नमस्ते world नमस्ते123",
    "१२३ ½ ²",
    "日本語 العربية ไทย",
    "\u2028\u2029\u0085\u00a0\ufeff\ufffd",
    "\U0010ffff\U0001f9ff",
    "''' don't 'tis l'été",
    "\U00010d24\u05a2",  # NFC swaps the two marks
]


def trained(pieces, texts=(*ENGLISH, *HINDI), vocabulary=460, exact=False, **more):
    return Tokenizer.train(list(texts), TextSettings(pieces=pieces, **more), vocabulary, exact=exact)


TRAINED = {pieces: trained(pieces) for pieces in KINDS}
WORDS = st.sampled_from(" ".join(ENGLISH + HINDI + NASTY).split(" "))
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",))),
    st.text(st.characters(categories=("Mn", "Mc", "Zs", "Cc", "Cf", "Nd", "So", "Po"))),
    st.text(st.sampled_from("नकी्ािं़ँ।ज़क़ abcé<>0x41'\u0301\u200c\u200d \n\t")),
    st.lists(WORDS).map(" ".join),
)


@pytest.fixture(params=KINDS)
def pieces(request):
    return request.param


@pytest.fixture
def tokenizer(pieces):
    return TRAINED[pieces]


def nfc(text):
    return unicodedata.normalize("NFC", text)


def check_round_trip(tokenizer, text):
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == nfc(text) == tokenizer.normalised(text)
    assert all(len(SPECIAL) <= number < tokenizer.size for number in ids)
    # Special ids are skipped wherever they stand.
    assert tokenizer.decode([START, *ids, END, PAD, PAD, MASK, UNK]) == nfc(text)


@pytest.mark.parametrize("text", NASTY)
def test_nothing_is_lost(tokenizer, text):
    check_round_trip(tokenizer, text)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_in_any_text(kind):
    @settings(max_examples=250, deadline=None)
    @given(text=TEXTS)
    @example(text="  ")
    def check(text):
        check_round_trip(TRAINED[kind], text)

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_spans_cover_the_text(kind):
    @settings(max_examples=100, deadline=None)
    @given(text=TEXTS)
    def check(text):
        tokenizer = TRAINED[kind]
        text = tokenizer.normalised(text)
        ids, spans = tokenizer.encode(text), tokenizer.spans(text)
        assert len(ids) == len(spans)
        covered = {position for start, end in spans for position in range(start, end)}
        assert covered == set(range(len(text)))
        for number, (start, end) in zip(ids, spans, strict=True):
            piece = tokenizer.piece(number)
            if not piece.startswith("<0x"):
                assert text[start:end] in (piece, piece[1:])

    check()


def test_spans_of_a_word_in_bytes():
    tokenizer = TRAINED["bpe"]
    assert tokenizer.spans("☃ the") == [(0, 0), (0, 1), (0, 1), (0, 1), (1, 5)]


def test_a_batch_is_its_texts(tokenizer):
    ids = tokenizer.encode_batch(NASTY)
    assert ids == [tokenizer.encode(text) for text in NASTY]
    assert tokenizer.decode_batch(ids) == [nfc(text) for text in NASTY]


def test_the_first_ids_are_the_special_tokens(tokenizer):
    assert (PAD, UNK, START, END, MASK) == (0, 1, 2, 3, 4)
    assert tuple(map(tokenizer.piece, range(5))) == SPECIAL == ("<pad>", "<unk>", "<start>", "<end>", "<mask>")
    assert [tokenizer.piece(5 + byte) for byte in (0, 0x41, 255)] == ["<0x00>", "<0x41>", "<0xFF>"]
    assert json.loads(tokenizer.to_json())["added_tokens"] == []


@pytest.mark.parametrize("name", [*SPECIAL, "<0x41>", "<0xE0>"])
def test_a_special_name_in_a_text_is_text_even_when_it_was_trained_on(pieces, name):
    tokenizer = trained(pieces, [f"{name} {name}{name}"] * 50, 300)
    for text in (name, f"a {name}", name * 3):
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text
        assert name not in map(tokenizer.piece, ids)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_a_word_is_the_same_at_the_start_and_inside(kind):
    tokenizer = TRAINED[kind]
    alone = tokenizer.encode("river")
    assert tokenizer.encode("river river") == alone + alone
    assert tokenizer.piece(alone[0]).startswith(" ")
    assert tokenizer.starts_word(alone[0])
    assert not tokenizer.starts_word(tokenizer.encode("river!")[-1])


def test_frequent_words_become_one_piece():
    tokenizer = TRAINED["bpe"]
    assert [tokenizer.piece(number) for number in tokenizer.encode("the नदी")] == [" the", " नदी"]


def test_digits_stand_apart(pieces):
    tokenizer = trained(pieces, ["in 2024 and 2024 and २०२४ २०२४ 2024"] * 20, 500)
    digits = [tokenizer.piece(number).strip() for number in tokenizer.encode("2024 २०२४")]
    assert [digit for digit in digits if digit] == list("2024२०२४")


def test_devanagari_is_never_spelt_in_bytes(pieces):
    tokenizer = trained(pieces, ["नदी"])
    for code in (*range(0x0900, 0x0980), 0x200C, 0x200D):
        ids = tokenizer.encode(chr(code))
        assert not [number for number in ids if number < 5 + 256], hex(code)


def test_a_corpus_without_devanagari_does_not_pay_for_it(pieces):
    tokenizer = trained(pieces, ["abc"])
    assert tokenizer.encode("क")[-3:] == [5 + byte for byte in "क".encode()]


def test_only_characters_that_were_never_seen_are_bytes(tokenizer):
    seen = nfc("".join(ENGLISH + HINDI))
    assert min(number for text in seen for number in tokenizer.encode(text)) >= 5 + 256
    assert tokenizer.encode("☃")[-3:] == [5 + 0xE2, 5 + 0x98, 5 + 0x83]
    assert tokenizer.decode(tokenizer.encode("☃")) == "☃"


def test_coverage_leaves_rare_characters_to_bytes(pieces):
    texts = ["abab abab abab"] * 100 + ["ab☃ab"]
    with_all = trained(pieces, texts, 300)
    without_rare = trained(pieces, texts, 300, character_coverage=0.99)
    assert with_all.encode("☃")[-1] >= 5 + 256
    assert without_rare.encode("☃")[-3:] == [5 + byte for byte in "☃".encode()]
    assert min(without_rare.encode("ab ab")) >= 5 + 256
    assert without_rare.decode(without_rare.encode("ab☃ab")) == "ab☃ab"


def test_lower_case(pieces):
    tokenizer = trained(pieces, ["ΑΣ The THE İ"], 400, lowercase=True)
    assert tokenizer.encode("THE") == tokenizer.encode("the")
    assert tokenizer.decode(tokenizer.encode("The ΑΣ")) == "the ασ"
    assert min(tokenizer.encode("ΑΣ The THE İ")) >= 5 + 256


def test_training_twice_gives_the_same_file(pieces):
    files = {trained(pieces, vocabulary=430, exact=pieces != "characters").to_json() for _ in range(3)}
    assert len(files) == 1


def test_the_asked_size_is_given(pieces):
    size = trained(pieces, vocabulary=430).size
    assert size == 430 if pieces != "characters" else size < 430


def test_an_iterator_and_a_list_train_alike(pieces):
    text_settings = TextSettings(pieces=pieces)
    from_iterator = Tokenizer.train(iter(ENGLISH), text_settings, 320, exact=False)
    assert from_iterator.to_json() == Tokenizer.train(ENGLISH, text_settings, 320, exact=False).to_json()


def test_a_vocabulary_that_is_too_large_says_what_is_possible(pieces):
    with pytest.raises(DhyanError, match=r"gives only (\d+) entries; lower --vocabulary") as caught:
        trained(pieces, ENGLISH, 5000, exact=True)
    possible = int(str(caught.value).split("only ")[1].split()[0])
    assert trained(pieces, ENGLISH, possible, exact=True).size == possible


def test_a_vocabulary_that_is_too_small_says_the_least(pieces):
    with pytest.raises(DhyanError, match=r"at least (\d+) entries .*--character-coverage") as caught:
        trained(pieces, ENGLISH, 100)
    least = int(str(caught.value).split("at least ")[1].split()[0])
    assert trained(pieces, ENGLISH, least, exact=True).size == least
    with pytest.raises(DhyanError, match="at least"):
        trained(pieces, ENGLISH, least - 1)


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_no_text_cannot_be_learned_from(pieces, texts):
    with pytest.raises(DhyanError, match="no text"):
        trained(pieces, texts)


def test_saved_and_loaded_it_is_the_same(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "source.tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "source.tokenizer.json")
    assert loaded.encode_batch(NASTY) == tokenizer.encode_batch(NASTY)
    assert loaded.to_json() == tokenizer.to_json() == Tokenizer.from_json(tokenizer.to_json()).to_json()
    assert loaded.normalised(" x") == " x"


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\xff\xfe", b'{"model": {"type": "BPE", "vocab": {}, "merges": []}}']
)
def test_a_broken_file_is_named(tmp_path, content):
    path = tmp_path / "broken.tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(DhyanError, match=r"broken\.tokenizer\.json"):
        Tokenizer.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DhyanError, match=r"no\.json: there is no such"):
        Tokenizer.load(tmp_path / "no.json")


def test_half_a_character_is_refused(tokenizer):
    for use in (tokenizer.encode, tokenizer.spans, tokenizer.normalised):
        with pytest.raises(DhyanError, match=r"half of a character \('\\ud800' at position 3\)"):
            use("ab\ud800")


def test_an_id_beyond_the_vocabulary_is_refused(tokenizer):
    with pytest.raises(DhyanError, match="There is no piece 99999"):
        tokenizer.piece(99999)


def test_characters_are_fast_on_a_megabyte():
    text = (" ".join(ENGLISH + HINDI) + "\n") * 2500
    assert len(text) > 800_000
    tokenizer = trained("characters", [text], 500)
    started = time.perf_counter()
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == nfc(text)
    assert len(ids) == len(nfc(text))
    assert time.perf_counter() - started < 5  # a fraction of a second when the machine is idle


def test_a_mark_is_shown_on_a_circle():
    assert with_dotted_circle("ी") == "◌ी"
    assert with_dotted_circle("्टी") == "◌्टी"
    assert with_dotted_circle(" ी") == " ◌ी"
    assert with_dotted_circle(" की") == " की"
    assert with_dotted_circle("") == ""
    assert with_dotted_circle("<0xE0>") == "<0xE0>"
