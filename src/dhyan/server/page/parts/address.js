// Every number has an address: enc.2.self.h5.weights[3,1]. The same string as in Python, the API and the URL.

export function parse(text) {
  const [, path, cells] = /^([^[]*)(?:\[(.*)\])?$/.exec(text.trim()) ?? [];
  const head = /\.h(\d+)(?=\.|$)/.exec(path ?? "");
  const name = (path ?? "").replace(/\.h\d+(?=\.|$)/, "");
  const dot = name.lastIndexOf(".");
  return {
    name, // enc.2.self.weights
    head: head ? Number(head[1]) : null, // 5
    part: name.slice(0, Math.max(0, dot)), // enc.2.self
    array: name.slice(dot + 1), // weights
    stack: name.split(".")[0], // enc
    index: cells ? cells.split(",").map((one) => one.trim()) : [],
  };
}

export function write({ part, head, array }, index = []) {
  const path = [part, head === null || head === undefined ? "" : `h${head}`, array].filter(Boolean).join(".");
  return index.length ? `${path}[${index.join(",")}]` : path;
}

/** The array that an address cuts from: without its cells. */
export const whole = (text) => text.replace(/\[.*$/, "");

export const isAttention = (part) => /\.(self|cross)$/.test(part);

/** The address of one cell of what an address cuts out: dec.0.self.key[:,5,:] and (1, 2) are dec.0.self.key[1,5,2]. */
export function cellOf(base, indices) {
  const left = [...indices];
  const index = parse(base).index.map((one) => (one.includes(":") ? left.shift() : one));
  return `${whole(base)}[${[...index, ...left].join(",")}]`;
}
