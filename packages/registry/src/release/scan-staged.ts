import type { DependencyManifest, ScanCall } from "@skillhold/core/dependency";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedSkill } from "../record/staged-skill.ts";

/** What a skill needs that is about to be kept. */
export async function scanStaged(
  { id, files }: StagedSkill,
  { signal }: Pick<ScanCall, "signal">,
  { scan }: Pick<RegistryContext, "scan">,
): Promise<DependencyManifest> {
  const scanned = files.map(({ path, content }) => ({ path, bytes: content }));
  return await scan(scanned, { name: id, signal });
}
