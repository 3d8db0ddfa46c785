"""Small tokenizers of the kinds that other programs write, learned from the tests' own texts."""

import json
import struct
from functools import cache

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from support.odd_texts import PROSE

BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@cache
def word_piece_json(lowercase=True):
    """As BERT's, with what stands around a text, padding and truncation."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=900, special_tokens=BERT_SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(PROSE.splitlines(), trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=128)
    return tokenizer.to_str()


@cache
def byte_level_json():
    """As GPT-2's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(PROSE.splitlines(), trainer)
    return tokenizer.to_str()


@cache
def unigram_json():
    """As XLM-RoBERTa's, though without a table of characters."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=500, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(PROSE.splitlines(), trainer)
    return tokenizer.to_str()


def charsmap(key="A", value="b"):
    """SentencePiece's table for one ASCII character: a double-array trie, then what is written for it."""
    units = [0] * 512
    root, leaf = 0x100, 0x80
    place = root ^ ord(key)
    units[0] = root << 10
    units[place] = leaf << 10 | 0x100 | ord(key)
    units[place ^ leaf] = 1 << 31
    return struct.pack("<I512I", 2048, *units) + value.encode() + b"\0"


def sentencepiece_file(pieces, kind=1, table=b"", byte_fallback=False, spaces=True, trainer=b""):
    """The bytes of a SentencePiece model. pieces: (text, score, type)."""
    entries = [
        _field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + bytes([0x18, number])
        for text, score, number in pieces
    ]
    trainer = bytes([0x18, kind]) + _varint(35 << 3) + bytes([byte_fallback]) + trainer
    normalizer = _field(1, b"test") + (_field(2, table) if table else b"") + bytes([0x20, spaces])
    return b"".join(_field(1, entry) for entry in entries) + _field(2, trainer) + _field(3, normalizer)


def _field(number, value):
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(number):
    return bytes([number & 0x7F | 0x80]) + _varint(number >> 7) if number > 0x7F else bytes([number])


def documents():
    """One of each, as objects."""
    return {
        "word pieces": json.loads(word_piece_json()),
        "bytes": json.loads(byte_level_json()),
        "unigram": json.loads(unigram_json()),
    }
