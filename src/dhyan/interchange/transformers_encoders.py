"""An encoder, with what stands on top of it, under the names of BERT, DistilBERT or MegatronBERT."""

import math
from collections.abc import Mapping

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.interchange.transformers_tensors import (
    ACTIVATIONS,
    Array,
    Tensors,
    TransformersModel,
    linear_tensors,
    norm_tensors,
    position_table,
    projection,
)
from dhyan.pack.pack import Pack

PROBLEM_TYPES: dict[LabelKind, dict[str, str]] = {  # what Transformers' loss and pipelines go by
    "one": {},
    "several": {"problem_type": "multi_label_classification"},
    "number": {"problem_type": "regression"},
}


def encoder(pack: Pack) -> TransformersModel:
    a, w = pack.manifest.architecture, pack.weights
    if a.rotary or a.norm_kind == "rms" or a.key_value_heads or a.gated:
        raise DhyanError(
            "Transformers has no such encoder with rotary positions, RMS norm, shared keys or SwiGLU; export it to"
            " ONNX (--to onnx)."
        )
    if a.embedding_norm != (a.norm == "post"):
        raise DhyanError(
            "Transformers' encoders have a norm on the embeddings where norms come after a part, and none where they"
            " come before; export it to ONNX (--to onnx)."
        )
    is_bert = a.norm == "post"
    root = "bert"
    scale = math.sqrt(a.d_model) if a.embedding_scale else 1.0
    tensors: Tensors = {
        f"{root}.embeddings.word_embeddings.weight": w["enc.E"] * np.float32(scale),
        f"{root}.embeddings.position_embeddings.weight": position_table(a, w, "enc"),
        f"{root}.embeddings.token_type_embeddings.weight": np.zeros((2, a.d_model), dtype=np.float32),
    }
    if is_bert:
        tensors |= norm_tensors(f"{root}.embeddings.LayerNorm", w, "enc.embedding_norm")
    else:
        tensors |= norm_tensors(f"{root}.encoder.ln", w, "enc.norm")
    for number in range(a.encoder_layers):
        layer, part = f"{root}.encoder.layer.{number}", f"enc.{number}"
        for own, name in zip("QKV", ("query", "key", "value"), strict=True):
            tensors |= linear_tensors(f"{layer}.attention.self.{name}", *projection(w, f"{part}.self", own))
        tensors |= linear_tensors(f"{layer}.attention.output.dense", *projection(w, f"{part}.self", "O"))
        tensors |= linear_tensors(f"{layer}.intermediate.dense", w[f"{part}.ffn.W_1"], w[f"{part}.ffn.b_1"])
        tensors |= linear_tensors(f"{layer}.output.dense", w[f"{part}.ffn.W_2"], w[f"{part}.ffn.b_2"])
        norm = "output.LayerNorm" if is_bert else "ln"
        tensors |= norm_tensors(f"{layer}.attention.{norm}", w, f"{part}.self.norm")
        tensors |= norm_tensors(f"{layer}.{norm}", w, f"{part}.ffn.norm")
    config = {
        "architectures": ["BertModel" if is_bert else "MegatronBertModel"],
        "model_type": "bert" if is_bert else "megatron-bert",
        "vocab_size": a.source_vocabulary,
        "hidden_size": a.d_model,
        "num_hidden_layers": a.encoder_layers,
        "num_attention_heads": a.heads,
        "intermediate_size": a.d_ff,
        "hidden_act": ACTIVATIONS[a.activation],
        "max_position_embeddings": a.max_positions,
        "type_vocab_size": 2,
        "layer_norm_eps": a.norm_epsilon,
        "pad_token_id": a.special.pad,
        "tie_word_embeddings": True,
    }
    return _with_heads(pack, TransformersModel(config, tensors), is_bert)


def _with_heads(pack: Pack, model: TransformersModel, is_bert: bool) -> TransformersModel:
    """What stands on the encoder: BERT's classifier or masked head where it is such a one, else modules behind it."""
    a, w, labels = pack.manifest.architecture, pack.weights, pack.manifest.labels
    kind = "Bert" if is_bert else "MegatronBert"
    if labels and a.pooling == "first" and a.classifier_hidden == "tanh":
        model.tensors |= linear_tensors("bert.pooler.dense", w["cls.hidden.W"], w["cls.hidden.b"])
        model.tensors |= linear_tensors("classifier", w["cls.W"], w["cls.b"])
        model.config["architectures"] = [f"{kind}ForSequenceClassification"]
    elif is_bert and labels and a.pooling == "first" and a.classifier_hidden == "relu" and a.norm_epsilon == 1e-12:
        _as_distilbert(model, w)
    elif a.masked_head and a.masked_transform and not a.embedding_scale:
        head = "cls.predictions"
        model.tensors |= linear_tensors(f"{head}.transform.dense", w["mlm.hidden.W"], w["mlm.hidden.b"])
        model.tensors |= norm_tensors(f"{head}.transform.LayerNorm", w, "mlm.norm")
        model.tensors |= {f"{head}.bias": w["mlm.b"], f"{head}.decoder.bias": w["mlm.b"]}
        model.config["architectures"] = [f"{kind}ForMaskedLM"]
    else:  # a plain encoder has its names without the root, and a pooler that nobody asks
        model.tensors = {name.removeprefix("bert."): tensor for name, tensor in model.tensors.items()}
        eye = np.eye(a.d_model, dtype=np.float32)
        model.tensors |= linear_tensors("pooler.dense", eye, np.zeros(a.d_model, dtype=np.float32))
        model.modules = [{"type": "Pooling", "mode": "mean" if a.pooling == "mean" else "cls"}]
        if labels and a.classifier_hidden != "none":
            hidden = {"weight": w["cls.hidden.W"], "bias": w["cls.hidden.b"], "activation": a.classifier_hidden}
            model.modules.append({"type": "Dense"} | hidden)
        if labels:
            model.modules.append({"type": "Dense", "weight": w["cls.W"], "bias": w["cls.b"], "activation": "none"})
        else:
            model.modules.append({"type": "Normalize"})
    if labels:
        model.config |= PROBLEM_TYPES[pack.manifest.label_kind]
        model.config |= {
            "id2label": {str(number): label for number, label in enumerate(labels)},
            "label2id": {label: number for number, label in enumerate(labels)},
        }
    return model


def _as_distilbert(model: TransformersModel, w: Mapping[str, Array]) -> None:
    """BERT without segments, under other names; its classifier has a hidden layer with ReLU."""
    named: Tensors = {}
    for name, tensor in model.tensors.items():
        if "token_type" not in name:
            for own, theirs in _DISTILBERT_NAMES.items():
                name = name.replace(own, theirs)
            named[name] = tensor
    named |= linear_tensors("pre_classifier", w["cls.hidden.W"], w["cls.hidden.b"]) | linear_tensors(
        "classifier", w["cls.W"], w["cls.b"]
    )
    model.tensors = named
    sizes = {"dim": "hidden_size", "n_layers": "num_hidden_layers", "n_heads": "num_attention_heads"}
    sizes |= {"hidden_dim": "intermediate_size", "activation": "hidden_act"}
    model.config |= {theirs: model.config.pop(own) for theirs, own in sizes.items()}
    model.config |= {"architectures": ["DistilBertForSequenceClassification"], "model_type": "distilbert"}


_DISTILBERT_NAMES = {
    "bert.encoder.layer": "distilbert.transformer.layer",
    "bert.embeddings": "distilbert.embeddings",
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}
