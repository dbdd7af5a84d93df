import { exceedsLimit, rejectArchive } from "@skillhold/core/archive";
import type { MemoryTree } from "@skillhold/core/bundle";
import { findSkillFolders } from "@skillhold/core/source";
import type { Limits } from "@skillhold/protocol/limits";

export interface ArchiveSkill {
  /** Its folder in the tree. */
  readonly folder: string;
  /** Its folder in the archive, `.` for the archive itself. */
  readonly path: string;
}

/**
 * The skills of an unpacked archive: folders with a SKILL.md at any depth. Folders whose names start with `_` are
 * never skills.
 */
export async function findArchiveSkills(tree: MemoryTree, limits: Limits): Promise<readonly ArchiveSkill[]> {
  // Unpacking already limited the depth and number of folders.
  const bounds = { ...limits, discoveryDepth: limits.pathDepth };
  const found = await findSkillFolders(tree.root, bounds, { tree });
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
