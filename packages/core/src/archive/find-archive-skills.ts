import type { Limits } from "@skillhold/protocol/limits";
import { findSkillFolders } from "../source/index.ts";
import { exceedsLimit, refuseArchive } from "./refusal.ts";

export interface ArchiveSkill {
  /** Where it was unpacked to. */
  readonly folder: string;
  /** Its folder in the archive, `.` for the archive itself. */
  readonly path: string;
}

/**
 * The skills of an unpacked archive: SKILL.md lies at the top, in a folder, or in many of them at any depth. Folders
 * whose names begin with `_` are never skills.
 */
export async function findArchiveSkills(folder: string, limits: Limits): Promise<readonly ArchiveSkill[]> {
  // Unpacking has bounded how deep the folders go and how many there are.
  const found = await findSkillFolders(folder, { ...limits, discoveryDepth: limits.pathDepth });
  if (found.skills.length > limits.archiveSkills) {
    const problem = `has ${found.skills.length} skills, more than ${limits.archiveSkills}`;
    throw exceedsLimit("archiveSkills", limits, problem);
  }
  if (found.skills.length === 0) {
    const places = "at its top or in any of its folders whose names do not begin with `_`";
    throw refuseArchive("no-skill", `has no SKILL.md ${places}`);
  }
  return found.skills.map(({ absolute, path }) => ({ folder: absolute, path }));
}
