// A pack's settings in full: what an older pack does not say is as it was when there was no choice.

const AS_BEFORE = {
  norm_kind: "layer",
  norm_epsilon: 1e-5,
  embedding_norm: false,
  embedding_scale: true,
  rotary_base: 10_000,
  pooling: "mean",
  classifier_hidden: "none",
  masked_transform: false,
  decoder_self: "attention",
};

export const inFull = (architecture) => ({
  ...AS_BEFORE,
  ...architecture,
  special: { starts_text: true, ...architecture.special },
});

/** What the decoder's tokens look back with: the name of a part. */
export const lookingBack = (architecture) => (architecture.decoder_self === "ssru" ? "ssru" : "self");
