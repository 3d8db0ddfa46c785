// Rows of vectors: { shape: [texts, width], data: Float32Array }.

/** Each row divided by its length; rows of zeros stay. */
export function unitRows({ shape, data }) {
  const width = shape.at(-1);
  const found = new Float32Array(data.length);
  for (let begin = 0; begin < data.length; begin += width) {
    let square = 0;
    for (let at = begin; at < begin + width; at += 1) square += data[at] * data[at];
    const length = Math.max(Math.sqrt(square), 1e-12);
    for (let at = begin; at < begin + width; at += 1) found[at] = data[at] / length;
  }
  return { shape, data: found };
}
