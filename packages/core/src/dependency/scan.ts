import type { DependencyManifest } from "./dependency.ts";

/** A file of a bundle. The bytes may be missing when the path alone decides. */
export interface ScanFile {
  readonly path: string;
  readonly bytes: Uint8Array | undefined;
}

export interface ScanCall {
  /** The name of the bundle's folder, which code may import. */
  readonly name?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Finds the dependencies of a bundle. `@skillhold/deps` implements it, in this thread or in another process. */
export type Scan = (files: readonly ScanFile[], call?: ScanCall) => Promise<DependencyManifest>;
