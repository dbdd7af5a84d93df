import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isSkillId, reservedIds, slugify, validateText } from "@skillhold/skill";
import { stringify } from "yaml";
import { errorCodeOf } from "../bundle/contain.ts";
import { fillTemplate, type SkillTemplate, type TemplateFile } from "./skill-template.ts";

export interface InitOptions {
  readonly name: string;
  readonly description?: string;
  readonly template?: SkillTemplate;
}

export interface NewSkill {
  /** Absolute path of the skill's folder, which has its name. */
  readonly folder: string;
  /** Paths of the files in it. */
  readonly files: readonly string[];
}

const DEFAULT_DESCRIPTION =
  "Says in one sentence what this skill does. Use it when a task calls for it: name the words that users say.";

/** Writes a new skill to `<folder>/<name>`. What is there already stays as it is: then nothing is written. */
export function initSkill(folder: string, options: InitOptions): NewSkill {
  const { name, description = DEFAULT_DESCRIPTION, template = "basic" } = options;
  rejectBadName(name);
  const line = description.trim().replace(/\s+/g, " ");
  // Without a width, so that a long description stays on one line: not every client reads folded ones.
  const frontmatter = stringify({ name, description: line }, { lineWidth: 0 });
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("-", " ")}`;
  const files = fillTemplate(template, { frontmatter, title });
  for (const { path, text } of files) if (path === "SKILL.md") rejectInvalid(name, text);
  const target = join(resolve(folder), name);
  makeEmptyFolder(target);
  for (const file of files) writeNew(target, file);
  return { folder: target, files: files.map(({ path }) => path) };
}

function rejectBadName(name: string): void {
  if (isSkillId(name) && !reservedIds.has(name)) return;
  const problem = reservedIds.has(name) ? "is reserved" : "must be small letters, digits and single hyphens";
  const slug = slugify(name);
  const better = slug === "" || reservedIds.has(slug) ? "my-skill" : slug;
  throw new SkillError("USAGE", `The name ${JSON.stringify(name.slice(0, 80))} ${problem}.`, {
    hint: `Choose a name such as ${better}.`,
    details: { name: name.slice(0, 80) },
  });
}

/** Before anything is written: the description is the caller's. */
function rejectInvalid(name: string, text: string): void {
  const found = (["strict", "authoring"] as const).flatMap(
    (profile) => validateText(text, profile, { folder: name }).diagnostics,
  );
  const errors: readonly Diagnostic[] = found.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  throw new SkillError("SKILL_INVALID", `The skill would not be valid: ${first.message}`, {
    hint: first.fix ?? "Change the description.",
    details: { diagnostics: errors },
  });
}

/** A folder that was made for the skill and is still empty is as good as none. */
function makeEmptyFolder(target: string): void {
  try {
    mkdirSync(dirname(target), { recursive: true });
    mkdirSync(target);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST" && isEmptyFolder(target)) return;
    if (errorCodeOf(error) !== "EEXIST") {
      throw new SkillError("IO_FAILED", `The folder ${target} cannot be made.`, { cause: error });
    }
    throw new SkillError("CONFLICT", `There is something at ${target} already.`, {
      hint: "Choose another name or another folder.",
      details: { path: target },
    });
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    // It is no folder, or not ours to read: then nothing is written there.
    return false;
  }
}

function writeNew(target: string, { path, text, executable = false }: TemplateFile): void {
  const absolute = join(target, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, text, { flag: "wx" });
  if (executable) chmodSync(absolute, 0o755);
}
