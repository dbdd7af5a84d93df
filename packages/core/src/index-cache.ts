/**
 * Bytes kept between starts: scans and search indexes. Only an optimization: a cache may lose or reject anything, and
 * bytes that do not decode only cost time.
 */
export interface IndexCache {
  load(key: string): Uint8Array | undefined;
  save(key: string, bytes: Uint8Array): void;
}
