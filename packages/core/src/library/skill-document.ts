import type { SkillEntry } from "@skillhold/protocol";
import { type ParsedSkill, textList } from "@skillhold/skill";
import type { SearchDocument } from "../search/index.ts";

/** More reference text adds little to the search. */
export const REFERENCE_BYTES = 128 * 1024;
export const REFERENCE_FILES = 32;

/** Whether a file is indexed as text. */
export function isSearchedText(name: string): boolean {
  return /\.(?:md|markdown|txt)$/i.test(name);
}

/** The searched text of a skill: its entry, its instructions and its triggers. */
export function toDocument(entry: SkillEntry, skill: ParsedSkill, references: string): SearchDocument {
  const { keywords, triggers, category, examples } = skill.frontmatter;
  const tags = [...entry.tags, ...textList(keywords), ...textList(triggers), ...textList(category)];
  const { id, skillHash: key, name, description } = entry;
  const title = name === id ? id : `${id} ${name}`;
  return {
    id,
    key,
    name: title,
    description,
    tags,
    body: [skill.body, ...textList(examples)].join("\n"),
    references,
  };
}
