import type { Diagnostic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { stringify } from "yaml";
import { validateText } from "../check/validate.ts";
import { isSkillId, reservedIds, slugify } from "../field/identity.ts";
import { fillTemplate, type SkillTemplate, type TemplateFile } from "./skill-template.ts";

export interface InitOptions {
  readonly name: string;
  readonly description?: string;
  readonly template?: SkillTemplate;
}

const DEFAULT_DESCRIPTION =
  "Says in one sentence what this skill does. Use it when a task calls for it: name the words that users say.";

/** The files of a new skill. Throws for a name or description that would make an invalid skill. */
export function newSkillFiles(options: InitOptions): readonly TemplateFile[] {
  const { name, description = DEFAULT_DESCRIPTION, template = "context" } = options;
  rejectBadName(name);
  const line = description.trim().replace(/\s+/g, " ");
  // No line width, because some clients cannot read a folded description.
  const frontmatter = stringify({ name, description: line }, { lineWidth: 0 });
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("-", " ")}`;
  const files = fillTemplate(template, { frontmatter, title });
  for (const { path, text } of files) if (path === "SKILL.md") rejectInvalid(name, text);
  return files;
}

function rejectBadName(name: string): void {
  if (isSkillId(name) && !reservedIds.has(name)) return;
  const problem = reservedIds.has(name)
    ? "is reserved"
    : "must have lowercase letters, digits and single hyphens only";
  const isPath = /[/\\]/.test(name);
  const slug = slugify(isPath ? (name.split(/[/\\]/).findLast((part) => part !== "") ?? "") : name);
  const better = slug === "" || reservedIds.has(slug) ? "my-skill" : slug;
  throw new SkillError("USAGE", `The name ${JSON.stringify(name.slice(0, 80))} ${problem}.`, {
    hint: `Choose a name such as ${better}${isPath ? ", and name its parent folder with --in" : ""}.`,
    details: { name: name.slice(0, 80) },
  });
}

function rejectInvalid(name: string, text: string): void {
  const diagnostics = (["strict", "authoring"] as const).flatMap(
    (profile) => validateText(text, profile, { folder: name }).diagnostics,
  );
  const errors: readonly Diagnostic[] = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  throw new SkillError("SKILL_INVALID", `The new skill would be invalid: ${first.message}`, {
    hint: first.fix ?? "Change the description.",
    details: { diagnostics: errors },
  });
}
