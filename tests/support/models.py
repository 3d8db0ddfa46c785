"""Small random models, rows of ids, and a beam search in plain Python to compare with."""

import math

import torch

from dhyan.core.special_tokens import END, NEVER_WRITTEN, PAD, START
from dhyan.model.architecture import Architecture
from dhyan.model.generation.batched import translate_ids
from dhyan.model.transformer import Transformer

SOURCE = [7, 11, 5, 19, END]
SOURCES = [[7, 5, 9, 11, END], [8, END], [5, 6, 7, 8, 9, 10, 12, END], [11, 11, END]]
POSITIONS = ("sinusoidal", "learned", "rotary", "alibi")


def build(shape, **options) -> Transformer:
    torch.manual_seed(3)
    architecture = Architecture(
        **{
            "shape": shape,
            "d_model": 24,
            "heads": 3,
            "d_ff": 40,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "source_vocabulary": 23,
            "target_vocabulary": 23,
            "labels": 4 if shape == "encoder" else 0,
            "masked_head": shape == "encoder",
            **options,
        }
    )
    model = Transformer(architecture).eval()
    with torch.no_grad():  # biases and norms start at 0 and 1, where a mix-up would not show
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def rows(*sequences) -> torch.Tensor:
    length = max(len(ids) for ids in sequences)
    return torch.tensor([[*ids, *[PAD] * (length - len(ids))] for ids in sequences])


def opinionated(seed, likes_to_end=1.0, **options):
    """A random model with strong opinions, another one for each seed."""
    model = build("encoder-decoder", **options)
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
        model.dec.out.b[END] += likes_to_end
    return model


def log_probabilities(model, source, ids):
    """(vocabulary,) after the given target ids, from one plain forward pass."""
    logits = model(torch.tensor([[START, *ids]]), source)[0, -1]
    logits[list(NEVER_WRITTEN)] = -torch.inf
    return logits.log_softmax(-1)


def plain_beam_search(model, source, beam, penalty, limit, offset=0):
    """The same search in plain Python: no cache, no batch, no tensors moved about."""
    alive, finished = [([], 0.0)], []
    for position in range(limit):
        candidates = [
            (ids, score + logprob, token)
            for ids, score in alive
            for token, logprob in enumerate(log_probabilities(model, source, ids).tolist())
            if logprob > -math.inf
        ]
        candidates = sorted(candidates, key=lambda candidate: -candidate[1])[: 2 * beam]
        last = position + 1 == limit
        for ids, score, token in candidates[:beam]:
            if token == END or last:
                whole = ids if token == END else [*ids, token]
                length = (position + 1 + offset) / (1 + offset)  # an end mark counts
                finished.append((whole, score / length**penalty, score / (position + 1)))
        if last or len(finished) >= beam:
            break
        alive = [([*ids, token], score) for ids, score, token in candidates if token != END][:beam]
    if offset:  # more than `beam` may end in the last step: the best by their mean are kept
        finished = sorted(finished, key=lambda found: -found[2])[:beam]
    return [found[:2] for found in sorted(finished, key=lambda found: -found[1])]


def translate(model, source, target, texts, decoding):
    """Texts through a model, with nothing done around it."""
    sources = [[*ids, END] for ids in source.encode_batch(list(texts))]
    return [text.strip() for text in target.decode_batch(translate_ids(model, sources, decoding))]


# What models of other programs have: BERT, GPT-2, Llama and Marian.
LIKE_OTHERS = {
    "bert": {
        "norm": "post",
        "activation": "gelu",
        "positions": "learned",
        "embedding_norm": True,
        "norm_epsilon": 1e-12,
    },
    "gpt2": {"norm": "pre", "activation": "gelu-tanh", "positions": "learned", "embedding_scale": False},
    "llama": {
        "norm": "pre",
        "activation": "swiglu",
        "positions": "rotary",
        "rotary_base": 500.0,
        "norm_kind": "rms",
        "norm_epsilon": 1e-6,
        "key_value_heads": 1,
        "embedding_scale": False,
        "tie": "none",
    },
    "marian": {"norm": "post", "activation": "swish", "positions": "learned", "tie": "all"},
    "marks": {
        "special": {
            "pad": 9,
            "unk": 6,
            "start": 9,
            "end": 0,
            "mask": None,
            "source_prefix": (7,),
            "source_suffix": (0, 8),
            "target_prefix": (11,),
            "never_written": (9, 6),
        }
    },
}
ON_TOP = {"classifier_hidden": "tanh", "masked_transform": True, "pooling": "first"}  # of an encoder
