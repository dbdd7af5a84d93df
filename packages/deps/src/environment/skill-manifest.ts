import type { Bundle } from "@skillhold/core/bundle";
import type { DependencyManifest, Scan } from "@skillhold/core/dependency";
import type { IndexCache } from "@skillhold/core/library";

/** A skill to read the dependency manifest of. */
export interface ManifestSubject {
  readonly id: string;
  /** The name of the skill's folder, which its code may import. */
  readonly name: string;
  /** The cache key. Without it, the manifest is not cached. */
  readonly treeHash?: string;
  /** Opens the bundle with that content. Not called on a cache hit. */
  readonly open: () => Promise<Bundle>;
}

export interface ManifestPorts {
  readonly cache?: IndexCache;
  /** Replaces the scanner in this thread. */
  readonly scan?: Scan;
  readonly signal?: AbortSignal;
}

/** Reads a skill's dependency manifest, from the cache when its content was scanned before. */
export async function readDependencyManifest(
  subject: ManifestSubject,
  { cache, scan, signal }: ManifestPorts,
): Promise<DependencyManifest> {
  const { name, treeHash } = subject;
  const key =
    treeHash === undefined ? undefined : `dependency-manifest:${VERSION}:${treeHash}:${encodeURI(name)}`;
  const kept = key === undefined ? undefined : decode(cache?.load(key));
  if (kept !== undefined) return kept;
  const bundle = await subject.open();
  // The parsers are large, and most manifests are cached.
  const { scanBundle } = await import("../scan/scan.ts");
  const manifest = await scanBundle(bundle, { name, signal }, scan);
  if (key !== undefined) cache?.save(key, Buffer.from(JSON.stringify(manifest)));
  return manifest;
}

/** Increment when the scanner's results change for the same content. */
const VERSION = 2;

function decode(bytes: Uint8Array | undefined): DependencyManifest | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isManifest(value) ? value : undefined;
  } catch {
    // The cache entry is damaged, so the skill is scanned again.
    return undefined;
  }
}

function isManifest(value: unknown): value is DependencyManifest {
  if (typeof value !== "object" || value === null) return false;
  return (
    "dependencies" in value &&
    Array.isArray(value.dependencies) &&
    "notes" in value &&
    Array.isArray(value.notes)
  );
}
