"""Small random packs of every shape, written to disk like real ones."""

import numpy as np
import torch

from dhyan.core.special_tokens import END, PAD, START, UNK
from dhyan.model.architecture import Architecture
from dhyan.model.transformer import Transformer
from dhyan.pack.manifest import Manifest, NumberScale
from dhyan.pack.pack import read_pack, write_pack
from dhyan.pack.parameter_shapes import parameter_shapes
from dhyan.pack.words_head import WordsHead
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from dhyan.text.words import runs_of, words_of
from support.models import LIKE_OTHERS, ON_TOP

TASKS = {"encoder-decoder": "translate", "encoder": "classify", "decoder": "write"}
TEXT = ["the river bank flows and the money bank grows", "नदी का किनारा और पैसे का घर", "2 + 2 = 4"]

# Shape and options of packs like those that other programs train: name → what `random_pack` takes.
LIKE_OTHER_PACKS = {
    "bert": (
        "encoder",
        {
            **LIKE_OTHERS["bert"],
            **ON_TOP,
            "masked_head": True,
            "special": {"source_prefix": (START,), "source_suffix": (END, UNK)},
        },
    ),
    "gpt2": ("decoder", {**LIKE_OTHERS["gpt2"], "special": {"starts_text": False}}),
    "llama": ("decoder", LIKE_OTHERS["llama"]),
    "marian": ("encoder-decoder", {**LIKE_OTHERS["marian"], "special": {"never_written": (PAD, UNK, START, 270)}}),
    "ssru": ("encoder-decoder", {**LIKE_OTHERS["marian"], "activation": "relu", "decoder_self": "ssru"}),
}


def random_pack(
    folder,
    shape,
    storage="float32",
    bias_to_end=2.0,
    biases=None,
    languages=("", ""),
    words=False,
    label_kind="one",
    **options,
):
    """words: whether a classifier gets a words head, which knows most words of the texts and some pairs."""
    settings = TextSettings(pieces="characters")
    tokenizer = Tokenizer.train(TEXT, settings, 2000, exact=False)
    encoder, decoder = shape != "decoder", shape != "encoder"
    labels = ["bad", "fine", "good"] if shape == "encoder" else []
    labels = ["worth"] if label_kind == "number" else labels
    sizes = {"d_model": 48, "heads": 3, "d_ff": 64, "encoder_layers": 2, "decoder_layers": 2}
    architecture = Architecture(
        **sizes | options,
        shape=shape,
        source_vocabulary=tokenizer.size if encoder else 0,
        target_vocabulary=tokenizer.size if decoder else 0,
        labels=len(labels),
    )
    weights = _drawn(architecture) if architecture.decoder_self == "ssru" else _initial(architecture)
    if decoder:
        for number, bias in {END: bias_to_end, **(biases or {})}.items():
            weights["dec.out.b"][number] += bias  # so that it comes to an end, or does not
    sides = [side for side, there in (("source", encoder), ("target", decoder)) if there]
    manifest = Manifest(
        dhyan="0",
        name=f"random-{shape}",
        task=TASKS[shape],
        architecture=architecture,
        text=settings,
        tokenizers=dict.fromkeys(sides, "text.tokenizer.json"),
        labels=labels,
        label_kind=label_kind,
        number=NumberScale(mean=0, spread=1) if label_kind == "number" else None,
        storage=storage,
        source_language=languages[0],
        target_language=languages[1],
    )
    head = random_words_head(len(labels)) if words else None
    write_pack(folder, manifest, weights, dict.fromkeys(sides, tokenizer), words_head=head)
    return read_pack(folder)


def random_words_head(labels):
    every = dict.fromkeys(run for text in TEXT for run in runs_of(words_of(text), 2))
    some = dict.fromkeys([*sorted(every)[::3], "river", "bank", "the", "the river", "घर"])
    known = {word: number for number, word in enumerate(some)}
    draw = np.random.default_rng(6)
    sizes = [(len(known),), (len(known), labels), (labels,)]
    idf, weights, bias = (draw.standard_normal(size, dtype=np.float32) for size in sizes)
    return WordsHead(2, known, 1 + idf**2, 3 * weights, bias)


def _initial(architecture):
    torch.manual_seed(5)
    model = Transformer(architecture)
    with torch.no_grad():  # biases and norms start at 0 and 1, where a mix-up would not show
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model.weights()


def _drawn(architecture):
    """For what only NumPy computes: as large as those above."""
    draw = np.random.default_rng(5)
    found = {}
    for name, shape in parameter_shapes(architecture).items():
        numbers = 0.15 * draw.standard_normal(shape, dtype=np.float32)
        found[name] = numbers + (1 if name.endswith(".gamma") else 0)
    return found
