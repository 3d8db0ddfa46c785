// The HTTP API as openapi.json describes it: every operation with its parameters, body, answers and a line of curl.

import { fill, h } from "./parts/dom.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
const DEEPEST = 4; // levels of a body that are shown

const main = document.querySelector("#main");
const here = new URL("./", location.href);

/** A schema, with what it refers to in its place. */
function resolved(api, schema = {}) {
  if (!schema.$ref) return schema;
  const found = schema.$ref.replace("#/", "").split("/").reduce((part, name) => part?.[name], api);
  return { ...found, name: schema.$ref.split("/").at(-1) };
}

/** A type in a few words: `string`, `list of number`, `integer or null`. */
function kind(api, schema) {
  const found = resolved(api, schema);
  const several = found.anyOf ?? found.oneOf;
  if (several) return [...new Set(several.map((one) => kind(api, one)))].join(" or ");
  if (found.enum) return found.enum.map((one) => JSON.stringify(one)).join(" or ");
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (found.type === "array") return `list of ${kind(api, found.items)}`;
  return found.type === "object" ? (found.name ?? "object") : (found.type ?? "anything");
}

/** What a number or a text must keep to. */
function bounds(schema) {
  const least = schema.minimum ?? schema.exclusiveMinimum ?? schema.minLength ?? schema.minItems;
  const most = schema.maximum ?? schema.exclusiveMaximum ?? schema.maxLength ?? schema.maxItems;
  const parts = [];
  if (least !== undefined) parts.push(`from ${least}`);
  if (most !== undefined) parts.push(`to ${most}`);
  if (schema.default !== undefined && schema.default !== null) parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts.join(", ");
}

const table = (head, rows) =>
  h(
    "table",
    null,
    h("thead", null, h("tr", null, head.map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", null, rows.map((row) => h("tr", null, row.map((one) => h("td", null, one))))),
  );

/** The fields of an object, with those of the objects in it: `sentences[].text`. */
function fields(api, schema, before = "", depth = 0) {
  const found = resolved(api, schema);
  if (found.type === "array") return fields(api, found.items, `${before}[]`, depth);
  const inner = (found.anyOf ?? found.oneOf ?? []).filter((one) => one.type !== "null");
  if (inner.length === 1) return fields(api, inner[0], before, depth);
  if (!found.properties || depth >= DEEPEST) return [];
  return Object.entries(found.properties).flatMap(([name, one]) => {
    const path = before ? `${before}.${name}` : name;
    const target = resolved(api, one);
    const needed = found.required?.includes(name) ? "required" : bounds(target);
    const about = one.description ?? target.description ?? "";
    return [[h("code", null, path), kind(api, one), needed, about], ...fields(api, one, path, depth + 1)];
  });
}

function bodyOf(api, content) {
  return Object.entries(content ?? {}).flatMap(([type, { schema = {} }]) =>
    (schema.anyOf ?? schema.oneOf ?? [schema]).map((one) => {
      const rows = fields(api, one);
      return [
        h("p", { class: "muted" }, `${type}: ${kind(api, one)}`),
        rows.length > 0 && table(["field", "type", "", "meaning"], rows),
      ];
    }),
  );
}

/** A value that fits a schema, for the example. */
function sample(api, schema, depth = 0) {
  const found = resolved(api, schema);
  if (found.example !== undefined) return found.example;
  if (found.examples?.length) return found.examples[0];
  if (found.default !== undefined && found.default !== null) return found.default;
  if (found.enum) return found.enum[0];
  if (found.anyOf || found.oneOf) return sample(api, (found.anyOf ?? found.oneOf)[0], depth);
  if (found.type === "array") return [sample(api, found.items, depth + 1)];
  if (found.type === "object" || found.properties) {
    const needed = found.required ?? Object.keys(found.properties ?? {}).slice(0, 1);
    return depth >= DEEPEST
      ? {}
      : Object.fromEntries(needed.map((name) => [name, sample(api, found.properties[name], depth + 1)]));
  }
  return { string: "Thank you", integer: found.minimum ?? 1, number: found.minimum ?? 1, boolean: true }[found.type] ?? null;
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(api, path, method, operation) {
  const query = new URLSearchParams();
  let filled = path;
  for (const one of operation.parameters ?? []) {
    if (one.in === "path") filled = filled.replace(`{${one.name}}`, encodeURIComponent(one.example ?? one.name));
    else if (one.in === "query" && one.required) query.append(one.name, String(sample(api, one.schema)));
  }
  const address = new URL(filled.replace(/^\//, ""), here) + (query.size ? `?${query}` : "");
  const words = ["curl", method === "get" ? "" : `-X ${method.toUpperCase()}`, quoted(address)];
  const json = operation.requestBody?.content?.["application/json"];
  if (json) words.push("-H 'Content-Type: application/json'", "-d", quoted(JSON.stringify(sample(api, json.schema))));
  return words.filter(Boolean).join(" ");
}

function described(api, path, method, operation) {
  const rows = (operation.parameters ?? []).map((one) => [
    h("code", null, one.name),
    `${kind(api, one.schema)}, in the ${one.in}`,
    one.required ? "required" : bounds(resolved(api, one.schema)),
    one.description ?? one.schema?.description ?? "",
  ]);
  const body = operation.requestBody?.content;
  const answers = Object.entries(operation.responses ?? {});
  const errors = answers.map(([status]) => status).filter((status) => !status.startsWith("2"));
  return h(
    "details",
    { class: "operation", id: `${method}-${path}` },
    h(
      "summary",
      null,
      h("span", { class: "method" }, method.toUpperCase()),
      h("code", null, path),
      h("span", { class: "muted" }, (operation.description ?? operation.summary ?? "").split("\n")[0]),
    ),
    operation.description?.includes("\n") && h("p", null, operation.description),
    rows.length > 0 && [h("h3", null, "Parameters"), table(["name", "type", "", "meaning"], rows)],
    body && [h("h3", null, "Body"), bodyOf(api, body)],
    h("h3", null, "For example"),
    h("pre", null, h("code", null, curl(api, path, method, operation))),
    h("h3", null, "Answer"),
    answers.filter(([status]) => status.startsWith("2")).map(([, one]) => bodyOf(api, resolved(api, one).content)),
    h("p", { class: "muted" }, `Errors are one sentence, with status ${errors.join(", ")}.`),
  );
}

async function start() {
  try {
    const answer = await fetch(new URL("openapi.json", here));
    const api = await answer.json();
    if (!answer.ok) throw new Error(api.error);
    const groups = new Map();
    for (const [path, operations] of Object.entries(api.paths)) {
      for (const method of METHODS.filter((one) => operations[one])) {
        const operation = operations[method];
        const [tag] = operation.tags ?? ["other"];
        if (!groups.has(tag)) groups.set(tag, []);
        groups.get(tag).push(described(api, path, method, operation));
      }
    }
    fill(
      main,
      h("h1", null, `${api.info.title} ${api.info.version}: API`),
      h("p", null, api.info.description, " ", h("a", { href: "openapi.json" }, "openapi.json"), " · ", h("a", { href: "./" }, "the page")),
      [...groups].map(([tag, operations]) => h("section", null, h("h2", null, tag), operations)),
    );
  } catch (problem) {
    fill(main, h("h1", null, "API"), h("p", { class: "problem", role: "alert" }, String(problem.message ?? problem)));
  }
  main.removeAttribute("aria-busy");
}

start();
