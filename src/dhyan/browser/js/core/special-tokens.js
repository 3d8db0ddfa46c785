// The five tokens that are not text. They have the same ids in every vocabulary.

export const PAD = 0; // fills a batch's shorter rows; never looked at
export const UNK = 1; // stands for nothing we ever write: unseen characters are written in bytes
export const START = 2; // the decoder's first input
export const END = 3; // the last token of every sequence
export const MASK = 4; // hides a token that the encoder learns to guess

export const SPECIAL = Object.freeze(["<pad>", "<unk>", "<start>", "<end>", "<mask>"]);
export const NEVER_WRITTEN = Object.freeze([PAD, UNK, START, MASK]); // no search or sampling ever produces these

// A character that has no piece of its own is written in its UTF-8 bytes, so that no text is unknown. Every
// vocabulary begins with the special tokens and the 256 bytes.
export const BYTES = Object.freeze(
  Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`),
);
export const FRONT = Object.freeze([...SPECIAL, ...BYTES]);
