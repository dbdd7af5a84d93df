/**
 * Bytes kept between starts: scans of sources and search indexes. It is only ever a shortcut: an answer of undefined,
 * or bytes that do not decode, cost time and nothing else, and so a cache may lose or refuse anything.
 */
export interface IndexCache {
  load(key: string): Uint8Array | undefined;
  save(key: string, bytes: Uint8Array): void;
}
