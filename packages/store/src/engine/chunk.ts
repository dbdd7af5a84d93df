/** Well below how many values either engine takes in a statement. */
const CHUNK = 500;

/** A list in pieces that fit into a statement. */
export function* chunks<T>(items: readonly T[], size = CHUNK): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
