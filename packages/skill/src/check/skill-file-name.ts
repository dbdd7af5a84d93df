import { SKILL_FILE } from "../bundle/skill-file.ts";
import type { Finding } from "../rule/finding.ts";

const NONE: readonly Finding[] = [];

/**
 * The findings about the name of the file that is read, and about other spellings of it in the same folder. The reference
 * implementation reads `skill.md`, too, and no other spelling.
 */
export function checkSkillFileName(name: string, unread: readonly string[] = []): readonly Finding[] {
  if (name === SKILL_FILE && unread.length === 0) return NONE;
  const spelled: Finding = {
    code: name === "skill.md" ? "SKILL_FILE_CASE" : "SKILL_FILE_NAME",
    line: 1,
    column: 1,
    message: `The file is named ${name}; most clients look for SKILL.md only.`,
  };
  const beside: Finding = {
    code: "SKILL_FILE_CASE",
    line: 1,
    column: 1,
    message: `Only ${name} is read; the folder also has ${unread.join(", ")}.`,
  };
  return [...(name === SKILL_FILE ? [] : [spelled]), ...(unread.length === 0 ? [] : [beside])];
}
