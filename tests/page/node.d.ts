// What the browser's modules use of Node when they run there.
declare const process: { versions?: { node?: string } };
declare module "node:fs/promises" {
  export function readFile(path: string | URL): Promise<ArrayBuffer>;
}
