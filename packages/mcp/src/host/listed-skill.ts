import { combineDigests, type RelativePath } from "@skillhold/core/bundle";
import { type Diagnostic, Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { foldName, type ParsedSkill, parseSkill, validateSkill } from "@skillhold/skill";
import { z } from "zod";
import { refusalOf, refuse } from "./refusal.ts";
import { readFileUri, readSkillUri, type SkillUri } from "./skill-uri.ts";

/** A skill from a server's list, of which no file has been fetched. */
export interface ListedSkill {
  readonly uri: SkillUri;
  /** The listed frontmatter, parsed like a SKILL.md without a body. */
  readonly listed: ParsedSkill;
  readonly files: readonly ListedResource[];
  /** SKILL.md among the files. */
  readonly skillFile: ListedResource;
  /** The hash of all files. The list has no executable bits, so every file is hashed as not executable. */
  readonly treeHash: Digest;
}

export interface ListedResource {
  readonly path: RelativePath;
  readonly uri: string;
  readonly size: number;
  readonly digest: Digest;
  readonly executable: false;
}

const Resource = z.object({ uri: z.string(), digest: Digest, size: z.int().min(0) });
const Entry = z.object({
  uri: z.string(),
  frontmatter: z.custom<object>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  ),
  resources: z.union([z.literal("dynamic"), z.array(Resource)]),
});

/**
 * Parses one entry of a list. An entry with one invalid file is rejected as a whole, because a skill without that file is
 * not the listed skill. The details of the error have the diagnostics.
 */
export function readListedSkill(value: unknown, limits: Limits): ListedSkill {
  const { uri: text, frontmatter, resources } = readEntry(value, limits);
  const uri = readSkillUri(text);
  if (resources === "dynamic")
    throw refuse(
      "MCP_DYNAMIC",
      "The files of the skill are dynamic, so approvals and records cannot be bound to their content.",
    );
  const files = readFiles(resources, uri, limits);
  const skillFile = files.find(({ path }) => path === "SKILL.md");
  if (skillFile === undefined)
    throw refuse("MCP_SKILL_FILE_UNLISTED", "The resources of the entry do not include SKILL.md.");
  rejectLarge(files, skillFile, limits);
  const listed = readFrontmatter(frontmatter, limits);
  rejectInvalid(listed, uri, limits);
  if (listed.frontmatter["name"] !== uri.name)
    throw refuse("MCP_NAME_DIFFERS", "The name in the frontmatter differs from the folder name.");
  return { uri, listed, files, skillFile, treeHash: combineDigests(files) };
}

function readEntry(value: unknown, limits: Limits): z.infer<typeof Entry> {
  const count = countResources(value);
  if (count > limits.mcpResources)
    throw refuse(
      "MCP_TOO_MANY_FILES",
      `The skill has ${count} files; the limit is ${limits.mcpResources} (mcpResources).`,
    );
  const parsed = Entry.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".") || "entry"}: ${message}`);
  throw refuse("MCP_ENTRY_INVALID", `The entry is invalid: ${fields.join("; ")}.`);
}

function countResources(value: unknown): number {
  const has = typeof value === "object" && value !== null && "resources" in value;
  return has && Array.isArray(value.resources) ? value.resources.length : 0;
}

function readFiles(
  resources: readonly z.infer<typeof Resource>[],
  skill: SkillUri,
  limits: Limits,
): readonly ListedResource[] {
  const files = resources.map(({ uri, digest, size }): ListedResource => {
    return { path: readFileUri(uri, skill, limits), uri, size, digest, executable: false };
  });
  rejectRepeated(files);
  return files;
}

/** Rejects names that collide on some file system, and a file whose name another file needs as a folder. */
function rejectRepeated(files: readonly ListedResource[]): void {
  const names = new Set<string>();
  for (const { path } of files) {
    const name = foldName(path);
    if (names.has(name)) throw repeated(path);
    names.add(name);
  }
  for (const { path } of files) {
    const parts = foldName(path).split("/");
    for (let length = 1; length < parts.length; length += 1)
      if (names.has(parts.slice(0, length).join("/"))) throw repeated(path);
  }
}

function repeated(path: string): SkillError {
  return refuse("MCP_FILE_REPEATED", `The listed file ${path} conflicts with another listed file.`);
}

function rejectLarge(files: readonly ListedResource[], skillFile: ListedResource, limits: Limits): void {
  const bytes = files.reduce((total, { size }) => total + size, 0);
  if (bytes > limits.mcpBytes)
    throw refuse(
      "MCP_TOO_LARGE",
      `The skill has ${bytes} bytes; the limit is ${limits.mcpBytes} (mcpBytes).`,
    );
  if (skillFile.size > limits.skillFileBytes)
    throw refuse(
      "MCP_TOO_LARGE",
      `SKILL.md has ${skillFile.size} bytes; the limit is ${limits.skillFileBytes} (skillFileBytes).`,
    );
}

/** JSON is valid YAML, so the list and the file use the same parser. */
function readFrontmatter(frontmatter: object, limits: Limits): ParsedSkill {
  return parseSkill(`---\n${toJson(frontmatter)}\n---\n`, limits);
}

function toJson(frontmatter: object): string {
  try {
    return JSON.stringify(frontmatter);
  } catch (error) {
    throw refuse("MCP_ENTRY_INVALID", "The frontmatter is nested too deeply.", {}, error);
  }
}

function rejectInvalid(listed: ParsedSkill, { name }: SkillUri, limits: Limits): void {
  const { valid, diagnostics } = validateSkill(listed, { folder: name }, "mcp", limits);
  if (valid) return;
  // The list has no line numbers, so all diagnostics are at the start of SKILL.md.
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map((each) => ({ ...each, line: 1, column: 1, message: `Listed frontmatter: ${each.message}` }));
  const messages = errors.map(({ message }) => message).join(" ");
  throw new SkillError("SKILL_INVALID", messages, {
    details: { diagnostics: errors },
  });
}

/** The diagnostics of a rejected entry. */
export function diagnosticsOf(error: SkillError): readonly Diagnostic[] {
  const { diagnostics } = error.details;
  // Only `rejectInvalid` sets this field.
  if (Array.isArray(diagnostics)) return diagnostics as readonly Diagnostic[];
  const code = refusalOf(error) ?? error.code;
  return [{ code, severity: "error", line: 1, column: 1, message: error.message, fix: error.hint }];
}
