import type { Limits } from "@skillhold/protocol/limits";
import { findSkillFolders } from "../source/index.ts";
import { exceedsLimit, rejectArchive } from "./rejection.ts";

export interface ArchiveSkill {
  /** The unpacked folder. */
  readonly folder: string;
  /** Its folder in the archive, `.` for the archive itself. */
  readonly path: string;
}

/**
 * The skills of an unpacked archive: folders with a SKILL.md at any depth. Folders whose names start with `_` are
 * never skills.
 */
export async function findArchiveSkills(folder: string, limits: Limits): Promise<readonly ArchiveSkill[]> {
  // Unpacking already limited the depth and number of folders.
  const found = await findSkillFolders(folder, { ...limits, discoveryDepth: limits.pathDepth });
  if (found.skills.length > limits.archiveSkills) {
    const problem = `has ${found.skills.length} skills, more than ${limits.archiveSkills}`;
    throw exceedsLimit("archiveSkills", limits, problem);
  }
  if (found.skills.length === 0) {
    const places = "at its top or in any of its folders whose names do not start with `_`";
    throw rejectArchive("no-skill", `has no SKILL.md ${places}`);
  }
  return found.skills.map(({ absolute, path }) => ({ folder: absolute, path }));
}
