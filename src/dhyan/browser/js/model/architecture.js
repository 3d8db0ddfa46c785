// What a Transformer is made of: the settings that pack.json gives, and what follows from them.

const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** The architecture of a manifest, by camelCase names and with what it amounts to; an opened one stays as it is. */
export function opened(architecture) {
  if ("hasCross" in architecture) return architecture;
  const found = Object.fromEntries(Object.entries(architecture).map(([name, value]) => [camelCase(name), value]));
  return Object.freeze({
    ...found,
    dHead: found.dModel / found.heads,
    hasEncoder: found.shape !== "decoder",
    hasDecoder: found.shape !== "encoder",
    hasCross: found.shape === "encoder-decoder",
    rotary: found.positions === "rotary",
    gated: found.activation === "swiglu",
  });
}
