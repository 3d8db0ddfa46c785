// Order and equality by value, as Python's tuples and counters have it.

/** Arrays element by element, numbers and strings by value. */
export function compare(one, other) {
  if (Array.isArray(one)) {
    for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
      const order = compare(one[at], other[at]);
      if (order) return order;
    }
    return one.length - other.length;
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A sorted copy by a key, equal ones in their order. */
export const sortedBy = (items, key = (item) => item) =>
  [...items].sort((one, other) => compare(key(one), key(other)));

/** How often each occurs, in the order in which they were first seen. */
export function counted(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

export const sameCounts = (one, other) =>
  one.size === other.size && [...one].every(([item, count]) => other.get(item) === count);
