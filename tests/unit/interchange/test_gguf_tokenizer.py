"""The tokenizer in a GGUF file's metadata."""

import json

import pytest
import tokenizers
from tokenizers import Regex, pre_tokenizers

from dhyan.core.errors import DhyanError
from dhyan.interchange.gguf_tokenizer import gguf_tokenizer
from support.foreign_tokenizers import byte_level_json
from support.odd_texts import TEXTS
from support.texts import varied_texts

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def bytes_only(expression):
    cut = pre_tokenizers.Split(Regex(expression), "isolated")
    return [cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]


CUTS = {
    "gpt-2": bytes_only(GPT2),
    "default": bytes_only(GPT2),
    "smollm": [pre_tokenizers.Digits(individual_digits=True), *bytes_only(GPT2)],
    "llama-bpe": bytes_only(LLAMA3),
}


def metadata(**more):
    model = json.loads(byte_level_json())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    found = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": tokens,
        "token_type": [3] + [1] * (len(tokens) - 1),
        "merges": [" ".join(pair) for pair in model["merges"]],
    }
    return {f"tokenizer.ggml.{key}": value for key, value in (found | more).items() if value is not None}


@pytest.mark.parametrize("cut", CUTS)
def test_words_are_cut_as_the_file_says(cut):
    library = tokenizers.Tokenizer.from_str(byte_level_json())
    library.pre_tokenizer = pre_tokenizers.Sequence(CUTS[cut])
    texts = [
        text
        for text in [*varied_texts(150, among=TEXTS), *TEXTS, "I'M 12345 \r\n\n x"]
        if "<|endoftext|>" not in text
    ]
    tokenizer = gguf_tokenizer(metadata(pre=cut))
    assert tokenizer.encode_batch(texts) == [one.ids for one in library.encode_batch(texts)]
    assert tokenizer.decode_batch(tokenizer.encode_batch(texts)) == texts
    assert tokenizer.special_ids == {0}
    assert tokenizer.is_lossless


def test_digits_stand_apart_where_they_should():
    shown = {
        cut: [tok.piece(n) for n in tok.encode("x12")] for cut in CUTS if (tok := gguf_tokenizer(metadata(pre=cut)))
    }
    assert shown["smollm"] == ["x", "1", "2"]


def test_tokens_of_the_user_are_found_in_texts():
    tokens = [*metadata()["tokenizer.ggml.tokens"], "<tool>", "<end>"]
    tokenizer = gguf_tokenizer(metadata(tokens=tokens, token_type=[3] + [1] * (len(tokens) - 3) + [4, 3]))
    assert tokenizer.encode("<tool>") == [len(tokens) - 2]
    assert len(tokenizer.encode("<end>")) > 1
    assert tokenizer.special_ids == {0, len(tokens) - 1}


def test_a_llama_tokenizer():
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁b", "an", "▁ban", *"▁ban"]
    llama = metadata(
        model="llama", tokens=tokens, merges=None, pre=None, token_type=[2, 3, 3] + [6] * 256 + [1] * 7,
        scores=[0.0] * 259 + [0.0, -1.0, -2.0] + [-9.0] * 4,
    )  # fmt: skip
    tokenizer = gguf_tokenizer(llama)
    assert [tokenizer.piece(number) for number in tokenizer.encode("ban bab")] == ["▁ban", "▁b", "a", "b"]
    assert tokenizer.decode(tokenizer.encode(" ban  ☃ </s>")) == " ban  ☃ </s>"
    assert tokenizer.special_ids == {0, 1, 2}
    without = gguf_tokenizer(llama | {"tokenizer.ggml.add_space_prefix": False})
    assert [without.piece(number) for number in without.encode("ban")] == ["b", "an"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"model": None}, "is none; Dhyan knows gpt2 and llama"),
        ({"model": "bert"}, "is bert; Dhyan knows gpt2 and llama"),
        ({"pre": "tekken"}, "cuts words as tekken does, and Dhyan knows default, gpt-2"),
        ({"tokens": None}, "no list of tokens"),
        ({"tokens": ["a", "a"], "token_type": None}, "twice"),
        ({"tokens": [1], "token_type": None}, "no list of tokens"),
        ({"token_type": [1]}, "shorter"),
        ({"token_type": [77] * 700}, "77"),
        ({"merges": ["a"]}, "merges"),
        ({"model": "llama"}, "unknown text"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(more, reason):
    with pytest.raises(DhyanError, match="GGUF") as caught:
        gguf_tokenizer(metadata(**more))
    assert reason in str(caught.value)
