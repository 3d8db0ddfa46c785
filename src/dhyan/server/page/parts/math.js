// Formulas as native MathML, from a few helpers.

import { m } from "./dom.js";

const leaf = (one) => {
  if (typeof one !== "string") return one;
  if (/^[−\d.∞]+$/.test(one)) return m("mn", null, one);
  if (/^[=+·×÷/()[\],:≈<−…√∑→]$/.test(one)) return m("mo", null, one);
  return m("mi", null, one);
};
export const row = (...children) => m("mrow", null, children.map(leaf));
export const frac = (top, bottom) => m("mfrac", null, row(top), row(bottom));
export const sub = (base, below) => m("msub", null, leaf(base), leaf(below));
export const sup = (base, above) => m("msup", null, leaf(base), leaf(above));
export const root = (...inside) => m("msqrt", null, inside.map(leaf));
export const sum = (below, ...inside) => row(m("munder", null, m("mo", null, "∑"), leaf(below)), ...inside);
export const word = (text) => m("mtext", null, text);
export const math = (...children) => m("math", { display: "block" }, row(...children));

const d_k = () => sub("d", "k");
export const FORMULAS = {
  embedded: () => math("x", "=", "E", "[", word("id"), "]", "·", root(sub("d", "model"))),
  sinusoidal: () =>
    math(
      word("PE"),
      "(",
      "p",
      ",",
      "2i",
      ")",
      "=",
      word("sin"),
      "(",
      frac("p", sup("10000", row("2i", "/", "d"))),
      ")",
      word(", cos for 2i+1"),
    ),
  learned: () => math("x", "=", "P", "[", "p", "]"),
  input: () => math("X", "=", word("embedding"), "+", word("position")),
  normed: () => math("y", "=", frac(row("x", "−", "μ"), root(sup("σ", "2"), "+", "ε")), "·", "γ", "+", "β"),
  query: () => math("q", "=", sub("W", "Q"), "x", "+", sub("b", "Q")),
  key: () => math("k", "=", sub("W", "K"), "x", "+", sub("b", "K")),
  value: () => math("v", "=", sub("W", "V"), "x", "+", sub("b", "V")),
  turned: () => math("q′", "=", word("R"), "(", "p", ")", "q"),
  scores: () => math("q", "·", "k", "=", sum("c", sub("q", "c"), "·", sub("k", "c"))),
  scaled: () => math(frac(row("q", "·", "k"), root(d_k()))),
  masked: () => math(frac(row("q", "·", "k"), root(d_k())), "+", "M", word(", M = 0 or −∞")),
  weights: () => math("w", "=", frac(sup("e", "s"), sum("j", sup("e", sub("s", "j"))))),
  mixed: () => math("z", "=", sum("j", sub("w", "j"), "·", sub("v", "j"))),
  share: () => math(sub("z", "h"), sub("W", "O"), "[", "h", "]"),
  output: () => math("Z", "=", sum("h", sub("z", "h"), sub("W", "O"), "[", "h", "]"), "+", sub("b", "O")),
  added: () => math("x", "+", "Z"),
  widened: () => math(sub("W", "1"), "x", "+", sub("b", "1")),
  gate: () => math(sub("W", "G"), "x", "+", sub("b", "G")),
  relu: () => math(word("max"), "(", "0", ",", sub("W", "1"), "x", "+", sub("b", "1"), ")"),
  gelu: () => math("x", "·", "Φ", "(", "x", ")"),
  swiglu: () => math(word("silu"), "(", sub("W", "1"), "x", ")", "·", sub("W", "G"), "x"),
  ffn_output: () => math(sub("W", "2"), word("hidden"), "+", sub("b", "2")),
  logits: () => math("ℓ", "=", "E", "x", "+", "b"),
  probs: () => math("p", "=", frac(sup("e", "ℓ"), sum("v", sup("e", sub("ℓ", "v"))))),
  logprobs: () => math(word("log"), "p", word(", once the tokens that are never written are ruled out")),
  pool: () => math("x̄", "=", frac("1", "n"), sum("t", sub("x", "t"))),
};
