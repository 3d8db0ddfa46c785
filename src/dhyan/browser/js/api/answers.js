// What a route answers with: a status, headers, and a body that can be sent to the page.

export const json = (value, status = 200) => ({
  status,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

export const problem = (status, sentence) => json({ error: sentence }, status);

export const plain = (text, type = "text/plain") => ({
  status: 200,
  headers: { "Content-Type": `${type}; charset=utf-8` },
  body: text,
});

/** Numbers or bytes as they lie in memory. */
export function binary(array, headers = {}, type = "application/octet-stream") {
  const { buffer, byteOffset, byteLength } = array;
  // Its own piece of memory: it is handed over to the page, and the array may be a part of something that stays.
  const body = buffer.slice(byteOffset, byteOffset + byteLength);
  return { status: 200, headers: { "Content-Type": type, ...headers }, body };
}
