"""Packages of Argos Translate: what is in them, and SentencePiece cuts text with them as we do."""

import json
import unicodedata
import zipfile

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.interchange.charsmap_writer import charsmap, composition_rules
from dhyan.interchange.export_argos import sentencepiece_model
from dhyan.interchange.export_formats import export_pack
from dhyan.interchange.sentencepiece_file import read_sentencepiece
from dhyan.interchange.sentencepiece_writer import sentencepiece_bytes
from dhyan.model.architecture import Architecture
from dhyan.pack.manifest import Manifest
from dhyan.pack.pack import read_pack, write_pack
from dhyan.pack.parameter_shapes import parameter_shapes
from dhyan.pack.repack import repack
from dhyan.text.charsmap import check_charsmap
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from support.oracles import call_oracle
from support.packs import random_pack

LEARNED_FROM = [
    "The river flows past the old bank, and the money bank grows.",
    "Where is the road to the river? I don't know where the roads are.",
    "She said that she knows the old man, who sold his house.",
    "Thank you! How are you today, and how is your house?",
    "नदी पुराने किनारे के पास से बहती है।",
    "सड़क कहाँ है? मुझे नहीं पता कि सड़कें कहाँ हैं।",
    "उसने कहा कि वह उस पुराने आदमी को जानती है।",
    "धन्यवाद! आज आप कैसे हैं, और आपका घर कैसा है?",
]
TEXTS = [
    *LEARNED_FROM,
    "Thank you!  Two blanks, (brackets) and 1,234.50 — don't worry.",
    "सड़क पर क़लम और ख़बर, \u091c\u094d\u093cयादा",  # nukta composed, apart, and behind a virama
    unicodedata.normalize("NFD", "Škoda, ệ and é"),
    "snow ☃, 漢字 and 🙂 are written in bytes",
    "a <end> is no end, nor is <0x41> a byte",
]
LICENCE = "CC BY 4.0"
SENTENCEPIECE = """
import sentencepiece
processor = sentencepiece.SentencePieceProcessor(model_file=payload["file"])
answer = {
    "ids": [processor.encode(text) for text in payload["texts"]],
    "texts": [processor.decode(processor.encode(text)) for text in payload["texts"]],
    "special": [processor.unk_id(), processor.bos_id(), processor.eos_id(), processor.pad_id()],
}
"""


def tokenizer_of(**settings):
    return Tokenizer.train(LEARNED_FROM, TextSettings(pieces="unigram", **settings), 600, exact=False)


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    tokenizer = tokenizer_of(shared=True)
    a = Architecture(
        shape="encoder-decoder", d_model=32, heads=4, d_ff=64, encoder_layers=1, decoder_layers=1, tie="all",
        source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size,
    )  # fmt: skip
    weights = {name: np.ones(shape, dtype=np.float32) for name, shape in parameter_shapes(a).items()}
    manifest = Manifest(
        dhyan="0", name="nonsense", task="translate", architecture=a, licence=LICENCE,
        text=TextSettings(pieces="unigram", shared=True),
        tokenizers=dict.fromkeys(("source", "target"), "text.tokenizer.json"),
        source_language="en", target_language="hi",
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("packs") / "nonsense"
    write_pack(folder, manifest, weights, dict.fromkeys(("source", "target"), tokenizer))
    return read_pack(folder)


def one_blank(text):
    return " ".join(text.split())


def test_the_package_says_what_it_is(translator, tmp_path):
    export_pack(translator, tmp_path / "out", "argos")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "README.md",
        "dhyan.json",
        "translate-en_hi.argosmodel",
    ]
    with zipfile.ZipFile(tmp_path / "out" / "translate-en_hi.argosmodel") as archive:
        names = {name.removeprefix("translate-en_hi/") for name in archive.namelist()}
        metadata = json.loads(archive.read("translate-en_hi/metadata.json"))
        told = json.loads(archive.read("translate-en_hi/dhyan.json"))
    assert names >= {"metadata.json", "sentencepiece.model", "model/model.bin", "README.md", "dhyan.json"}
    assert [metadata[key] for key in ("from_code", "from_name", "to_code", "to_name")] == [
        "en",
        "English",
        "hi",
        "Hindi",
    ]
    assert told["licence"] == metadata["license"] == LICENCE
    assert told["decoding"]["beam"] == translator.manifest.decoding.beam


@pytest.mark.parametrize("lowercase", [False, True])
def test_sentencepiece_cuts_text_as_we_do(lowercase, tmp_path):
    tokenizer = tokenizer_of(lowercase=lowercase)
    model = sentencepiece_model(tokenizer)
    file = tmp_path / "sentencepiece.model"
    file.write_bytes(sentencepiece_bytes(model))
    again = read_sentencepiece(file)
    assert [piece.text for piece in again.pieces] == [piece.text for piece in model.pieces]
    found = call_oracle(SENTENCEPIECE, {"file": str(file), "texts": TEXTS})
    expected = [one_blank(text) for text in TEXTS]
    assert found["ids"] == tokenizer.encode_batch(expected)
    assert found["texts"] == [tokenizer.normalised(text) for text in expected]
    assert found["special"] == [1, 2, 3, 0]


def test_a_table_of_characters_can_be_read():
    assert check_charsmap(charsmap(composition_rules(lowercase=False))) == 3


@pytest.mark.parametrize(
    ("shape", "words"), [("encoder", "Argos runs translators"), ("encoder-decoder", "--shared --pieces unigram")]
)
def test_other_packs_are_refused(shape, words, tmp_path):
    pack = random_pack(tmp_path / "pack", shape, languages=("en", "hi"))
    with pytest.raises(DhyanError, match=words):
        export_pack(pack, tmp_path / "out", "argos")
    assert not (tmp_path / "out").exists()


def test_a_pack_that_does_not_say_its_languages_is_refused(translator, tmp_path):
    repack(translator, tmp_path / "silent", languages=("", ""))
    with pytest.raises(DhyanError, match="dhyan repack"):
        export_pack(read_pack(tmp_path / "silent"), tmp_path / "out", "argos")
