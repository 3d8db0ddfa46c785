"""Tokenizers of other programs: cut as they cut, shown as people read; nothing that is typed is a special token."""

import json

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from dhyan.core.errors import DhyanError
from dhyan.text.imported_tokenizer import ImportedTokenizer
from dhyan.text.incremental_decoder import IncrementalDecoder
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from support.foreign_tokenizers import byte_level_json, documents, unigram_json, word_piece_json
from support.odd_texts import TEXTS
from support.texts import varied_texts

KINDS = ("word pieces", "bytes", "unigram")
LOADED = {kind: Tokenizer.from_json(json.dumps(document)) for kind, document in documents().items()}
SPECIAL = {
    "word pieces": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    "bytes": ["<|endoftext|>"],
    "unigram": ["<s>", "<pad>", "</s>", "<unk>"],
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def tokenizer(kind):
    return LOADED[kind]


def pieces(tokenizer, text):
    return [tokenizer.piece(number) for number in tokenizer.encode(text)]


def shown(tokenizer, text):
    return [tokenizer.shown_piece(number) for number in tokenizer.encode(text)]


def test_it_cuts_as_the_library_does_without_what_stands_around_a_text(kind, tokenizer):
    library = tokenizers.Tokenizer.from_str(json.dumps(documents()[kind]))
    library.no_truncation()
    library.no_padding()
    texts = [
        text for text in [*varied_texts(200, among=TEXTS), *TEXTS] if not any(name in text for name in SPECIAL[kind])
    ]
    expected = [encoding.ids for encoding in library.encode_batch(texts, add_special_tokens=False)]
    assert tokenizer.encode_batch(texts) == expected
    assert tokenizer.decode_batch(expected) == library.decode_batch(expected)


def test_a_special_token_in_a_text_is_text(kind, tokenizer):
    unknown = tokenizer.id_of({"word pieces": "[UNK]", "unigram": "<unk>"}.get(kind, "none"))
    for name in SPECIAL[kind]:
        number = tokenizer.id_of(name)
        assert number in tokenizer.special_ids
        assert tokenizer.piece(number) == tokenizer.shown_piece(number) == name
        for text in (name, f"the {name} bank", name * 2, f"\uffff{name}"):
            ids = tokenizer.encode(text)
            assert len(ids) > 1
            assert not (tokenizer.special_ids - {unknown}) & set(ids)
        around = tokenizer.encode("the bank")
        assert tokenizer.decode([number, *around, number]) == tokenizer.decode(around)


def test_a_special_word_without_signs_is_text_too():
    document = documents()["word pieces"]
    document["model"]["vocab"]["secret"] = len(document["model"]["vocab"])
    assert pieces(ImportedTokenizer.from_document(document), "secret") == ["secret"]
    hidden = ImportedTokenizer.from_document(document, special=["secret"])
    assert "secret" not in pieces(hidden, "secret")
    assert hidden.id_of("secret") in hidden.special_ids


def test_saved_and_loaded_it_is_the_same(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert isinstance(loaded, ImportedTokenizer)
    assert loaded.to_json() == tokenizer.to_json()
    assert loaded.encode_batch(TEXTS) == tokenizer.encode_batch(TEXTS)
    assert loaded.special_ids == tokenizer.special_ids
    assert [loaded.piece(number) for number in range(loaded.size)] == list(
        map(tokenizer.piece, range(tokenizer.size))
    )


def test_names_of_pieces_are_unique_and_lead_back(tokenizer):
    names = [tokenizer.piece(number) for number in range(tokenizer.size)]
    assert list(map(tokenizer.id_of, names)) == list(range(tokenizer.size))
    with pytest.raises(DhyanError, match="There is no piece 99999"):
        tokenizer.piece(99999)


def test_word_pieces_are_shown_with_spaces():
    tokenizer = LOADED["word pieces"]
    assert [piece for piece in pieces(tokenizer, "The riverboat") if piece.startswith("##")]
    assert "".join(shown(tokenizer, "The riverboat!")) == " the riverboat !"
    assert all(tokenizer.starts_word(number) != tokenizer.piece(number).startswith("##") for number in range(5, 800))
    assert tokenizer.first_learned == 5


def test_bytes_are_shown_as_characters_where_they_are_whole():
    tokenizer = LOADED["bytes"]
    text = "the bank\nनदी ☃"
    assert pieces(tokenizer, "the bank")[-1] == "Ġbank"
    assert shown(tokenizer, "the bank")[-1] == " bank"
    assert "".join(shown(tokenizer, text)).replace("<0xE2><0x98><0x83>", "☃") == text
    assert "<0x83>" in "".join(shown(tokenizer, "☃"))
    assert tokenizer.starts_word(tokenizer.id_of("Ġbank"))
    assert tokenizer.starts_word(tokenizer.id_of("Ċ"))
    assert not tokenizer.starts_word(tokenizer.id_of("b"))


def test_sentencepiece_spaces_are_shown():
    tokenizer = LOADED["unigram"]
    assert "".join(shown(tokenizer, "the bank")) == " the bank"
    assert tokenizer.starts_word(tokenizer.encode("bank")[0])
    assert tokenizer.first_learned == 4


def test_spans_say_where_a_piece_stands(tokenizer):
    @settings(max_examples=100, deadline=None)
    @given(text=st.text(st.characters(exclude_categories=("Cs",))) | st.sampled_from(TEXTS))
    def check(text):
        spans = tokenizer.spans(text)
        assert len(spans) == len(tokenizer.encode(text))
        assert all(0 <= start <= end <= len(tokenizer.normalised(text)) for start, end in spans)
        assert spans == sorted(spans)

    check()
    text = "The bank, नदी"
    assert len(tokenizer.normalised(text)) == len(text)
    assert "".join(text[start:end].strip() for start, end in tokenizer.spans(text)).startswith("Thebank,")


def test_only_bytes_are_lossless():
    assert {kind: tokenizer.is_lossless for kind, tokenizer in LOADED.items()} == {
        "word pieces": False,
        "bytes": True,
        "unigram": False,
    }

    @settings(max_examples=200, deadline=None)
    @given(text=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\uffff")))
    def check(text):
        assert LOADED["bytes"].decode(LOADED["bytes"].encode(text)) == text

    check()


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "Lowercase"}},
        {"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "StripAccents"}]}},
        {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}},
        {"decoder": None},
    ],
)
def test_what_loses_text_says_so(change):
    assert not ImportedTokenizer.from_document(documents()["bytes"] | change).is_lossless


@pytest.mark.parametrize("kind", ["bytes", "unigram"])
def test_written_id_by_id_it_is_the_same_text(kind):
    tokenizer = LOADED[kind]
    for text in [*varied_texts(100, among=TEXTS), "the ☃ bank ☃☃ bank", "☃ the", "a ☃   b"]:
        decoder, ids = IncrementalDecoder(tokenizer), tokenizer.encode(text)
        assert "".join(map(decoder.add, ids)) + decoder.end() == tokenizer.decode(ids)


def test_our_own_say_the_same_things():
    own = Tokenizer.train(["the river bank"], TextSettings(), 300, exact=False)
    lower = Tokenizer.train(["the river bank"], TextSettings(lowercase=True), 300, exact=False)
    assert type(Tokenizer.from_json(own.to_json())) is Tokenizer
    assert own.special_ids == frozenset(range(5))
    assert own.is_lossless
    assert not lower.is_lossless
    assert own.shown_piece(261) == own.piece(261)


def test_half_a_character_is_refused(tokenizer):
    for use in (tokenizer.encode, tokenizer.spans, tokenizer.normalised):
        with pytest.raises(DhyanError, match="half of a character"):
            use("ab\ud800")


def test_files_of_early_versions_have_no_type_and_merges_as_lines():
    document = json.loads(byte_level_json())
    model = document["model"]
    del model["type"]
    model["merges"] = [" ".join(pair) for pair in model["merges"]]
    model |= {"continuing_subword_prefix": "", "end_of_word_suffix": ""}
    assert ImportedTokenizer.from_document(document).encode_batch(TEXTS) == LOADED["bytes"].encode_batch(TEXTS)
    for text in (word_piece_json(), unigram_json()):
        document = json.loads(text)
        del document["model"]["type"]
        assert ImportedTokenizer.from_document(document).to_json() == Tokenizer.from_json(text).to_json()


def test_added_tokens_that_are_not_special_are_found_in_texts(tokenizer, kind):
    document = documents()[kind]
    size = tokenizer.size
    document["added_tokens"] += [
        {"id": size, "content": "<tool>", "special": False},
        {"id": size + 1, "content": "<turn>", "special": True},
    ]
    with_tool = ImportedTokenizer.from_document(document)
    assert with_tool.size == size + 2
    assert size in with_tool.encode("the <tool> bank")
    assert size + 1 not in with_tool.encode("the <turn> bank")
    assert with_tool.id_of("<turn>") == size + 1
    assert Tokenizer.from_json(with_tool.to_json()).encode("the <tool>") == with_tool.encode("the <tool>")


def test_an_id_without_a_piece_gets_one():
    document = documents()["word pieces"]
    vocabulary = document["model"]["vocab"]
    del vocabulary["bank"], vocabulary["[MASK]"]
    tokenizer = ImportedTokenizer.from_document(document)
    assert tokenizer.size == LOADED["word pieces"].size
    number = LOADED["word pieces"].id_of("bank")
    assert tokenizer.piece(number) == f"<unused {number}>"
    assert tokenizer.piece(4) == "[MASK]"  # an added token fills its own
