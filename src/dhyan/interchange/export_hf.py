"""A pack as a folder of Hugging Face's Transformers: AutoModel and AutoTokenizer load it, without code of ours."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError
from dhyan.engines.convert import Compute
from dhyan.interchange.describe import describe
from dhyan.interchange.marian_tokenizer import marian_tokenizer_files
from dhyan.interchange.transformers_models import transformers_model
from dhyan.interchange.transformers_tensors import TransformersModel
from dhyan.interchange.transformers_tokenizer import tokenizer_config, tokenizer_document
from dhyan.pack.pack import Pack

CLASSES = {"translate": "AutoModelForSeq2SeqLM", "write": "AutoModelForCausalLM"}


def export(pack: Pack, folder: Path, compute: Compute) -> None:
    if compute != "float32":
        raise DhyanError("Transformers reads float32 here: leave --compute out.")
    model = transformers_model(pack)
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in model.tensors.items()}
    save_file(tensors, str(folder / "model.safetensors"), metadata={"format": "pt"})
    _write(folder / "config.json", model.config | {"dtype": "float32"})
    if pack.manifest.architecture.has_decoder:
        _write(folder / "generation_config.json", _generation_config(pack, model))
    a = pack.manifest.architecture
    if model.has_two_tokenizers:
        for name, content in marian_tokenizer_files(pack).items():
            write_atomic(folder / name, content)
    else:
        _write(folder / "tokenizer.json", tokenizer_document(pack, model.target_offset))
        _write(folder / "tokenizer_config.json", tokenizer_config(pack, a.special, a.max_positions))
    if model.modules:
        _sentence_transformers(model, a.d_model, a.max_positions, folder)
    describe(pack, folder, _how_to_run(pack, model))


def _generation_config(pack: Pack, model: TransformersModel) -> dict[str, Any]:
    decoding, special, offset = pack.manifest.decoding, pack.manifest.architecture.special, model.target_offset
    found: dict[str, Any] = {
        "eos_token_id": offset + special.end,
        "pad_token_id": special.pad,
        "bos_token_id": offset + special.start,
        "do_sample": decoding.sample,
    }
    never = [offset + number for number in special.never_written if number != special.end]
    if never and model.has_two_tokenizers:
        found["bad_words_ids"] = [[number] for number in never]
    elif never:
        found["suppress_tokens"] = never
    if pack.manifest.architecture.has_cross:
        found |= {"decoder_start_token_id": offset + special.start, "num_beams": decoding.beam}
        found |= {"length_penalty": decoding.kept_by, "max_length": pack.manifest.architecture.max_positions}
        if special.target_prefix:
            found["forced_bos_token_id"] = offset + special.target_prefix[0]
    if decoding.sample:
        found |= {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": decoding.top_k}
    return found


def _sentence_transformers(model: TransformersModel, d_model: int, longest: int, folder: Path) -> None:
    """Pooling and what follows it, for Sentence Transformers: Transformers itself ends at the tokens' vectors."""
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    for number, module in enumerate(model.modules, start=1):
        path = f"{number}_{module['type']}"
        (folder / path).mkdir()
        kind = f"sentence_transformers.models.{module['type']}"
        modules.append({"idx": number, "name": str(number), "path": path, "type": kind})
        if module["type"] == "Pooling":
            mean = module["mode"] == "mean"
            modes = {"pooling_mode_mean_tokens": mean, "pooling_mode_cls_token": not mean}
            _write(folder / path / "config.json", {"word_embedding_dimension": d_model, **modes})
        elif module["type"] == "Dense":
            activation = {"tanh": "Tanh", "relu": "ReLU", "none": "Identity"}[module["activation"]]
            name = f"torch.nn.modules.{'linear' if activation == 'Identity' else 'activation'}.{activation}"
            outputs, inputs = module["weight"].shape
            sizes = {"in_features": inputs, "out_features": outputs, "bias": True, "activation_function": name}
            _write(folder / path / "config.json", sizes)
            save_file(
                {"linear.weight": np.ascontiguousarray(module["weight"]), "linear.bias": module["bias"]},
                str(folder / path / "model.safetensors"),
                metadata={"format": "pt"},
            )
    _write(folder / "modules.json", modules)
    _write(folder / "sentence_bert_config.json", {"max_seq_length": longest, "do_lower_case": False})


def _how_to_run(pack: Pack, model: TransformersModel) -> str:
    kind = CLASSES.get(pack.manifest.task, "AutoModel")
    if not model.modules and pack.manifest.task in ("classify", "embed"):
        name = model.config["architectures"][0]
        kind = "AutoModelForSequenceClassification" if name.endswith("Classification") else "AutoModelForMaskedLM"
    pooled = "\nSentence Transformers pools the vectors: `SentenceTransformer(folder)`.\n" if model.modules else ""
    return (
        f"## With Transformers\n\n```python\nfrom transformers import AutoTokenizer, {kind}\n\n"
        f"tokenizer = AutoTokenizer.from_pretrained(folder)\nmodel = {kind}.from_pretrained(folder)\n```\n{pooled}"
    )


def _write(path: Path, content: Any) -> None:
    write_atomic(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
