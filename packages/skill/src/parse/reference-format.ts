import { type FrontmatterMap, type FrontmatterValue, textOf } from "../yaml/value.ts";
import type { ParsedSkill } from "./parse.ts";

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

/** The text of a field, even when its unquoted value looks like a number or boolean. */
export function scalarText(skill: ParsedSkill, field: string): string | undefined {
  return textOf(skill.frontmatter[field]) ?? (skill.yaml?.texts.get(field) || undefined);
}

/** The fields of a skill in the reference prompt. */
export interface PromptSkill {
  readonly name: string;
  readonly description: string;
  readonly location: string;
}

/** The `<available_skills>` block exactly as the reference implementation writes it. */
export function referencePrompt(skills: readonly PromptSkill[]): string {
  const lines = skills.flatMap(({ name, description, location }) => [
    "<skill>",
    "<name>",
    escapeXml(name),
    "</name>",
    "<description>",
    escapeXml(description),
    "</description>",
    "<location>",
    // The reference implementation does not escape the path; markup in a path must not close the element.
    escapeXml(location),
    "</location>",
    "</skill>",
  ]);
  return ["<available_skills>", ...lines, "</available_skills>"].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

/** Escapes as Python's `html.escape` does, which the reference uses. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
