"""What the tests of explanations share: random packs of each shape with their PyTorch models beside them."""

from types import SimpleNamespace

from dhyan.explain.explainer import Explainer
from dhyan.model.transformer import Transformer
from support.packs import random_pack

SENTENCE = "the river bank flows"


def opened(folder, shape, **options):
    """A random pack, opened up, and the same weights in PyTorch."""
    pack = random_pack(folder / "pack", shape, **options)
    model = Transformer(pack.manifest.architecture)
    model.load_weights(pack.weights)
    return SimpleNamespace(pack=pack, explainer=Explainer(pack), model=model.eval())
