// Every weight's name and shape: packs are checked by it.

/** Name → shape. Heads are an axis of their own: `W_Q` is (heads, d_head, d_model). */
export function parameterShapes(architecture) {
  const a = architecture;
  const dHead = a.d_model / a.heads;
  const found = new Map();
  const norm = (name) => {
    found.set(`${name}.gamma`, [a.d_model]);
    found.set(`${name}.beta`, [a.d_model]);
  };
  const attention = (name) => {
    norm(`${name}.norm`);
    for (const which of "QKV") {
      found.set(`${name}.W_${which}`, [a.heads, dHead, a.d_model]);
      found.set(`${name}.b_${which}`, [a.heads, dHead]);
    }
    found.set(`${name}.W_O`, [a.d_model, a.heads, dHead]);
    found.set(`${name}.b_O`, [a.d_model]);
  };
  const feedForward = (name) => {
    norm(`${name}.norm`);
    for (const which of isGated(a) ? ["1", "G"] : ["1"]) {
      found.set(`${name}.W_${which}`, [a.d_ff, a.d_model]);
      found.set(`${name}.b_${which}`, [a.d_ff]);
    }
    found.set(`${name}.W_2`, [a.d_model, a.d_ff]);
    found.set(`${name}.b_2`, [a.d_model]);
  };
  const stack = (name, vocabulary, layers, parts, ownEmbedding) => {
    if (ownEmbedding) found.set(`${name}.E`, [vocabulary, a.d_model]);
    if (a.positions === "learned") found.set(`${name}.P`, [a.max_positions, a.d_model]);
    for (let layer = 0; layer < layers; layer += 1) {
      for (const part of parts) (part === "ffn" ? feedForward : attention)(`${name}.${layer}.${part}`);
    }
    if (a.norm === "pre") norm(`${name}.norm`);
  };
  if (hasEncoder(a)) stack("enc", a.source_vocabulary, a.encoder_layers, ["self", "ffn"], true);
  if (hasDecoder(a)) {
    const parts = hasCross(a) ? ["self", "cross", "ffn"] : ["self", "ffn"];
    stack("dec", a.target_vocabulary, a.decoder_layers, parts, !(hasCross(a) && a.tie === "all"));
    if (a.tie === "none") found.set("dec.out.W", [a.target_vocabulary, a.d_model]);
    found.set("dec.out.b", [a.target_vocabulary]);
  }
  if (a.labels) {
    found.set("cls.W", [a.labels, a.d_model]);
    found.set("cls.b", [a.labels]);
  }
  if (a.masked_head) found.set("mlm.b", [a.source_vocabulary]);
  return found;
}

export const hasEncoder = (architecture) => architecture.shape !== "decoder";
export const hasDecoder = (architecture) => architecture.shape !== "encoder";
export const hasCross = (architecture) => architecture.shape === "encoder-decoder";
export const isGated = (architecture) => architecture.activation === "swiglu";

export function parameterCount(architecture) {
  let count = 0;
  for (const shape of parameterShapes(architecture).values()) count += shape.reduce((a, b) => a * b, 1);
  return count;
}
