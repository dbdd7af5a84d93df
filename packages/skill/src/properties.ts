import type { ParsedSkill } from "./parse.ts";
import { type FrontmatterMap, type FrontmatterValue, textOf } from "./value.ts";

/** The properties of a skill as the reference implementation prints them. */
export interface SkillProperties {
  readonly name: string;
  readonly description: string;
  readonly license?: FrontmatterValue;
  readonly compatibility?: FrontmatterValue;
  readonly "allowed-tools"?: FrontmatterValue;
  readonly metadata?: FrontmatterMap | FrontmatterValue;
}

/** The specification's fields of a skill, or undefined when its name or description is missing or empty. */
export function propertiesOf(skill: ParsedSkill): SkillProperties | undefined {
  const name = scalarText(skill, "name")?.trim();
  const description = scalarText(skill, "description")?.trim();
  if (!name || !description) return undefined;
  const { license, compatibility, "allowed-tools": allowedTools, metadata } = skill.frontmatter;
  return {
    name,
    description,
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(allowedTools === undefined ? {} : { "allowed-tools": allowedTools }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A field's text, also when its unquoted value looks like a number or a boolean. */
export function scalarText(skill: ParsedSkill, field: string): string | undefined {
  return textOf(skill.frontmatter[field]) ?? (skill.yaml?.texts.get(field) || undefined);
}
