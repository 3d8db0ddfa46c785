// What a classifier says: one label, several, or a number.

export const saysNumber = (model) => model.label_kind === "number";

/** Where the answer for a label stands. */
export const answerAddress = (model, number) => `cls.${saysNumber(model) ? "number" : "probs"}[${number}]`;

/** The label that a view goes by: the most probable one. */
export function surest(labels) {
  const names = Object.keys(labels);
  return names.reduce((best, name) => (labels[name] > labels[best] ? name : best), names[0]);
}
