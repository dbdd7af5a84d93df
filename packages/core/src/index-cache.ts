/**
 * Bytes kept between starts: scans and search indexes. Only an optimization: a cache may lose or reject anything, and
 * bytes that do not decode only cost time.
 */
export interface IndexCache {
  /** A new array, which belongs to the caller. */
  load(key: string): Uint8Array | undefined;
  /** The bytes belong to the cache from now on. */
  save(key: string, bytes: Uint8Array): void;
}
