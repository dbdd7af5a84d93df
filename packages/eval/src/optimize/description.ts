import { SkillError } from "@skillhold/protocol/error";
import { parseSkill, scalarText } from "@skillhold/skill";
import { createTwoFilesPatch } from "diff";
import { parseDocument } from "yaml";

/** The text of a SKILL.md with another description; everything else stays as it is, comments included. */
export function withDescription(text: string, description: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && /^---\s*$/.test(line));
  if (!/^\uFEFF?---\s*$/.test(lines[0] ?? "") || end < 0)
    throw new SkillError(
      "SKILL_INVALID",
      "The SKILL.md has no frontmatter, so that its description cannot be changed.",
    );
  const document = parseDocument(lines.slice(1, end).join("\n"));
  if (document.errors.length > 0)
    throw new SkillError("SKILL_INVALID", "The frontmatter is not valid YAML.", {
      hint: "Run `skillhold validate --fix <folder>` first.",
    });
  document.set("description", description);
  const written = document.toString({ lineWidth: 0 }).trimEnd().split("\n");
  const changed = [lines[0], ...written, ...lines.slice(end)].join(newline);
  const read = scalarText(parseSkill(changed), "description");
  if (read?.trim() !== description.trim())
    throw new SkillError("INTERNAL", "The changed SKILL.md does not read back with its new description.");
  return changed;
}

/** The change as a patch that `git apply` and `patch` take. */
export function descriptionPatch(id: string, before: string, after: string): string {
  return createTwoFilesPatch(`a/${id}/SKILL.md`, `b/${id}/SKILL.md`, before, after, "", "");
}
