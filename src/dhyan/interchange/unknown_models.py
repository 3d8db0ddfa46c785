"""Models that cannot be imported, each refused in a sentence that says what it is and what is missing."""

from collections.abc import Iterable
from pathlib import Path

from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.checkpoint_file import CONFIG
from dhyan.pack.repack import EXPORTED

# model_type → what its numbers need that Dhyan has not.
_MISSING = {
    "albert": "layers that share their weights, and embeddings smaller than d_model",
    "bart": "positions and norms of a kind that is not read yet",
    "bloom": "a norm on the embeddings of a decoder with ALiBi and fused projections",
    "deberta": "disentangled attention",
    "deberta-v2": "disentangled attention",
    "electra": "embeddings that may be smaller than d_model",
    "falcon": "attention and feed-forward side by side",
    "gemma": "heads of another size than d_model / heads",
    "gemma2": "a limit on its attention scores",
    "gemma3": "norms on queries and keys",
    "gemma3_text": "norms on queries and keys",
    "gpt_neo": "attention to a window of tokens",
    "gpt_neox": "attention and feed-forward side by side",
    "gptj": "attention and feed-forward side by side",
    "longformer": "attention to a window of tokens",
    "longt5": "a relative position bias",
    "mamba": "a state space in place of attention",
    "mbart": "positions and norms of a kind that is not read yet",
    "mixtral": "a mixture of experts",
    "modernbert": "attention to a window of tokens",
    "mpnet": "a relative position bias",
    "mt5": "a relative position bias",
    "nomic_bert": "rotary positions in an encoder with fused projections",
    "opt": "positions of a kind that is not read yet",
    "phi": "attention and feed-forward side by side",
    "phi3": "projections in one matrix",
    "qwen2_moe": "a mixture of experts",
    "qwen3": "norms on queries and keys",
    "qwen3_moe": "a mixture of experts",
    "reformer": "attention by hashing",
    "t5": "a relative position bias",
    "umt5": "a relative position bias",
    "whisper": "an encoder of sound",
    "xlnet": "a relative position bias",
}


def refuse_model_type(config: Path, kind: object, known: Iterable[str]) -> DhyanError:
    names = ", ".join(known)
    if not isinstance(kind, str):
        return DhyanError(f"{config} names no model_type; Dhyan imports {names}.")
    if (config.parent / EXPORTED).is_file():
        return DhyanError(
            f"{config.parent} was exported from a pack, in a form that is not read back; use the pack itself."
        )
    because = f": it has {_MISSING[kind]}, which Dhyan has not" if kind in _MISSING else ""
    return DhyanError(
        f"{config.parent} is a model of the kind {shortened(kind)} and cannot be imported{because};"
        f" Dhyan imports {names}."
    )


def refuse_place(path: Path) -> None:
    """What is easily taken for a model in a form that can be read."""
    if path.is_dir():
        if (path / "adapter_config.json").is_file() and not (path / CONFIG).is_file():
            raise DhyanError(f"{path} is an adapter (LoRA), not a whole model; merge it into its model first.")
        if _only(path, ".onnx"):
            raise _compiled(path, "ONNX")
        if (path / "model.bin").is_file() and any(path.glob("*vocabulary.*")):
            raise _compiled(path, "CTranslate2")
    elif path.suffix == ".onnx":
        raise _compiled(path, "ONNX")
    elif path.suffix in (".safetensors", ".bin", ".pt", ".pth"):
        raise DhyanError(f"{path} is a file of weights; name its folder, which has the {CONFIG} beside it too.")


def _only(folder: Path, suffix: str) -> bool:
    weights = {".safetensors", ".bin", ".gguf", ".npz", suffix}
    return {file.suffix for file in folder.iterdir() if file.suffix in weights} == {suffix}


def _compiled(path: Path, program: str) -> DhyanError:
    return DhyanError(
        f"{path} is a model that was exported to {program}, where its weights have lost their names; get the"
        " original, with safetensors."
    )
