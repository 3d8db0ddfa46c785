// Records that do not change, as Python's dataclasses.

/** The same record with other values in some of its fields. */
export const replaced = (record, changes) =>
  Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(record)), record, changes));
