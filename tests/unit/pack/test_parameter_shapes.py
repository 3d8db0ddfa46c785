"""Which weights are matrices: they alone are decayed, and stored as int8."""

from itertools import product

from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import matrix_names, parameter_shapes

SIZES = {"d_model": 8, "heads": 2, "d_ff": 16, "encoder_layers": 1, "decoder_layers": 1, "max_positions": 16}
DATA = {"source_vocabulary": 20, "target_vocabulary": 20, "labels": 3, "masked_head": True}


def test_matrices_and_embeddings_are_told_from_biases_and_norms():
    found = matrix_names(Architecture(**SIZES, **DATA, shape="encoder-decoder", positions="learned", tie="none"))
    attention = {f"{part}.W_{which}" for part in ("enc.0.self", "dec.0.self", "dec.0.cross") for which in "QKVO"}
    feed_forward = {f"{side}.0.ffn.W_{which}" for side in ("enc", "dec") for which in "12"}
    assert found == attention | feed_forward | {"enc.E", "enc.P", "dec.E", "dec.P", "dec.out.W", "cls.W"}


def test_every_architecture_has_the_same_rule():
    """The rule of packs that are out there: more than one axis, and no bias."""
    options = product(("encoder-decoder", "encoder", "decoder"), ("swiglu", "relu"), ("learned", "rotary"))
    for shape, activation, positions in options:
        one = Architecture(**SIZES, **DATA, shape=shape, activation=activation, positions=positions)
        shapes = parameter_shapes(one)
        is_bias = {name for name in shapes if name.rpartition(".")[2].startswith("b")}
        assert matrix_names(one) == {name for name in shapes if len(shapes[name]) > 1} - is_bias
