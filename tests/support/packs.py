"""Small random packs of every shape, written to disk like real ones."""

import torch

from dhyan.core.special_tokens import END
from dhyan.model.architecture import Architecture
from dhyan.model.transformer import Transformer
from dhyan.pack.manifest import Manifest
from dhyan.pack.pack import read_pack, write_pack
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer

TASKS = {"encoder-decoder": "translate", "encoder": "classify", "decoder": "write"}
TEXT = ["the river bank flows and the money bank grows", "नदी का किनारा और पैसे का घर", "2 + 2 = 4"]


def random_pack(folder, shape, storage="float32", bias_to_end=2.0, biases=None, languages=("", ""), **options):
    settings = TextSettings(pieces="characters")
    tokenizer = Tokenizer.train(TEXT, settings, 2000, exact=False)
    encoder, decoder = shape != "decoder", shape != "encoder"
    labels = ["bad", "fine", "good"] if shape == "encoder" else []
    sizes = {"d_model": 48, "heads": 3, "d_ff": 64, "encoder_layers": 2, "decoder_layers": 2}
    architecture = Architecture(
        **sizes | options,
        shape=shape,
        source_vocabulary=tokenizer.size if encoder else 0,
        target_vocabulary=tokenizer.size if decoder else 0,
        labels=len(labels),
    )
    torch.manual_seed(5)
    model = Transformer(architecture)
    with torch.no_grad():  # biases and norms start at 0 and 1, where a mix-up would not show
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
        if model.dec is not None:
            for number, bias in {END: bias_to_end, **(biases or {})}.items():
                model.dec.out.b[number] += bias  # so that it comes to an end, or does not
    sides = [side for side, there in (("source", encoder), ("target", decoder)) if there]
    manifest = Manifest(
        dhyan="0",
        name=f"random-{shape}",
        task=TASKS[shape],
        architecture=architecture,
        text=settings,
        tokenizers=dict.fromkeys(sides, "text.tokenizer.json"),
        labels=labels,
        storage=storage,
        source_language=languages[0],
        target_language=languages[1],
    )
    write_pack(folder, manifest, model.weights(), dict.fromkeys(sides, tokenizer))
    return read_pack(folder)
