"""The browser's tokenizer: the same ids, texts and spans as Python's, for every kind of file."""

import json
import random
from functools import cache
from itertools import product

import pytest

from dhyan.core.errors import DhyanError
from dhyan.pack.pack import BUILT_IN
from dhyan.text.incremental_decoder import IncrementalDecoder
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from support.javascript import call_javascript
from support.odd_texts import PROSE, TEXTS

TOKENIZING = "../../../../tests/support/tokenizing.mjs"


@cache
def tokenizers() -> list[Tokenizer]:
    """One of each kind that can be trained, and those of the packs that come with Dhyan."""
    texts = PROSE.splitlines()
    kinds = product(("bpe", "unigram", "characters"), (False, True))
    settings = [TextSettings(pieces=pieces, lowercase=lowercase) for pieces, lowercase in kinds]
    trained = [Tokenizer.train(texts, one, 900, exact=False) for one in settings]
    rare = Tokenizer.train(texts, TextSettings(pieces="unigram", character_coverage=0.95), 600, exact=False)
    return [*trained, rare, *map(Tokenizer.load, shipped_files())]


def shipped_files():
    return sorted({path.read_bytes(): path for path in BUILT_IN.glob("*/*.tokenizer.json")}.values())


def units(text: str, offset: int) -> int:
    return len(text[:offset].encode("utf-16-le")) // 2


def test_ids_texts_and_spans_are_pythons():
    answers = call_javascript(TOKENIZING, "looked", [[one.to_json(), TEXTS] for one in tokenizers()])
    for tokenizer, answer in zip(tokenizers(), answers, strict=True):
        for text, (ids, decoded, normalised, spans) in zip(TEXTS, answer, strict=True):
            assert ids == tokenizer.encode(text), text
            assert decoded == tokenizer.decode(ids), text
            seen = tokenizer.normalised(text)
            assert normalised == seen
            assert spans == [[units(seen, start), units(seen, end)] for start, end in tokenizer.spans(text)], text


def random_ids(tokenizer: Tokenizer, chance: random.Random) -> list[int]:
    """Bytes that are no text among them."""
    return [
        chance.choice([chance.randrange(tokenizer.size + 3), chance.randrange(5, 261), *tokenizer.encode("क 中 👍")])
        for _ in range(chance.randrange(12))
    ]


def test_any_ids_have_the_same_text_at_once_and_one_by_one():
    chance = random.Random(7)
    for_all = [[random_ids(one, chance) for _ in range(60)] for one in tokenizers()]
    texts = [[one.encode(text) for text in TEXTS[:60]] for one in tokenizers()]
    batches = [[*some, *more] for some, more in zip(for_all, texts, strict=True)]
    decoded = call_javascript(
        TOKENIZING, "decoded", [[one.to_json(), batch] for one, batch in zip(tokenizers(), batches, strict=True)]
    )
    split = [[[ids[:3], ids[3:]] for ids in batch] for batch in batches]
    streamed = call_javascript(
        TOKENIZING, "streamed", [[one.to_json(), batch] for one, batch in zip(tokenizers(), split, strict=True)]
    )
    for number, tokenizer in enumerate(tokenizers()):
        assert decoded[number] == tokenizer.decode_batch(batches[number])
        for (before, ids), given in zip(split[number], streamed[number], strict=True):
            decoder = IncrementalDecoder(tokenizer, before)
            assert given == [*map(decoder.add, ids), decoder.end()]


def test_a_broken_file_is_refused_with_the_same_sentence():
    whole = json.loads(tokenizers()[0].to_json())
    broken = [
        {**whole, "model": {**whole["model"], "vocab": {"a": 0, "b": 2}}},
        {**whole, "model": {**whole["model"], "vocab": {"a": 0, "": 1}}},
        {**whole, "model": {**whole["model"], "vocab": [["a", 1.0, 2]]}},
        {**whole, "model": {**whole["model"], "vocab": None}},
        {**whole, "model": {**whole["model"], "vocab": {"a": 0}, "merges": []}},
    ]
    said = call_javascript(TOKENIZING, "problem", [[json.dumps(one)] for one in broken])
    for one, sentence in zip(broken, said, strict=True):
        with pytest.raises(DhyanError) as refused:
            Tokenizer.from_json(json.dumps(one))
        assert sentence == str(refused.value)


def test_a_file_that_is_not_ours_is_refused():
    whole = json.loads(tokenizers()[0].to_json())
    foreign = {"model": None}, {"normalizer": {"type": "NFKC"}}, {"truncation": {"max_length": 3}}
    said = call_javascript(TOKENIZING, "problem", [[json.dumps(whole | change)] for change in foreign])
    assert all(sentence.startswith("The tokenizer is broken (") for sentence in said)


def test_half_a_character_is_refused():
    text = "a👍\ud83d b"
    [said] = call_javascript(TOKENIZING, "problem", [[tokenizers()[0].to_json(), text]])
    with pytest.raises(DhyanError) as refused:
        tokenizers()[0].encode(text)
    assert said == str(refused.value)
