import { type DependencyManifest, type ScanCall, scanDependencies } from "../dependency/index.ts";
import type { RegistryContext } from "./registry-context.ts";
import type { StagedSkill } from "./staged-skill.ts";

/** What a skill needs that is about to be kept. */
export async function scanStaged(
  { id, files }: StagedSkill,
  { signal }: Pick<ScanCall, "signal">,
  { scan = scanDependencies }: Pick<RegistryContext, "scan">,
): Promise<DependencyManifest> {
  const scanned = files.map(({ path, content }) => ({ path, bytes: content }));
  return await scan(scanned, { name: id, signal });
}
