"""The layers that Marian and M2M100 have in common: both come from BART, and their tensors have its names."""

from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.families.weight_map import WeightMap
from dhyan.interchange.lazy_tensors import Array
from dhyan.text.imported_tokenizer import ImportedTokenizer


def put_layers(gathered: WeightMap, config: ModelConfig) -> None:
    for stack, root, part_names in (
        ("enc", "model.encoder", {"self": "self_attn"}),
        ("dec", "model.decoder", {"self": "self_attn", "cross": "encoder_attn"}),
    ):
        for number in range(config.whole(f"{root.removeprefix('model.')}_layers")):
            layer = f"{root}.layers.{number}"
            for part, name in part_names.items():
                gathered.attention(
                    f"{stack}.{number}.{part}",
                    gathered.read_norm(f"{layer}.{name}_layer_norm"),
                    *(gathered.linear(f"{layer}.{name}.{which}_proj") for which in ("q", "k", "v", "out")),
                )
            gathered.feed_forward(
                f"{stack}.{number}.ffn",
                gathered.read_norm(f"{layer}.final_layer_norm"),
                gathered.linear(f"{layer}.fc1"),
                gathered.linear(f"{layer}.fc2"),
            )


def put_embeddings(gathered: WeightMap, source: ImportedTokenizer, target: ImportedTokenizer) -> str:
    """How they are tied. A file has all three matrices, or leaves out those that are the same as another."""
    tensors = gathered.tensors

    def found(*names: str) -> Array:
        return tensors[next((name for name in names if name in tensors), names[-1])]

    shared = "model.shared.weight"
    own_target = ("model.decoder.embed_tokens.weight", shared, "lm_head.weight")
    out = tensors.get("lm_head.weight")
    return gathered.put_embeddings(
        gathered.vocabulary_rows(found(*own_target), target.size),
        None if out is None else gathered.vocabulary_rows(out, target.size),
        gathered.vocabulary_rows(found("model.encoder.embed_tokens.weight", shared), source.size),
    )


def common_settings(config: ModelConfig) -> dict[str, object]:
    """Those of an architecture whose two stacks have to be alike in heads and width."""
    for name in ("attention_heads", "ffn_dim"):
        if config.whole(f"encoder_{name}") != config.whole(f"decoder_{name}"):
            config.refuse(f"an encoder and a decoder of different {name}", f"encoder_{name}")
    return {
        "shape": "encoder-decoder",
        "d_model": config.whole("d_model"),
        "heads": config.whole("encoder_attention_heads"),
        "d_ff": config.whole("encoder_ffn_dim"),
        "encoder_layers": config.whole("encoder_layers"),
        "decoder_layers": config.whole("decoder_layers"),
        "positions": "learned",
        "embedding_scale": config.flag("scale_embedding"),
        "activation": config.activation("activation_function"),
    }
