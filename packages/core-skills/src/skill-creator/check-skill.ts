import { readFileSync } from "node:fs";
import { readFrontmatter } from "./frontmatter.ts";
import type { SkillFolder } from "./skill-folder.ts";

/** Something about a skill that is against the standard (`error`) or against good advice (`warning`). */
export interface Remark {
  readonly level: "error" | "warning";
  readonly code: string;
  readonly message: string;
}

export interface Report {
  readonly remarks: readonly Remark[];
  readonly name: string | undefined;
  readonly lines: number;
}

const NAME_LENGTH = 64;
const DESCRIPTION_LENGTH = 1024;
const COMPATIBILITY_LENGTH = 500;
const ADVISED_LINES = 300;
const FILE_BYTES = 1024 * 1024;
const FIELDS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/**
 * Checks a skill by the rules of the standard that can be said plainly. `skillhold validate` knows more of them, and
 * where the two differ it is right.
 */
export async function checkSkill(folder: SkillFolder): Promise<Report> {
  const remarks: Remark[] = [];
  const file = folder.files.find(({ path }) => path === "SKILL.md");
  for (const path of folder.refused)
    add(remarks, "error", "NOT_A_FILE", `${path} is a link or no regular file.`);
  if (file === undefined) {
    add(
      remarks,
      "error",
      "SKILL_FILE_MISSING",
      "There is no SKILL.md in the folder (upper case, as written).",
    );
    return { remarks, name: undefined, lines: 0 };
  }
  if (file.size > FILE_BYTES) {
    add(remarks, "error", "SKILL_FILE_TOO_LARGE", "SKILL.md is larger than 1 MB.");
    return { remarks, name: undefined, lines: 0 };
  }
  const text = readFileSync(file.absolute, "utf8");
  const { fields, body, problem } = await readFrontmatter(text);
  if (problem !== undefined) add(remarks, "error", "FRONTMATTER", problem);
  if (fields !== undefined) checkFields(fields, folder.name, remarks);
  checkBody(text, body, folder, remarks);
  const name = typeof fields?.["name"] === "string" ? fields["name"] : undefined;
  return { remarks, name, lines: text.split("\n").length };
}

function checkFields(fields: Readonly<Record<string, unknown>>, folder: string, remarks: Remark[]): void {
  checkName(fields["name"], folder, remarks);
  checkDescription(fields["description"], remarks);
  const compatibility = fields["compatibility"];
  if (compatibility !== undefined && !isTextUpTo(compatibility, COMPATIBILITY_LENGTH)) {
    add(
      remarks,
      "error",
      "COMPATIBILITY",
      `compatibility is 1 to ${COMPATIBILITY_LENGTH} characters of text.`,
    );
  }
  for (const name of ["license", "allowed-tools"]) {
    const value = fields[name];
    if (value === undefined || typeof value === "string") continue;
    add(remarks, "warning", "NOT_TEXT", `${name} is one line of text.`);
  }
  const metadata = fields["metadata"];
  if (metadata !== undefined && !isTextMap(metadata)) {
    add(remarks, "warning", "METADATA", 'Every value below metadata is text: version: "1.0".');
  }
  const unknown = Object.keys(fields).filter((name) => !FIELDS.includes(name));
  if (unknown.length === 0) return;
  add(
    remarks,
    "error",
    "UNKNOWN_FIELDS",
    `The standard has no ${unknown.join(", ")}; move it below metadata.`,
  );
}

function checkName(name: unknown, folder: string, remarks: Remark[]): void {
  if (typeof name !== "string" || name.trim() === "") {
    add(remarks, "error", "NAME_MISSING", "The field name is missing, or no text.");
    return;
  }
  const normal = name.trim().normalize("NFKC");
  const isPlain = /^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u.test(normal) && normal === normal.toLowerCase();
  if (!isPlain) {
    add(remarks, "error", "NAME", "The name has lower-case letters, digits and single hyphens between them.");
  }
  if ([...normal].length > NAME_LENGTH)
    add(remarks, "error", "NAME", `The name has more than ${NAME_LENGTH} characters.`);
  if (folder.normalize("NFKC") !== normal) {
    add(remarks, "error", "NAME_DIR_MISMATCH", `The folder is called ${folder}, and the skill ${normal}.`);
  }
}

function checkDescription(description: unknown, remarks: Remark[]): void {
  if (typeof description !== "string" || description.trim() === "") {
    add(remarks, "error", "DESCRIPTION_MISSING", "The field description is missing, or no text.");
    return;
  }
  const { length } = [...description.trim()];
  if (length > DESCRIPTION_LENGTH) {
    add(
      remarks,
      "error",
      "DESCRIPTION_TOO_LONG",
      `The description has ${length} of ${DESCRIPTION_LENGTH} characters.`,
    );
  }
  if (/\bTODO\b|\{\{/.test(description))
    add(remarks, "warning", "UNFINISHED", "The description is not written yet.");
  if (!/\b(use|when|for)\b/i.test(description)) {
    add(remarks, "warning", "DESCRIPTION_WHEN", "The description does not say when to use the skill.");
  }
}

function checkBody(text: string, body: string, folder: SkillFolder, remarks: Remark[]): void {
  if (body.trim() === "")
    add(remarks, "warning", "BODY_EMPTY", "There are no instructions below the frontmatter.");
  if (/\bTODO\b/.test(body)) add(remarks, "warning", "UNFINISHED", "The instructions still say TODO.");
  const lines = text.split("\n").length;
  if (lines > ADVISED_LINES) {
    add(remarks, "warning", "TOO_MANY_LINES", `SKILL.md has ${lines} lines; move detail into references/.`);
  }
  const paths = new Set(folder.files.map(({ path }) => path));
  for (const target of mentionedPaths(body)) {
    if (!paths.has(target))
      add(remarks, "warning", "FILE_MISSING", `SKILL.md names ${target}, which is not there.`);
  }
}

/** Files of the skill that the instructions name, in links or as code. */
function mentionedPaths(body: string): ReadonlySet<string> {
  const found = body.matchAll(/(?<![\w/.-])((?:references|scripts|assets|evals)\/[\w./-]*\w\.\w+)/g);
  return new Set([...found].map(([, path = ""]) => path));
}

function isTextUpTo(value: unknown, length: number): boolean {
  return typeof value === "string" && value.trim() !== "" && [...value].length <= length;
}

function isTextMap(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => typeof each === "string");
}

function add(remarks: Remark[], level: Remark["level"], code: string, message: string): void {
  remarks.push({ level, code, message });
}
