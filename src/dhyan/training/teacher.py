"""Word-level knowledge distillation: load and check the teacher, a pack whose distributions a student learns."""

import torch

from dhyan.core.errors import DhyanError
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer


def check_teacher(teacher: Pack, tokenizers: dict[str, Tokenizer]) -> None:
    """Teacher and student need the same vocabulary: their distributions are over the same ids."""
    if teacher.manifest.task != "translate":
        raise DhyanError(
            f"{teacher.folder} is a pack for `dhyan {teacher.manifest.task}`; a teacher is a pack that translates."
        )
    if any(
        side not in tokenizers or tokenizer.to_json() != tokenizers[side].to_json()
        for side, tokenizer in teacher.tokenizers.items()
    ):
        raise DhyanError(
            f"the teacher {teacher.folder} has another vocabulary than the student; train one of them with"
            " --vocabulary-of the other."
        )


def check_teacher_length(teacher: Pack, max_positions: int) -> None:
    """The teacher must read every text that the student reads."""
    most = teacher.manifest.architecture.max_positions
    if max_positions > most:
        raise DhyanError(
            f"the teacher {teacher.folder} reads texts of up to {most} tokens, the student would read up to"
            f" {max_positions}; set --max-positions {most}."
        )


def load_teacher(teacher: Pack, device: torch.device, bfloat16: bool) -> Transformer:
    """The teacher's model, frozen."""
    model = Transformer(teacher.manifest.architecture)
    model.load_weights(teacher.weights)
    model.requires_grad_(False).eval().to(device)
    return model.to(torch.bfloat16) if bfloat16 else model
