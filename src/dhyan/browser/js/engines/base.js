// What an engine does is said in engine.js: in a browser there is one.

export { Engine, startEngine } from "./engine.js";
