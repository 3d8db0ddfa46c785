"""Generation settings of transformers → ours. Both divide a score by the length to a power, the end mark counted."""

from typing import Any

from dhyan.interchange.families.model_config import ModelConfig
from dhyan.model.generation.settings import GenerationSettings


def translation_settings(config: ModelConfig) -> GenerationSettings:
    """Ours where its files say nothing, or say what cannot be."""
    beam, penalty = config.get("num_beams"), config.get("length_penalty")
    given: dict[str, Any] = {}
    if type(beam) is int and 1 <= beam <= 64:
        given["beam"] = beam
    if isinstance(penalty, int | float) and 0 <= penalty <= 5:
        given["length_penalty"] = float(penalty)
    return GenerationSettings(**given)


def writing_settings(config: ModelConfig) -> GenerationSettings:
    """A text that is written by the most probable tokens alone repeats itself: they are sampled unless stated."""
    temperature, top_k, top_p = (config.get(name) for name in ("temperature", "top_k", "top_p"))
    given: dict[str, Any] = {"sample": config.get("do_sample") is not False, "temperature": 0.8}
    if isinstance(temperature, int | float) and 0 < temperature <= 100:
        given["temperature"] = float(temperature)
    if type(top_k) is int and top_k >= 0:
        given["top_k"] = top_k
    if isinstance(top_p, int | float) and 0 < top_p <= 1:
        given["top_p"] = float(top_p)
    return GenerationSettings(**given)
