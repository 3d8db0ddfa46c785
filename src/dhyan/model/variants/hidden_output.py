"""Outputs with a hidden layer in front: the classifiers of BERT and its kin, and their masked tokens' logits."""

import torch
from torch import Tensor, nn

from dhyan.model import backends
from dhyan.model.layers import ACTIVATIONS, Output, Spec


class HiddenOutput(Output):
    """Logits behind a hidden layer with an activation, and behind a norm where there is one."""

    def __init__(self, weight: nn.Parameter, activation: str, norm: nn.Module | None, dropout: float = 0.0) -> None:
        super().__init__(weight, dropout)
        self.hidden = Output(nn.Parameter(torch.empty(weight.shape[1], weight.shape[1])), dropout)
        self.activation = torch.tanh if activation == "tanh" else ACTIVATIONS[activation]
        self.norm = norm
        nn.init.xavier_uniform_(self.hidden.W)

    def forward(self, x: Tensor) -> Tensor:
        """(…, d_model) → (…, vocabulary or labels)"""
        x = self.activation(self.hidden(x))
        return backends.linear(x if self.norm is None else self.norm(x), self.W, self.b)


def classifier(spec: Spec, weight: nn.Parameter) -> Output:
    hidden, dropout = spec.architecture.classifier_hidden, spec.dropout.residual
    return Output(weight, dropout) if hidden == "none" else HiddenOutput(weight, hidden, None, dropout)


def masked_head(spec: Spec, weight: nn.Parameter) -> Output:
    """What was masked, guessed from its vector: weight is the encoder's embedding."""
    a = spec.architecture
    return HiddenOutput(weight, a.activation, spec.norm()) if a.masked_transform else Output(weight)
