import { basename } from "node:path";
import { type Bundle, readBounded } from "@skillhold/core/bundle";
import type { DependencyManifest, Scan, ScanCall, ScanFile } from "@skillhold/core/dependency";
import { isScanned, MAX_SCANNED_BYTES, scanDependencies } from "./scan.ts";

/** What a bundle on disk needs. A file that cannot be read is a note. */
export async function scanBundle(
  bundle: Bundle,
  call: ScanCall = {},
  scan: Scan = scanDependencies,
): Promise<DependencyManifest> {
  const problems: { file: string; message: string }[] = [];
  const files = bundle.files.map(({ path, origin }): ScanFile => {
    if (!isScanned(path)) return { path, bytes: undefined };
    const read = readBounded(origin, MAX_SCANNED_BYTES, { allowHardLinks: bundle.allowHardLinks });
    if (!("problem" in read)) return { path, bytes: read.bytes };
    problems.push({ file: path, message: `it was not read: ${read.problem.message}` });
    return { path, bytes: undefined };
  });
  const manifest = await scan(files, { name: basename(bundle.root), ...call });
  return { ...manifest, notes: [...problems, ...manifest.notes] };
}
