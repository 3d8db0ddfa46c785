// Which route answers a question: "GET at/:address" is asked for as at/enc.0.output.

import { DhyanError } from "../core/errors.js";
import { problem } from "./answers.js";

const BROKEN = "something went wrong in this tab; its console says what.";

export class Router {
  #routes = [];

  /** @param {Record<string, (models: any, question: any) => any>[]} several "METHOD path/:part" → what answers it */
  constructor(...several) {
    for (const [name, handle] of several.flatMap((routes) => Object.entries(routes))) {
      const [method, path] = name.split(" ");
      this.#routes.push({ method, parts: path.split("/"), handle });
    }
  }

  /** asked: { method, path (below api/v1/, with its query), body (text or null), signal } → an answer; never throws. */
  async answer(models, { method = "GET", path, body = null, signal = null }) {
    const [place, query = ""] = path.split("?");
    const found = this.#find(method, place);
    if (!found) return problem(404, `${method} /api/v1/${place}: not found.`);
    try {
      const question = { ...found, query: new URLSearchParams(query), body: body ? JSON.parse(body) : null, signal };
      return await found.handle(models, question);
    } catch (error) {
      if (error instanceof DhyanError) return problem(error.httpStatus, error.message);
      console.error(error);
      return problem(500, BROKEN);
    }
  }

  #find(method, place) {
    const asked = place.split("/");
    for (const route of this.#routes) {
      if (route.method !== method || route.parts.length !== asked.length) continue;
      const parts = {};
      const fits = route.parts.every((part, at) => {
        if (part.startsWith(":")) parts[part.slice(1)] = decodeURIComponent(asked[at]);
        return part.startsWith(":") || part === asked[at];
      });
      if (fits) return { handle: route.handle, parts };
    }
    return null;
  }
}
