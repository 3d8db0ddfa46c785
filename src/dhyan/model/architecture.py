"""What a Transformer is made of, as plain settings: enough to build it, to check its weights, to describe it."""

from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from dhyan.core.settings import Settings
from dhyan.core.special_tokens import SpecialTokens

Shape = Literal["encoder-decoder", "encoder", "decoder"]
MOST_IN_A_POSITION_TABLE = 2**26  # numbers: 256 MB, made before the first text is read
GATED = ("swiglu",)  # activations that are multiplied by a second projection, W_G


class Variant(NamedTuple):
    """Parts that are no settings of a pack, by their names in the registries: experiments put others in."""

    positions: str | None = None  # None, here and below: as the architecture says
    attention: str = "fused"
    norm: str | None = None


class ModelSettings(Settings):
    """The settings of the architecture that a user may choose."""

    d_model: int = Field(512, ge=2, le=65_536, description="size of the vector that stands for a token")
    heads: int = Field(8, ge=1, le=1024, description="attention heads; d_model is shared out among them")
    d_ff: int = Field(2048, ge=1, le=1_000_000, description="hidden size of the feed-forward part")
    encoder_layers: int = Field(6, ge=1, le=1000, description="blocks in the encoder")
    decoder_layers: int = Field(6, ge=1, le=1000, description="blocks in the decoder")
    positions: Literal["sinusoidal", "learned", "rotary", "alibi"] = Field(
        "sinusoidal", description="positional encoding: sinusoidal (the notes), learned, rotary, alibi"
    )
    max_positions: int = Field(512, ge=2, le=131_072, description="longest sequence in tokens, end mark included")
    rotary_base: float = Field(10_000.0, gt=1, le=1e9, description="of rotary positions: the slowest turn's length")
    norm: Literal["pre", "post"] = Field("pre", description="layer norm before (pre) or after (post) each part")
    norm_kind: Literal["layer", "rms"] = Field("layer", description="layer norm, or RMS norm (no mean, no shift)")
    norm_epsilon: float = Field(1e-5, gt=0, le=0.1, description="keeps a norm from dividing by zero")
    embedding_norm: bool = Field(False, description="a norm on embeddings and positions too")
    embedding_scale: bool = Field(True, description="embeddings times √d_model")
    key_value_heads: int = Field(
        0, ge=0, le=1024, description="heads of keys and values, shared by equal groups of heads; 0: one each"
    )
    activation: Literal["relu", "gelu", "gelu-tanh", "swish", "swiglu"] = Field(
        "relu", description="inside the feed-forward part"
    )
    tie: Literal["none", "output", "all"] = Field(
        "output", description="embeddings shared: none, output (with the last layer), all (both sides too)"
    )

    @model_validator(mode="after")
    def _heads_share_d_model(self) -> Self:
        if self.d_model % self.heads:
            near = [count for count in range(1, self.d_model + 1) if self.d_model % count == 0]
            fits = min(near, key=lambda count: abs(count - self.heads))
            raise ValueError(f"heads = {self.heads} does not divide d_model = {self.d_model}; try heads = {fits}")
        pairs_in = {"sinusoidal": self.d_model, "rotary": self.d_model // self.heads}.get(self.positions, 0)
        if pairs_in % 2:
            raise ValueError(f"{self.positions} positions need an even size, for sines and cosines go in pairs")
        if self.key_value_heads and self.heads % self.key_value_heads:
            raise ValueError(f"key_value_heads = {self.key_value_heads} does not divide heads = {self.heads}")
        if self.max_positions * self.d_model > MOST_IN_A_POSITION_TABLE:
            most = MOST_IN_A_POSITION_TABLE // self.d_model
            raise ValueError(
                f"max_positions = {self.max_positions} is too large for d_model = {self.d_model}; at most {most} fit"
            )
        return self

    @property
    def rotary(self) -> bool:
        return self.positions == "rotary"

    @property
    def gated(self) -> bool:
        return self.activation in GATED


class Architecture(ModelSettings):
    """A whole model: the chosen settings, its shape, and the sizes that the data decides."""

    shape: Shape = Field(description="encoder-decoder, encoder or decoder")
    source_vocabulary: int = Field(0, ge=0, le=10_000_000, description="entries of the encoder's vocabulary")
    target_vocabulary: int = Field(0, ge=0, le=10_000_000, description="entries of the decoder's vocabulary")
    labels: int = Field(0, ge=0, le=1_000_000, description="classes of the classifier on the encoder, 0 for none")
    masked_head: bool = Field(False, description="whether the encoder can fill in masked tokens")
    masked_transform: bool = Field(False, description="a hidden layer in front of the masked tokens' logits")
    pooling: Literal["mean", "first"] = Field("mean", description="a text's vector: its tokens' mean, or the first's")
    classifier_hidden: Literal["none", "tanh", "relu"] = Field("none", description="a hidden layer of the classifier")
    decoder_self: Literal["attention", "ssru"] = Field(
        "attention", description="what the decoder looks back with: self-attention, or a simple recurrent unit (SSRU)"
    )
    special: SpecialTokens = Field(default_factory=SpecialTokens, description="special tokens and templates")

    @model_validator(mode="after")
    def _tied_sides_are_equal(self) -> Self:
        if self.has_cross and self.tie == "all" and self.source_vocabulary != self.target_vocabulary:
            raise ValueError("tie = 'all' needs one vocabulary for both sides; set shared = true")
        return self

    @property
    def stored_heads(self) -> int:
        """Heads of keys and values."""
        return self.key_value_heads or self.heads

    @property
    def d_head(self) -> int:
        return self.d_model // self.heads

    @property
    def has_encoder(self) -> bool:
        return self.shape != "decoder"

    @property
    def has_decoder(self) -> bool:
        return self.shape != "encoder"

    @property
    def has_cross(self) -> bool:
        return self.shape == "encoder-decoder"
