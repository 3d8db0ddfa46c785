"""A teacher in the room: a trained pack that tells a student, word by word, how likely every other word was."""

import torch

from dhyan.core.errors import DhyanError
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer


def refuse_other_words(teacher: Pack, mine: dict[str, Tokenizer]) -> None:
    """A student learns the teacher's probabilities only where both mean the same by every id."""
    if teacher.manifest.task != "translate":
        raise DhyanError(
            f"{teacher.folder} is a pack for `dhyan {teacher.manifest.task}`; a teacher is a pack that translates."
        )
    theirs = teacher.tokenizers
    if any(side not in mine or theirs[side].to_json() != mine[side].to_json() for side in theirs):
        raise DhyanError(
            f"the teacher {teacher.folder} has another vocabulary than the student; train one of them with"
            " --vocabulary-of the other."
        )


def refuse_longer_texts(teacher: Pack, positions: int) -> None:
    """positions: the longest text of the student."""
    most = teacher.manifest.architecture.max_positions
    if positions > most:
        raise DhyanError(
            f"the teacher {teacher.folder} reads texts of up to {most} tokens, the student would read up to"
            f" {positions}; set --max-positions {most}."
        )


def at_work(teacher: Pack, device: torch.device, half: bool) -> Transformer:
    """The teacher's model: it learns nothing and forgets nothing."""
    model = Transformer(teacher.manifest.architecture)
    model.load_weights(teacher.weights)
    model.requires_grad_(False).eval().to(device)
    return model.to(torch.bfloat16) if half else model
