// English → Hindi for what the frame says of the lesson; the lesson itself has both languages in its own files.

export const LEARN_IN_HINDI = {
  "the chapter before, the next one": "पिछला अध्याय, अगला अध्याय",
};
