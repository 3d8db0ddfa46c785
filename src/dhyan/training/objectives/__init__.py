"""Training objectives, one file per objective: how rows become a batch, a loss and a validation."""

from dhyan.core.label_kind import LabelKind
from dhyan.training.objectives.classification import Classification
from dhyan.training.objectives.contrastive import Contrastive
from dhyan.training.objectives.masked import MaskedTokens
from dhyan.training.objectives.next_token import NextToken
from dhyan.training.objectives.number import Number
from dhyan.training.objectives.objective import Batch, Objective
from dhyan.training.objectives.several_labels import SeveralLabels
from dhyan.training.objectives.translation import Translation
from dhyan.training.prepare import Prepared

KINDS: dict[str, type[Objective]] = {
    "translation": Translation,
    "contrastive": Contrastive,
    "masked": MaskedTokens,
    "next-token": NextToken,
}

CLASSIFIERS: dict[LabelKind, type[Classification]] = {
    "one": Classification,
    "several": SeveralLabels,
    "number": Number,
}

__all__ = ["Batch", "Objective", "classifier_for", "objective_for"]


def objective_for(prepared: Prepared) -> Objective:
    if prepared.recipe.training.objective == "classification":
        return classifier_for(prepared)
    return KINDS[prepared.recipe.training.objective](prepared)


def classifier_for(prepared: Prepared) -> Classification:
    return CLASSIFIERS[prepared.label_kind](prepared)
