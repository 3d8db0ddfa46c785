// The limits of `dhyan serve`, as they are unless somebody sets others: a tab has the same.

export const MAX_CHARACTERS = 20_000; // of one text
export const MAX_SENTENCE_CHARACTERS = 2_000; // of a sentence that is opened up
export const MAX_TEXTS = 256; // of one request
export const MAX_ALTERNATIVES = 8; // other ways to say it, per text
export const MAX_NEW_TOKENS = 500; // that are written after a prompt
export const MAX_FILE_BYTES = 10_000_000;
