import { SkillError } from "@skillhold/protocol/error";
import type { ListedSkill } from "./listed-skill.ts";
import type { FetchFile, VerifiedFiles } from "./remote-files.ts";

/** The result of fetching every file of a skill. */
export interface VerifiedSkill {
  readonly id: string;
  /** The URI of its SKILL.md. */
  readonly uri: string;
  readonly files: number;
  readonly bytes: number;
  /** Why the skill cannot be used; undefined when it can. */
  readonly problem: SkillError | undefined;
}

/** Fetches and checks all files of these skills, one skill at a time. */
export async function* verifySkills(
  skills: readonly ListedSkill[],
  files: VerifiedFiles,
  fetch: FetchFile,
): AsyncGenerator<VerifiedSkill> {
  for (const skill of skills) {
    const bytes = skill.files.reduce((total, { size }) => total + size, 0);
    const problem = await findProblem(skill, files, fetch);
    yield { id: skill.uri.name, uri: skill.uri.text, files: skill.files.length, bytes, problem };
  }
}

async function findProblem(
  skill: ListedSkill,
  files: VerifiedFiles,
  fetch: FetchFile,
): Promise<SkillError | undefined> {
  try {
    for (const file of skill.files) await files.read(skill, file, fetch);
    return undefined;
  } catch (error) {
    if (error instanceof SkillError) return error;
    throw error;
  }
}
