import type { RunCopy } from "@skillhold/core/run";
import type { CapabilityManifest, GuardScan } from "@skillhold/skill/guard";
import { LRUCache } from "lru-cache";

const MOST_KEPT = 200;

/**
 * Reads the capabilities of skills before they run. The answer is kept by tree hash, because the same content has the
 * same capabilities. The grammars load with the first skill that asks for a network.
 */
export function capabilityReader(scan?: GuardScan): (copy: RunCopy) => Promise<CapabilityManifest> {
  const kept = new LRUCache<string, CapabilityManifest>({ max: MOST_KEPT });
  return async ({ treeHash, folder }) => {
    const known = kept.get(treeHash);
    if (known !== undefined) return known;
    const { scanFolder } = await import("./scan-folder.ts");
    const { manifest } = await scanFolder(folder, undefined, scan);
    kept.set(treeHash, manifest);
    return manifest;
  };
}
