/**
 * The UTF-16 units of a text. Reading letters from an array is several times as fast as asking a string for them.
 * Contract: the array of `unitsOf` is used again by its next call; `length` says how much of it is the text.
 */
export interface Units {
  readonly array: Uint16Array;
  readonly length: number;
}

/** An array for a text beyond this is not kept. */
const LARGEST_KEPT = 256 * 1024;
const encoder = new TextEncoder();
let bytes = new Uint8Array(0);
let shared = new Uint16Array(0);

export function unitsOf(text: string): Units {
  const { length } = text;
  if (length > LARGEST_KEPT) return ownUnits(text);
  if (shared.length < length) {
    bytes = new Uint8Array(2 * length);
    shared = new Uint16Array(2 * length);
  }
  // A text that fills as many bytes as it has units is ASCII, which most are; copying it is nearly free.
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read === length && written === length) shared.set(bytes.subarray(0, length));
  else copyUnits(text, shared);
  return { array: shared, length };
}

/** Units that stay as they are. */
export function ownUnits(text: string): Units {
  const array = new Uint16Array(text.length);
  copyUnits(text, array);
  return { array, length: text.length };
}

export function textOfUnits(array: Uint16Array, start: number, end: number): string {
  // One by one: for the few letters of a word this takes a sixth of the time of passing them all at once.
  let text = "";
  for (let at = start; at < end; at += 1) text += String.fromCharCode(array[at] ?? 0);
  return text;
}

function copyUnits(text: string, array: Uint16Array): void {
  for (let at = 0; at < text.length; at += 1) array[at] = text.charCodeAt(at);
}
