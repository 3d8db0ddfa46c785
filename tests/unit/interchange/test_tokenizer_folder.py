"""The tokenizers of Hugging Face folders give the ids and texts that transformers gives."""

import json
import shutil
from pathlib import Path

import pytest

from dhyan.core.errors import DhyanError
from dhyan.interchange.tokenizer_folder import folder_special, read_tokenizers, special_roles
from support.foreign_tokenizers import (
    BERT_SPECIAL,
    byte_level_json,
    sentencepiece_file,
    unigram_json,
    word_piece_json,
)
from support.odd_texts import PROSE, TEXTS
from support.oracles import call_oracle
from support.texts import varied_texts

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>", *BERT_SPECIAL)


def model_pieces():
    """Pieces for a SentencePiece model: those of a trained unigram, its special tokens as SentencePiece has them."""
    learned = [entry for entry in json.loads(unigram_json())["model"]["vocab"] if entry[0] not in SPECIAL]
    return [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), *((text, score, 1) for text, score in learned)]


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def write_bert(folder, **settings):
    vocabulary = json.loads(word_piece_json())["model"]["vocab"]
    lines = sorted(vocabulary, key=vocabulary.__getitem__)
    (folder / "vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", **settings})


def write_byte_level(folder, first=()):
    model = json.loads(byte_level_json())["model"]
    pieces = [*first, *(piece for piece in model["vocab"] if not (first and piece == "<|endoftext|>"))]
    write_json(folder / "vocab.json", {piece: number for number, piece in enumerate(pieces)})
    lines = ["#version: 0.2", *(" ".join(pair) for pair in model["merges"])]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_marian(folder, separate=False):
    pieces = model_pieces()
    (folder / "source.spm").write_bytes(sentencepiece_file(pieces))
    target = [entry for place, entry in enumerate(pieces) if place < 3 or place % 2 or entry[0] == "▁"]
    (folder / "target.spm").write_bytes(sentencepiece_file(target))
    learned = [text for text, *_ in pieces[3:]]
    write_json(folder / "vocab.json", _numbered("</s>", "<unk>", *learned, ">>hin<<", "<pad>"))
    if separate:
        write_json(folder / "target_vocab.json", _numbered("</s>", "<unk>", *learned[::-1], "<pad>"))
    write_json(folder / "tokenizer_config.json", {"separate_vocabs": separate, "tokenizer_class": "MarianTokenizer"})


def write_m2m100(folder):
    pieces = model_pieces()
    (folder / "sentencepiece.bpe.model").write_bytes(sentencepiece_file(pieces))
    write_json(folder / "vocab.json", _numbered("<s>", "<pad>", "</s>", "<unk>", *(text for text, *_ in pieces[3:])))


def write_llama(folder):
    letters = sorted(set(PROSE) - set("\n "))
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    pieces += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
    merged = ["▁t", "he", "▁the", "in", "▁ba", "nk", "▁bank", "▁▁", "है", "▁है"]
    pieces += [(piece, -float(place), 1) for place, piece in enumerate([*merged, "▁", *letters])]
    content = sentencepiece_file(pieces, kind=2, byte_fallback=True, spaces=False)
    (folder / "tokenizer.model").write_bytes(content)
    write_json(folder / "added_tokens.json", {"<tool>": len(pieces)})


def write_saved(folder):
    """As transformers saves what it can: one tokenizer.json."""
    (folder / "tokenizer.json").write_text(word_piece_json(lowercase=False), encoding="utf-8")
    (folder / "vocab.txt").write_text("not looked at", encoding="utf-8")
    write_json(folder / "special_tokens_map.json", {"cls_token": {"content": "[CLS]"}, "pad_token": "[PAD]"})
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"})


def _numbered(*pieces):
    return {piece: number for number, piece in enumerate(pieces)}


FOLDERS = {
    "bert": ("BertTokenizer", write_bert),
    "cased": ("BertTokenizer", lambda folder: write_bert(folder, do_lower_case=False, strip_accents=True)),
    "gpt2": ("GPT2Tokenizer", write_byte_level),
    "roberta": ("RobertaTokenizer", lambda folder: write_byte_level(folder, SPECIAL[:5])),
    "marian": ("MarianTokenizer", write_marian),
    "separate": ("MarianTokenizer", lambda folder: write_marian(folder, separate=True)),
    "m2m100": ("M2M100Tokenizer", write_m2m100),
    "llama": ("LlamaTokenizer", write_llama),
    "saved": ("PreTrainedTokenizerFast", write_saved),
}
ASK = """
import transformers
answer = {}
for name, (kind, folder) in payload["folders"].items():
    tokenizer = getattr(transformers, kind).from_pretrained(folder)
    ids = [tokenizer(text, add_special_tokens=False).input_ids for text in payload["texts"]]
    if tokenizer.__class__.__name__ == "MarianTokenizer":
        target = [tokenizer(text_target=text, add_special_tokens=False).input_ids for text in payload["texts"]]
    else:
        target = ids
    settings = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    answer[name] = [ids, target, [tokenizer.decode(one, **settings) for one in target]]
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("folders")
    for name, (_, write) in FOLDERS.items():
        (root / name).mkdir()
        write(root / name)
    return root


@pytest.fixture(scope="module")
def compared(folders):
    texts = [text for text in varied_texts(300, among=TEXTS) if not any(name in text for name in SPECIAL)]
    texts = [" ".join(text.split()) for text in texts]  # spaces at the end are where transformers differs from others
    named = {name: (kind, str(folders / name)) for name, (kind, _) in FOLDERS.items()}
    return texts, call_oracle(ASK, {"folders": named, "texts": texts})


@pytest.mark.parametrize("name", FOLDERS)
def test_it_is_as_transformers(folders, compared, name):
    texts, answers = compared
    source, target, decoded = answers[name]
    tokenizers = read_tokenizers(folders / name)
    assert tokenizers["source"].encode_batch(texts) == source
    assert tokenizers["target"].encode_batch(texts) == target
    assert [text.strip() for text in tokenizers["target"].decode_batch(target)] == [text.strip() for text in decoded]


def test_one_tokenizer_is_both_sides(folders):
    for name in FOLDERS:
        sides = read_tokenizers(folders / name)
        assert (sides["source"] is sides["target"]) == (name not in ("marian", "separate"))


def test_the_target_language_is_one_piece(folders):
    tokenizer = read_tokenizers(folders / "marian")["source"]
    assert tokenizer.piece(tokenizer.encode(">>hin<< the bank")[0]) == ">>hin<<"


def test_m2m100_has_its_languages_behind_its_vocabulary(folders):
    special = folder_special(folders / "m2m100")
    size = len(json.loads((folders / "m2m100" / "vocab.json").read_bytes()))
    assert (special["<s>"], special["__af__"], special["__zu__"]) == (0, size, size + 99)
    assert "__en__" not in map(read_tokenizers(folders / "m2m100")["source"].piece, range(10))


def test_xlm_roberta_has_four_special_tokens_first_and_the_mask_last(tmp_path):
    (tmp_path / "sentencepiece.bpe.model").write_bytes(sentencepiece_file(model_pieces()))
    tokenizer = read_tokenizers(tmp_path)["source"]
    assert [tokenizer.piece(number) for number in range(4)] == ["<s>", "<pad>", "</s>", "<unk>"]
    assert tokenizer.piece(4) == model_pieces()[3][0]
    assert tokenizer.piece(tokenizer.size - 1) == "<mask>"


def test_the_special_tokens_that_a_folder_names(folders):
    assert folder_special(folders / "saved") == {name: number for number, name in enumerate(BERT_SPECIAL)}
    assert special_roles(folders / "saved") == {"cls_token": "[CLS]", "pad_token": "[PAD]"}
    assert folder_special(folders / "gpt2") == {"<|endoftext|>": 0}
    tool = read_tokenizers(folders / "llama")["source"]
    assert tool.encode("<tool>") == [tool.size - 1]


def test_a_word_that_the_folder_calls_special_is_never_typed(tmp_path):
    write_bert(tmp_path, additional_special_tokens=["the"])
    tokenizer = read_tokenizers(tmp_path)["source"]
    assert tokenizer.id_of("the") in tokenizer.special_ids
    assert tokenizer.id_of("the") not in tokenizer.encode("the bank")


def test_a_folder_without_a_tokenizer_says_what_was_looked_for(tmp_path):
    with pytest.raises(
        DhyanError, match=r"no tokenizer: none of source\.spm with target\.spm.*tokenizer\.json.*vocab\.txt"
    ):
        read_tokenizers(tmp_path)


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("saved", "tokenizer.json", "{}"),
        ("saved", "tokenizer_config.json", "["),
        ("bert", "vocab.txt", ""),
        ("gpt2", "merges.txt", "a b c"),
        ("gpt2", "vocab.json", '{"a": "b"}'),
        ("marian", "vocab.json", '{"a": 7}'),
        ("marian", "target.spm", "x"),
        ("llama", "added_tokens.json", '{"<x>": 9999999}'),
        ("llama", "added_tokens.json", '{"<x>": []}'),
    ],
)
def test_a_broken_file_is_one_sentence(folders, tmp_path, name, file, content):
    folder = Path(shutil.copytree(folders / name, tmp_path / name))
    (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(DhyanError) as caught:
        read_tokenizers(folder)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500
