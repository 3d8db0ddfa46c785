"""BERT and its relatives: RoBERTa, XLM-RoBERTa, CamemBERT and DistilBERT, bare or with a head on top."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dhyan.core.errors import DhyanError, shortened
from dhyan.core.label_kind import LabelKind
from dhyan.core.special_tokens import SpecialTokens
from dhyan.interchange.checkpoint_file import Checkpoint
from dhyan.interchange.families.imported_model import ImportedModel, Languages, refused
from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.families.sentence_pooling import read_pooling
from dhyan.interchange.families.special_ids import checked_special, role_ids
from dhyan.interchange.families.weight_map import WeightMap
from dhyan.interchange.lazy_tensors import Array
from dhyan.interchange.tokenizer_folder import read_tokenizers
from dhyan.model.architecture import Architecture

_BERT_TOKENS = {
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "mask_token": "[MASK]",
}
_ROBERTA_TOKENS = {
    "cls_token": "<s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}


@dataclass(frozen=True)
class Names:
    """What a relative calls its tensors."""

    family: str
    root: str
    layer: str
    query: str
    key: str
    value: str
    output: str
    attention_norm: str
    first: str
    second: str
    ffn_norm: str
    hidden: str  # the classifier's hidden layer
    classifier: str
    hidden_activation: Literal["tanh", "relu"]
    transform: str  # of the masked head: its hidden layer, norm and bias
    transform_norm: str
    mask_bias: str
    mask_matrix: str
    tokens: Mapping[str, str]


_BERT = Names(
    family="BERT",
    root="bert.",
    layer="encoder.layer.{}",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    output="attention.output.dense",
    attention_norm="attention.output.LayerNorm",
    first="intermediate.dense",
    second="output.dense",
    ffn_norm="output.LayerNorm",
    hidden="bert.pooler.dense",
    classifier="classifier",
    hidden_activation="tanh",
    transform="cls.predictions.transform.dense",
    transform_norm="cls.predictions.transform.LayerNorm",
    mask_bias="cls.predictions.bias",
    mask_matrix="cls.predictions.decoder.weight",
    tokens=_BERT_TOKENS,
)
_ROBERTA = Names(
    **vars(_BERT)
    | {
        "family": "RoBERTa",
        "root": "roberta.",
        "hidden": "classifier.dense",
        "classifier": "classifier.out_proj",
        "transform": "lm_head.dense",
        "transform_norm": "lm_head.layer_norm",
        "mask_bias": "lm_head.bias",
        "mask_matrix": "lm_head.decoder.weight",
        "tokens": _ROBERTA_TOKENS,
    }
)
_DISTILBERT = Names(
    family="DistilBERT",
    root="distilbert.",
    layer="transformer.layer.{}",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    output="attention.out_lin",
    attention_norm="sa_layer_norm",
    first="ffn.lin1",
    second="ffn.lin2",
    ffn_norm="output_layer_norm",
    hidden="pre_classifier",
    classifier="classifier",
    hidden_activation="relu",
    transform="vocab_transform",
    transform_norm="vocab_layer_norm",
    mask_bias="vocab_projector.bias",
    mask_matrix="vocab_projector.weight",
    tokens=_BERT_TOKENS,
)
NAMES = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": Names(**vars(_ROBERTA) | {"family": "XLM-RoBERTa"}),
    "camembert": Names(**vars(_ROBERTA) | {"family": "CamemBERT"}),
    "distilbert": _DISTILBERT,
}


def read_bert(checkpoint: Checkpoint, languages: Languages) -> ImportedModel:
    config, folder = ModelConfig(checkpoint.folder, checkpoint.config), checkpoint.folder
    names = NAMES[str(config.get("model_type"))]
    if config.get("position_embedding_type") not in (None, "absolute"):
        raise refused(folder, f"{shortened(str(config.get('position_embedding_type')))} positions")
    config.refuse("a decoder's mask or cross-attention", "is_decoder", "add_cross_attention")
    head = _head(config, checkpoint)
    heads = config.whole("num_attention_heads", "n_heads")
    layers = config.whole("num_hidden_layers", "n_layers")
    tokenizer = read_tokenizers(folder)["source"]
    gathered = WeightMap(folder, checkpoint.tensors, heads)
    weights, notes = gathered.weights, gathered.notes
    root = gathered.prefix((names.root, ""), "embeddings.word_embeddings.weight")
    weights["enc.E"] = gathered.vocabulary_rows(
        gathered.tensors[f"{root}embeddings.word_embeddings.weight"], tokenizer.size
    )
    weights["enc.P"] = _positions(gathered, config, names, root)
    gathered.put_norm("enc.embedding_norm", gathered.read_norm(f"{root}embeddings.LayerNorm"))
    for number in range(layers):
        layer = f"{root}{names.layer.format(number)}"
        gathered.attention(
            f"enc.{number}.self",
            gathered.read_norm(f"{layer}.{names.attention_norm}"),
            *(gathered.linear(f"{layer}.{name}") for name in (names.query, names.key, names.value, names.output)),
        )
        gathered.feed_forward(
            f"enc.{number}.ffn",
            gathered.read_norm(f"{layer}.{names.ffn_norm}"),
            gathered.linear(f"{layer}.{names.first}"),
            gathered.linear(f"{layer}.{names.second}"),
        )
    has_mask_head = head != "classify" and _put_masked_head(gathered, names, tokenizer.size)
    labels = _put_classifier(gathered, names, config) if head == "classify" else []
    pooling = "first" if labels else read_pooling(folder, notes)
    roles = role_ids(folder, tokenizer, names.tokens)
    missing = [role for role in ("cls_token", "sep_token", "pad_token", "unk_token") if role not in roles]
    if missing:
        raise DhyanError(f"{folder}: its tokenizer has no {missing[0]}; copy the folder whole.")
    special = SpecialTokens(
        pad=roles["pad_token"],
        unk=roles["unk_token"],
        start=roles["cls_token"],
        end=roles["sep_token"],
        mask=roles.get("mask_token"),
        source_prefix=(roles["cls_token"],),
        source_suffix=(roles["sep_token"],),
        never_written=tuple(sorted(tokenizer.special_ids - {roles["sep_token"]})),
    )
    architecture = Architecture.checked(
        {
            "shape": "encoder",
            "d_model": config.whole("hidden_size", "dim"),
            "heads": heads,
            "d_ff": config.whole("intermediate_size", "hidden_dim"),
            "encoder_layers": layers,
            "positions": "learned",
            "max_positions": len(weights["enc.P"]),
            "norm": "post",
            "norm_epsilon": config.number("layer_norm_eps", default=1e-12),
            "embedding_norm": True,
            "embedding_scale": False,
            "activation": config.activation("hidden_act", "activation"),
            "tie": "output",
            "source_vocabulary": tokenizer.size,
            "labels": len(labels),
            "masked_head": has_mask_head,
            "masked_transform": has_mask_head,
            "pooling": pooling,
            "classifier_hidden": names.hidden_activation if labels else "none",
            "special": checked_special(folder, special, tokenizer),
        },
        f"{folder}/config.json",
    )
    return ImportedModel(
        names.family,
        "classify" if labels else "embed",
        architecture,
        gathered.checked(architecture),
        {"source": tokenizer},
        labels,
        _label_kind(config, labels),
        notes=notes,
    )


def _head(config: ModelConfig, checkpoint: Checkpoint) -> Literal["classify", "embed"]:
    """What stands on top, by the class that the model was saved as."""
    kinds = config.get("architectures")
    kind = str(kinds[0]) if isinstance(kinds, list) and kinds else ""
    if kind.endswith("ForSequenceClassification"):
        return "classify"
    if not kind or kind.endswith(("Model", "ForMaskedLM", "ForPreTraining", "LMHeadModel")):
        return "embed"
    raise refused(checkpoint.folder, f"a head of the kind {shortened(kind)}")


def _positions(gathered: WeightMap, config: ModelConfig, names: Names, root: str) -> Array:
    """(positions, d_model): what every token of one segment adds, its position and its segment."""
    tensors, notes = gathered.tensors, gathered.notes
    table = tensors[f"{root}embeddings.position_embeddings.weight"]
    if names.tokens is _ROBERTA_TOKENS:  # the first rows are for padding, and never used
        table = table[config.whole("pad_token_id", default=1) + 1 :]
    types = tensors.get(f"{root}embeddings.token_type_embeddings.weight")
    if types is None:
        return table
    notes.folded.append("the embedding of the first segment, into the positions")
    if len(types) > 1:
        notes.left_out.append("The embedding of a second segment is left out: Dhyan has one kind of segment.")
    if types.shape[-1] != table.shape[-1]:
        raise DhyanError(f"{gathered.where}: positions and segments are of different sizes; download it again.")
    return np.asarray(table + types[0])


def _put_masked_head(gathered: WeightMap, names: Names, vocabulary: int) -> bool:
    tensors, notes = gathered.tensors, gathered.notes
    if f"{names.transform}.weight" not in tensors or names.mask_bias not in tensors:
        return False
    matrix = tensors.get(names.mask_matrix)
    if matrix is not None and not np.array_equal(matrix[:vocabulary], gathered.weights["enc.E"]):
        notes.left_out.append("The head that fills in masked tokens is left out: it does not share the embedding.")
        return False
    gathered.put_linear("mlm.hidden", gathered.linear(names.transform))
    gathered.put_norm("mlm.norm", gathered.read_norm(names.transform_norm))
    gathered.weights["mlm.b"] = gathered.vocabulary_rows(tensors[names.mask_bias], vocabulary)
    return True


def _label_kind(config: ModelConfig, labels: list[str]) -> LabelKind:
    if len(labels) == 1:
        return "number"
    return "several" if config.get("problem_type") == "multi_label_classification" else "one"


def _put_classifier(gathered: WeightMap, names: Names, config: ModelConfig) -> list[str]:
    gathered.put_linear("cls.hidden", gathered.linear(names.hidden))
    gathered.put_linear("cls", gathered.linear(names.classifier))
    count = len(gathered.weights["cls.W"])
    if count > 1 and config.get("problem_type") == "regression":
        raise refused(gathered.where, "several numbers as its answer")
    if count == 1:
        gathered.notes.chosen.append("It says a number: its one output as it is, without a sigmoid.")
    stated = config.get("id2label")
    named = stated if isinstance(stated, dict) else {}
    labels = [str(named.get(str(number), f"LABEL_{number}")) for number in range(count)]
    if len(set(labels)) < count:
        raise DhyanError(f"{gathered.where}: two of its labels have the same name; mend id2label in config.json.")
    return labels
