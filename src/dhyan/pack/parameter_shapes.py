"""Every weight's name and shape, without torch: packs are checked and described by it."""

from math import prod

from dhyan.model.architecture import Architecture


def parameter_shapes(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """Every weight's name and shape. Heads are an axis of their own: `W_Q` is (heads, d_head, d_model)."""
    return {name: shape for name, (shape, _) in _parameters(architecture).items()}


def matrix_names(architecture: Architecture) -> frozenset[str]:
    """The weights that are matrices or embeddings, not biases or norms: weight decay and int8 are for these alone."""
    return frozenset(name for name, (_, is_matrix) in _parameters(architecture).items() if is_matrix)


def _parameters(architecture: Architecture) -> dict[str, tuple[tuple[int, ...], bool]]:
    """Name → shape, and whether it is a matrix or an embedding. Axes do not tell: a bias of heads has two."""
    a = architecture
    found: dict[str, tuple[tuple[int, ...], bool]] = {}

    def matrix(name: str, *shape: int) -> None:
        found[name] = shape, True

    def vector(name: str, *shape: int) -> None:
        found[name] = shape, False

    def norm(name: str) -> None:
        vector(f"{name}.gamma", a.d_model)
        if a.norm_kind == "layer":
            vector(f"{name}.beta", a.d_model)

    def attention(name: str) -> None:
        norm(f"{name}.norm")
        for which, heads in zip("QKV", (a.heads, a.stored_heads, a.stored_heads), strict=True):
            matrix(f"{name}.W_{which}", heads, a.d_head, a.d_model)
            vector(f"{name}.b_{which}", heads, a.d_head)
        matrix(f"{name}.W_O", a.d_model, a.heads, a.d_head)
        vector(f"{name}.b_O", a.d_model)

    def recurrent_unit(name: str) -> None:
        norm(f"{name}.norm")
        matrix(f"{name}.W", a.d_model, a.d_model)
        matrix(f"{name}.W_F", a.d_model, a.d_model)
        vector(f"{name}.b_F", a.d_model)

    def feed_forward(name: str) -> None:
        norm(f"{name}.norm")
        for which in ("1", "G") if a.gated else ("1",):
            matrix(f"{name}.W_{which}", a.d_ff, a.d_model)
            vector(f"{name}.b_{which}", a.d_ff)
        matrix(f"{name}.W_2", a.d_model, a.d_ff)
        vector(f"{name}.b_2", a.d_model)

    def stack(name: str, vocabulary: int, layers: int, parts: tuple[str, ...], own_embedding: bool) -> None:
        if own_embedding:
            matrix(f"{name}.E", vocabulary, a.d_model)
        if a.positions == "learned":
            matrix(f"{name}.P", a.max_positions, a.d_model)
        if a.embedding_norm:
            norm(f"{name}.embedding_norm")
        for layer in range(layers):
            for part in parts:
                {"ffn": feed_forward, "ssru": recurrent_unit}.get(part, attention)(f"{name}.{layer}.{part}")
        if a.norm == "pre":
            norm(f"{name}.norm")

    if a.has_encoder:
        stack("enc", a.source_vocabulary, a.encoder_layers, ("self", "ffn"), own_embedding=True)
    if a.has_decoder:
        back = "self" if a.decoder_self == "attention" else "ssru"
        parts = (back, "cross", "ffn") if a.has_cross else (back, "ffn")
        own = not (a.has_cross and a.tie == "all")
        stack("dec", a.target_vocabulary, a.decoder_layers, parts, own_embedding=own)
        if a.tie == "none":
            matrix("dec.out.W", a.target_vocabulary, a.d_model)
        vector("dec.out.b", a.target_vocabulary)
    if a.labels and a.classifier_hidden != "none":
        matrix("cls.hidden.W", a.d_model, a.d_model)
        vector("cls.hidden.b", a.d_model)
    if a.labels:
        matrix("cls.W", a.labels, a.d_model)
        vector("cls.b", a.labels)
    if a.masked_head and a.masked_transform:
        matrix("mlm.hidden.W", a.d_model, a.d_model)
        vector("mlm.hidden.b", a.d_model)
        norm("mlm.norm")
    if a.masked_head:
        vector("mlm.b", a.source_vocabulary)
    return found


def parameter_count(architecture: Architecture) -> int:
    return sum(prod(shape) for shape in parameter_shapes(architecture).values())
