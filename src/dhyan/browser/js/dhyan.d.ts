// Types of dhyan.js.

/** What a person can cause: one clear sentence that says what to do. */
export class DhyanError extends Error {
  httpStatus: number;
}

export interface LoadOptions {
  /** Called while the files of the pack come. */
  onProgress?: (progress: { file: string; bytes: number }) => void;
}

/** Open a pack: its folder, as an address or, in Node, as a path. */
export function load(place: string | URL, options?: LoadOptions): Promise<Model>;

export interface TranslateOptions {
  /** Other ways to say each; 0 unless given. */
  alternatives?: number;
  /** How the reader is addressed. */
  formality?: "auto" | "formal" | "informal";
  /** Of the speaker. */
  gender?: "feminine" | "masculine";
  /** "ui": labels and messages of programs. */
  style?: "ui";
}

export interface Sentence {
  source: string;
  text: string;
  notes: string[];
  /** 0 to 1: the chance that it is close to a human translation. */
  confidence: number;
}

export interface Translation {
  source: string;
  text: string;
  notes: string[];
  confidence: number;
  sentences: Sentence[];
  alternatives: { text: string; score: number }[];
}

export interface Labelled {
  /** The most probable label; of several the first that holds, or empty; a number as a text. */
  label: string;
  /** Of each label. Where a pack says several, each by itself; where it says a number, empty. */
  probabilities: Record<string, number>;
  /** The label alone; of several those that hold, the most probable first; of a number none. */
  labels: string[];
  /** The number, where a pack says one. */
  value: number | null;
  /** The answer as a text for a person. */
  readonly said: string;
}

export interface WriteSettings {
  maxLength?: number;
  temperature?: number;
  topK?: number;
  topP?: number;
  seed?: number;
  sample?: boolean;
}

export interface ExplainOptions {
  /** Explain this text instead of the model's own. */
  target?: string;
  beam?: number;
  maxLength?: number;
  /** Such as "enc.2.h5". */
  headsOff?: readonly string[];
  /** Step → the piece or id to write there. */
  force?: Map<number, number | string> | Record<number, number | string>;
  /** Words of the text that nobody may look at. */
  hide?: readonly (number | string)[];
}

export interface NumbersAt {
  shape: number[];
  data: Float32Array;
}

export interface Explanation {
  /** What the model wrote. */
  text: string;
  /** Any number, row or array by its address. */
  get(address: string): NumbersAt;
  has(address: string): boolean;
}

export class Model {
  readonly name: string;
  readonly task: "translate" | "embed" | "classify" | "write";
  readonly manifest: Record<string, any>;
  translate(text: string, options?: TranslateOptions): string;
  translate(texts: readonly string[], options?: TranslateOptions): string[];
  translateInDetail(text: string, options?: TranslateOptions): Translation;
  translateInDetail(texts: readonly string[], options?: TranslateOptions): Translation[];
  embed(text: string): Float32Array;
  embed(texts: readonly string[]): Float32Array[];
  classify(text: string): Labelled;
  classify(texts: readonly string[]): Labelled[];
  write(prompt: string, settings?: WriteSettings): string;
  explain(text: string, options?: ExplainOptions): Explanation;
}
