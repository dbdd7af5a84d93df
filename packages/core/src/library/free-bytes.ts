/**
 * Frees the memory of large bytes now, because a collection of a large heap may be minutes away. Contract: they have no
 * other user.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
