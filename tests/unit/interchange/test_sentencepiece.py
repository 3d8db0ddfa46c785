"""SentencePiece's files, read without its library, cut text as its library does."""

import random
import unicodedata
from pathlib import Path

import pytest

from dhyan.core.errors import DhyanError
from dhyan.interchange.sentencepiece_file import PieceType, read_sentencepiece
from dhyan.interchange.sentencepiece_tokenizer import merges_of, sentencepiece_tokenizer
from dhyan.text.tokenizer import Tokenizer
from support.foreign_tokenizers import charsmap, sentencepiece_file
from support.hostile_files import damaged
from support.odd_texts import PROSE, TEXTS
from support.oracles import call_oracle
from support.texts import varied_texts

UNIGRAM = [
    ("<unk>", 0.0, 2),
    ("<s>", 0.0, 3),
    ("</s>", 0.0, 3),
    ("▁the", -2.0, 1),
    ("▁ba", -3.0, 1),
    ("nk", -3.5, 1),
    ("▁", -4.0, 1),
    *((letter, -6.0, 1) for letter in "abeknth<>/s"),
]
BPE = [("<unk>", 0.0, 2), ("▁b", 0.0, 1), ("an", -1.0, 1), ("▁ban", -2.0, 1), *((one, -9.0, 1) for one in "▁ban")]


def model_of(tmp_path, *arguments, **more):
    path = tmp_path / "test.spm"
    path.write_bytes(sentencepiece_file(*arguments, **more))
    return read_sentencepiece(path)


def cut(tokenizer, text):
    return [tokenizer.piece(number) for number in tokenizer.encode(text)]


def test_what_the_file_says(tmp_path):
    trainer = b"\xd0\x02\x07\xd8\x02" + b"\xff" * 9 + b"\x01"  # eos 7, pad -1
    model = model_of(tmp_path, UNIGRAM, table=charsmap(), byte_fallback=True, spaces=False, trainer=trainer)
    assert [(piece.text, piece.score, piece.type) for piece in model.pieces][3] == ("▁the", -2.0, PieceType.NORMAL)
    assert (model.model_type, model.unk_id, model.bos_id, model.eos_id, model.pad_id) == ("unigram", 0, 1, 7, -1)
    assert (model.byte_fallback, model.add_dummy_prefix, model.remove_extra_whitespaces) == (True, True, False)
    assert model.precompiled_charsmap == charsmap()


def test_unigram(tmp_path):
    tokenizer = sentencepiece_tokenizer(model_of(tmp_path, UNIGRAM))
    assert cut(tokenizer, "  the   bank ") == ["▁the", "▁ba", "nk"]
    assert tokenizer.decode(tokenizer.encode("the bank")) == "the bank"
    assert tokenizer.special_ids == {0, 1, 2}
    assert cut(tokenizer, "</s>") == ["▁", "<", "/", "s", ">"]
    assert cut(tokenizer, "☃ the") == ["▁", "<unk>", "▁the"]
    assert Tokenizer.from_json(tokenizer.to_json()).encode("the bank") == tokenizer.encode("the bank")


def test_the_table_of_characters_is_used(tmp_path):
    tokenizer = sentencepiece_tokenizer(model_of(tmp_path, UNIGRAM, table=charsmap("B", "b")))
    assert tokenizer.encode("Bank") == tokenizer.encode("bank")


def test_bpe_joins_what_scores_best_first(tmp_path):
    tokenizer = sentencepiece_tokenizer(model_of(tmp_path, BPE, kind=2))
    assert cut(tokenizer, "ban bab") == ["▁ban", "▁b", "a", "b"]
    assert merges_of({"a": -3.0, "b": -4.0, "ab": -2.0, "aba": -1.0}) == [("ab", "a"), ("a", "b")]


@pytest.mark.parametrize(("kind", "pieces"), [(1, UNIGRAM), (2, BPE)])
def test_what_has_no_piece_is_written_in_bytes(tmp_path, kind, pieces):
    pieces = [*pieces, *((f"<0x{byte:02X}>", 0.0, 6) for byte in range(256))]
    tokenizer = sentencepiece_tokenizer(model_of(tmp_path, pieces, kind=kind, byte_fallback=True))
    assert cut(tokenizer, "☃")[-3:] == ["<0xE2>", "<0x98>", "<0x83>"]
    assert tokenizer.decode(tokenizer.encode("ban ☃")) == "ban ☃"
    assert cut(tokenizer, "<0x41>") != ["▁", "<0x41>"]
    assert tokenizer.decode(tokenizer.encode("<0x41>")) == "<0x41>"


@pytest.mark.parametrize(("kind", "pieces"), [(1, UNIGRAM), (2, BPE)])
def test_pieces_of_the_user_are_never_cut(tmp_path, kind, pieces):
    tokenizer = sentencepiece_tokenizer(model_of(tmp_path, [*pieces, ("banana", 0.0, 4)], kind=kind))
    assert "banana" in cut(tokenizer, "ban banana")


def test_ids_of_a_shared_vocabulary(tmp_path):
    model = model_of(tmp_path, UNIGRAM)
    kept = [piece.text for piece in model.pieces if piece.text not in ("nk", "<s>")]
    vocabulary = {
        piece: number for number, piece in enumerate(["</s>", *sorted({*kept} - {"</s>"}), "▁नदी", "nnn", "न"])
    }
    tokenizer = sentencepiece_tokenizer(model, vocabulary, special=["<pad>", "</s>"])
    assert tokenizer.size == len(vocabulary)
    assert [tokenizer.piece(number) for number in range(tokenizer.size)] == list(vocabulary)
    assert cut(tokenizer, "the bank") == ["▁the", "▁ba", "n", "k"]  # without nk, which the vocabulary lacks
    assert cut(tokenizer, "nnn नदी") == ["▁", "n", "n", "n", "▁", "<unk>"]  # as the model alone would cut it
    assert cut(tokenizer, "न the ") == ["▁", "न", "▁the"]  # which has no न
    assert len(tokenizer.spans("न the")) == 3
    assert tokenizer.decode([vocabulary["▁the"], vocabulary["▁नदी"]]) == "the नदी"
    assert tokenizer.decode([vocabulary["▁नदी"]]) == "नदी"
    assert tokenizer.shown_piece(vocabulary["▁नदी"]) == " नदी"
    assert tokenizer.special_ids == {0, vocabulary["<unk>"]}


def test_pieces_that_stand_for_a_language_come_first(tmp_path):
    model = model_of(tmp_path, UNIGRAM)
    vocabulary = {piece.text: number for number, piece in enumerate(model.pieces)} | {">>hin<<": len(UNIGRAM)}
    tokenizer = sentencepiece_tokenizer(model, vocabulary, added=[">>hin<<"])
    assert cut(tokenizer, ">>hin<< the bank") == [">>hin<<", "▁the", "▁ba", "nk"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "exactly one piece"),
        (b"<html>", "no protobuf"),
        (b"\x0a", "cut off"),
        (b"\x0a\xff\xff\xff\xff\x0f", "cut off"),
        (b"\xff" * 20, "cut off"),
        (sentencepiece_file(UNIGRAM)[:40], "cut off"),
        (sentencepiece_file(UNIGRAM, kind=3), "of the kind word"),
        (sentencepiece_file(UNIGRAM[1:]), "exactly one piece"),
        (sentencepiece_file([*UNIGRAM, UNIGRAM[-1]]), "a piece twice"),
        (sentencepiece_file([*UNIGRAM, ("x", float("nan"), 1)]), "log-probability"),
        (sentencepiece_file([*UNIGRAM, ("x", 0.0, 99)]), "99"),
        (sentencepiece_file(UNIGRAM, trainer=b"\xc0\x01\x01"), "spaces"),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path, content, reason):
    path = tmp_path / "broken.spm"
    path.write_bytes(content)
    with pytest.raises(DhyanError, match=r"broken\.spm cannot be read as a SentencePiece model") as caught:
        read_sentencepiece(path)
    assert reason in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DhyanError, match=r"no\.spm: there is no such"):
        read_sentencepiece(tmp_path / "no.spm")


def test_damaged_files_are_read_or_refused(tmp_path):
    draw, path = random.Random(1), tmp_path / "damaged.spm"
    refused = []
    for _ in range(400):
        path.write_bytes(damaged(sentencepiece_file(UNIGRAM, table=charsmap()), draw))
        try:
            tokenizer = sentencepiece_tokenizer(read_sentencepiece(path))
            tokenizer.decode(tokenizer.encode("the bank A ☃"))
        except DhyanError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert all(sentence.isprintable() for sentence in refused)


# -- beside SentencePiece itself -----------------------------------------------------------------------------------

TRAIN_AND_CUT = """
import sentencepiece
answer = {}
for name, settings in payload["models"].items():
    prefix = f"{payload['folder']}/{name}"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(payload["lines"]), model_prefix=prefix, hard_vocab_limit=False, **settings
    )
    model = sentencepiece.SentencePieceProcessor(f"{prefix}.model")
    ids = model.encode(payload["texts"])
    answer[name] = [ids, model.decode([[number for number in one if number != model.unk_id()] for one in ids])]
"""
MODELS = {
    "unigram": {"model_type": "unigram", "vocab_size": 600},
    "bpe": {"model_type": "bpe", "vocab_size": 900},
    "llama": {
        "model_type": "bpe", "vocab_size": 1200, "byte_fallback": True, "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False, "split_digits": True, "allow_whitespace_only_pieces": True,
    },
    "bytes": {"model_type": "unigram", "vocab_size": 900, "byte_fallback": True, "add_dummy_prefix": False},
    "folded": {"model_type": "unigram", "vocab_size": 500, "normalization_rule_name": "nmt_nfkc_cf", "pad_id": 3},
}  # fmt: skip


def keeps_its_marks(text):
    """The library's table of characters drops a mark behind a character that the table changes, and composes less."""
    changed = [one.isspace() or unicodedata.normalize("NFKC", one.casefold()) != one for one in text]
    marks = [unicodedata.category(one).startswith("M") for one in text]
    behind = any(before and mark for before, mark in zip(changed, marks[1:], strict=False))
    return not behind and unicodedata.normalize("NFC", text) == text and "\0" not in text


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spm")
    texts = list(filter(keeps_its_marks, varied_texts(600, among=TEXTS)))
    payload = {"folder": str(folder), "models": MODELS, "lines": PROSE.splitlines() * 20, "texts": texts}
    return folder, texts, call_oracle(TRAIN_AND_CUT, payload)


@pytest.mark.parametrize("name", MODELS)
def test_it_is_as_sentencepiece(compared, name):
    folder, texts, answers = compared
    assert len(texts) > 350
    ids, decoded = answers[name]
    tokenizer = sentencepiece_tokenizer(read_sentencepiece(Path(folder, f"{name}.model")))
    assert tokenizer.encode_batch(texts) == ids
    assert tokenizer.decode_batch(ids) == decoded
