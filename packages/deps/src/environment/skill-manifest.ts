import type { Bundle } from "@skillhold/core/bundle";
import type { DependencyManifest, Scan } from "@skillhold/core/dependency";
import type { IndexCache } from "@skillhold/core/library";

/** A skill whose dependencies are asked for. */
export interface ManifestSubject {
  readonly id: string;
  /** The name of its own folder, by which its code may import it. */
  readonly name: string;
  /** What is found is kept for the content, and without its hash not at all. */
  readonly treeHash?: string;
  /** Opens the bundle of that content; not called when all that is asked is known. */
  readonly open: () => Promise<Bundle>;
}

export interface ManifestPorts {
  readonly cache?: IndexCache;
  /** In place of the scanner in this thread. */
  readonly scan?: Scan;
  readonly signal?: AbortSignal;
}

/** What a skill needs, from the cache where its content was scanned before. */
export async function readManifest(
  subject: ManifestSubject,
  { cache, scan, signal }: ManifestPorts,
): Promise<DependencyManifest> {
  const { name, treeHash } = subject;
  const key =
    treeHash === undefined ? undefined : `dependency-manifest:${VERSION}:${treeHash}:${encodeURI(name)}`;
  const kept = key === undefined ? undefined : decode(cache?.load(key));
  if (kept !== undefined) return kept;
  const bundle = await subject.open();
  // The parsers are large; most skills are known.
  const { scanBundle } = await import("../scan/scan-bundle.ts");
  const manifest = await scanBundle(bundle, { name, signal }, scan);
  if (key !== undefined) cache?.save(key, Buffer.from(JSON.stringify(manifest)));
  return manifest;
}

/** Another one when the scanner finds something else in the same content. */
const VERSION = 2;

function decode(bytes: Uint8Array | undefined): DependencyManifest | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isManifest(value) ? value : undefined;
  } catch {
    // It was damaged: then the skill is scanned again.
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
