/** The name that every client looks for. Other spellings of it are read and reported. */
export const SKILL_FILE = "SKILL.md";

const ANY_CASE = /^skill\.md$/i;

/** True for SKILL.md in any case. */
export function isSkillFile(name: string): boolean {
  return name === SKILL_FILE || (name.length === SKILL_FILE.length && ANY_CASE.test(name));
}

/** The spellings of SKILL.md among some names, the one to read first: `SKILL.md`, `skill.md`, then in order. */
export function findSkillFiles(names: Iterable<string>): readonly string[] {
  const found: string[] = [];
  for (const name of names) if (isSkillFile(name)) found.push(name);
  return found.length < 2 ? found : found.sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

function rankOf(name: string): number {
  if (name === SKILL_FILE) return 0;
  return name === "skill.md" ? 1 : 2;
}
