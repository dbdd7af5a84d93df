import type { ParsedSkill } from "./parse.ts";

/** The file with its repairs written in: every other line keeps its bytes, its line end included. */
export function fixText(skill: ParsedSkill): string {
  if (skill.repair === undefined) return skill.text;
  const lines = skill.fences.frontmatter.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const fixed: string[] = [];
  let next = 0;
  for (const { line, count, lines: replacement } of skill.repair.edits) {
    const end = /\r\n$|\r$|\n$/.exec(lines[line] ?? lines[0] ?? "")?.[0] ?? "\n";
    fixed.push(...lines.slice(next, line), ...replacement.map((text) => `${text}${end}`));
    next = line + count;
  }
  fixed.push(...lines.slice(next));
  return skill.fences.head + fixed.join("") + skill.fences.tail + skill.fences.body;
}
