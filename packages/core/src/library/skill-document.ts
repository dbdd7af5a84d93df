import type { SkillEntry } from "@skillhold/protocol";
import { type ParsedSkill, textList } from "@skillhold/skill";
import type { SearchDocument } from "../search/index.ts";
import { readTriggers } from "./skill-trigger.ts";

/** The files beside SKILL.md as text. */
export interface SearchedTexts {
  readonly references: readonly string[];
  readonly evaluations: readonly string[];
}

/** The document of a skill: its entry, its instructions, its references, and its author's words on when to use it. */
export function toDocument(
  entry: SkillEntry,
  { frontmatter, body }: Pick<ParsedSkill, "frontmatter" | "body">,
  { references, evaluations }: SearchedTexts,
): SearchDocument {
  const { id, skillHash: key, name } = entry;
  const found = readTriggers({ frontmatter, description: entry.description, body, evaluations });
  return {
    id,
    key,
    name: name === id ? id : `${id} ${name}`,
    description: found.description,
    tags: [...entry.tags, ...textList(frontmatter["keywords"]), ...textList(frontmatter["category"])],
    triggers: found.triggers.join("\n"),
    exclusions: found.exclusions.join("\n"),
    body,
    references: references.join("\n"),
  };
}
