"""A tokenizer of another program that lies is one sentence, at once: no hang, no panic, no memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers.normalizers import Precompiled

from dhyan.core.errors import DhyanError
from dhyan.text.charsmap import check_charsmap
from dhyan.text.tokenizer import Tokenizer
from support import hostile_tokenizers
from support.foreign_tokenizers import charsmap, documents
from support.hostile_tokenizers import REFUSED, lies

LIES = 300


@pytest.mark.parametrize(("change", "named"), REFUSED, ids=[f"{i}-{named}" for i, (_, named) in enumerate(REFUSED)])
def test_what_dhyan_does_not_know_is_named(change, named):
    with pytest.raises(DhyanError) as caught:
        Tokenizer.from_json(json.dumps(documents()["bytes"] | change), where="x.json")
    sentence = str(caught.value)
    assert sentence.startswith("x.json cannot be used as a tokenizer: ")
    assert named in sentence
    assert sentence.isprintable()
    assert len(sentence) < 600


def test_what_surrounds_a_text_is_left_out():
    document = documents()["word pieces"]
    assert document["truncation"]
    assert document["padding"]
    written = json.loads(Tokenizer.from_json(json.dumps(document)).to_json())
    assert [written[key] for key in ("truncation", "padding", "post_processor")] == [None] * 3


def test_every_lie_is_one_sentence(tmp_path):
    path = tmp_path / "lies"
    path.write_text("".join(json.dumps(text) + "\n" for text in lies(LIES)), encoding="utf-8")
    tests = Path(hostile_tokenizers.__file__).parents[1]
    command = [sys.executable, hostile_tokenizers.__file__, str(path)]
    environment = os.environ | {"PYTHONPATH": str(tests)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    said = [outcome for _, outcome in map(json.loads, done.stdout.splitlines())]
    assert done.returncode == 0, (len(said), done.stderr[-1000:])
    assert not [sentence for sentence in said if sentence.startswith("RAISED")]
    assert "panicked" not in done.stderr
    refused = [sentence for sentence in said if sentence != "ok"]
    assert LIES / 4 < len(refused) < LIES
    assert all(
        sentence.startswith("file ") and sentence.isprintable() and len(sentence) < 600 for sentence in refused
    )


def test_a_table_of_characters_that_is_whole_is_taken():
    assert check_charsmap(charsmap("A", "bcd")) == 3
    assert Precompiled(charsmap("A", "bcd")).normalize_str("xAB") == "xbcdB"


def test_a_table_of_characters_with_any_byte_changed_does_not_panic():
    """Whatever passes the check can be used on every character that the table may look at."""
    whole = charsmap()
    for place in (*range(12), *range(0x141 * 4, 0x141 * 4 + 12), *range(0x1C1 * 4, 0x1C1 * 4 + 12), len(whole) - 1):
        for value in (0, 1, 2, 0x40, 0x7F, 0x80, 0xFF):
            changed = bytearray(whole)
            changed[place] = value
            try:
                check_charsmap(bytes(changed))
            except ValueError:
                continue
            Precompiled(bytes(changed)).normalize_str("".join(map(chr, range(1, 300))))
