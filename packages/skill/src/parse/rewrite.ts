import { SkillError } from "@skillhold/protocol/error";
import { isMap, parseDocument, stringify } from "yaml";
import { cutAtFences } from "./fence.ts";
import { parseSkill } from "./parse.ts";
import { scalarText } from "./reference-format.ts";

/** The text of a new SKILL.md. */
export function composeSkill(name: string, description: string, body: string): string {
  return `---\n${stringify({ name, description }, { lineWidth: 0 })}---\n${body}`;
}

/** The text of a SKILL.md with another body; the frontmatter stays as it is. */
export function withBody(text: string, body: string): string {
  const { head, frontmatter, tail } = readFences(text, "body");
  return `${head}${frontmatter}${/[\r\n]$/.test(tail) ? tail : `${tail}\n`}${body}`;
}

/** The text of a SKILL.md with another description; everything else stays as it is, comments included. */
export function withDescription(text: string, description: string): string {
  if (scalarText(parseSkill(text), "description") === description) return text;
  const { head, frontmatter, tail, body } = readFences(text, "description");
  const document = parseDocument(frontmatter.replace(/\r\n?/g, "\n"));
  if (document.errors.length > 0 || !isMap(document.contents))
    throw new SkillError("SKILL_INVALID", "The frontmatter is not a valid YAML mapping.", {
      hint: "Run `skillhold validate --fix <folder>` first.",
    });
  document.set("description", description);
  const newline = head.endsWith("\r\n") ? "\r\n" : "\n";
  const written = document.toString({ lineWidth: 0 }).trimEnd().replaceAll("\n", newline);
  const changed = `${head}${written}${newline}${tail}${body}`;
  const read = scalarText(parseSkill(changed), "description");
  if (read?.trim() !== description.trim())
    throw new SkillError("SKILL_INVALID", "The SKILL.md cannot be written with this description.", {
      hint: "Use one line of plain text.",
    });
  return changed;
}

function readFences(text: string, part: string): ReturnType<typeof cutAtFences> {
  const fences = cutAtFences(text);
  if (fences.kind === "fenced") return fences;
  throw new SkillError(
    "SKILL_INVALID",
    `The SKILL.md has no frontmatter, so that its ${part} cannot be changed.`,
  );
}
