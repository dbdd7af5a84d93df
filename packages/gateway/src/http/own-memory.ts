/** Bytes as an answer takes them, without a copy. Contract: no other thread writes to them. */
export function ownMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  // What no other thread has is no SharedArrayBuffer.
  return bytes as Uint8Array<ArrayBuffer>;
}
