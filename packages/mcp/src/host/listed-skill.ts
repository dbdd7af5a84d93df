import { combineDigests, foldName, type RelativePath } from "@skillhold/core/bundle";
import { type Diagnostic, Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type ParsedSkill, parseSkill, validateSkill } from "@skillhold/skill";
import { z } from "zod";
import { refusalOf, refuse } from "./refusal.ts";
import { readFileUri, readSkillUri, type SkillUri } from "./skill-uri.ts";

/** A skill as the list of its server has it: nothing of it has been fetched. */
export interface ListedSkill {
  readonly uri: SkillUri;
  /** What the entry says SKILL.md says, read by the one parser. It has no body. */
  readonly said: ParsedSkill;
  readonly files: readonly ListedFile[];
  /** SKILL.md among the files. */
  readonly skillFile: ListedFile;
  /** Over all files. Nobody says which ones can be run by themselves, and so none can. */
  readonly treeHash: Digest;
}

export interface ListedFile {
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
 * Reads one entry of a list, or refuses it whole: a file that may not be there makes the skill another one than it says.
 * What validation finds is in the details of the failure.
 */
export function readListedSkill(value: unknown, limits: Limits): ListedSkill {
  const { uri: text, frontmatter, resources } = readEntry(value, limits);
  const uri = readSkillUri(text);
  if (resources === "dynamic")
    throw refuse(
      "MCP_DYNAMIC",
      "The server says that its files are made anew for each reading. No approval or record could be bound to them.",
    );
  const files = readFiles(resources, uri, limits);
  const skillFile = files.find(({ path }) => path === "SKILL.md");
  if (skillFile === undefined)
    throw refuse("MCP_SKILL_FILE_UNLISTED", "The list of its files does not have its SKILL.md.");
  rejectLarge(files, skillFile, limits);
  const said = readFrontmatter(frontmatter, limits);
  rejectInvalid(said, uri, limits);
  if (said.frontmatter["name"] !== uri.name)
    throw refuse("MCP_NAME_DIFFERS", "The name in its frontmatter is not that of its folder.");
  return { uri, said, files, skillFile, treeHash: combineDigests(files) };
}

function readEntry(value: unknown, limits: Limits): z.infer<typeof Entry> {
  const count = countResources(value);
  if (count > limits.mcpResources)
    throw refuse(
      "MCP_TOO_MANY_FILES",
      `It lists ${count} files; at most ${limits.mcpResources} are taken (mcpResources).`,
    );
  const parsed = Entry.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".") || "entry"}: ${message}`);
  throw refuse("MCP_ENTRY_INVALID", `The entry cannot be read: ${fields.join("; ")}.`);
}

function countResources(value: unknown): number {
  const has = typeof value === "object" && value !== null && "resources" in value;
  return has && Array.isArray(value.resources) ? value.resources.length : 0;
}

function readFiles(
  resources: readonly z.infer<typeof Resource>[],
  skill: SkillUri,
  limits: Limits,
): readonly ListedFile[] {
  const files = resources.map(({ uri, digest, size }): ListedFile => {
    return { path: readFileUri(uri, skill, limits), uri, size, digest, executable: false };
  });
  rejectRepeated(files);
  return files;
}

/** Neither two files of one name on some disk, nor a file where another one needs a folder. */
function rejectRepeated(files: readonly ListedFile[]): void {
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
  return refuse("MCP_FILE_REPEATED", `It lists ${path} and another file that takes the same place.`);
}

function rejectLarge(files: readonly ListedFile[], skillFile: ListedFile, limits: Limits): void {
  const bytes = files.reduce((total, { size }) => total + size, 0);
  if (bytes > limits.mcpBytes)
    throw refuse("MCP_TOO_LARGE", `It has ${bytes} bytes; at most ${limits.mcpBytes} are taken (mcpBytes).`);
  if (skillFile.size > limits.skillFileBytes)
    throw refuse(
      "MCP_TOO_LARGE",
      `Its SKILL.md has ${skillFile.size} bytes; at most ${limits.skillFileBytes} are read (skillFileBytes).`,
    );
}

/** JSON is YAML, so that what a server says of a file and the file itself are read in the same way. */
function readFrontmatter(frontmatter: object, limits: Limits): ParsedSkill {
  return parseSkill(`---\n${toJson(frontmatter)}\n---\n`, limits);
}

function toJson(frontmatter: object): string {
  try {
    return JSON.stringify(frontmatter);
  } catch (error) {
    throw refuse("MCP_ENTRY_INVALID", "Its frontmatter is nested too deeply.", {}, error);
  }
}

function rejectInvalid(said: ParsedSkill, { name }: SkillUri, limits: Limits): void {
  const { valid, diagnostics } = validateSkill(said, { folder: name }, "mcp", limits);
  if (valid) return;
  // Lines of the list are nobody's: all of it stands where SKILL.md starts.
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map((each) => ({ ...each, line: 1, column: 1, message: `Its listed frontmatter: ${each.message}` }));
  const messages = errors.map(({ message }) => message).join(" ");
  throw new SkillError("SKILL_INVALID", messages, {
    details: { diagnostics: errors },
  });
}

/** What is wrong with an entry that was refused. */
export function diagnosticsOf(error: SkillError): readonly Diagnostic[] {
  const { diagnostics } = error.details;
  // Set above, and nowhere else.
  if (Array.isArray(diagnostics)) return diagnostics as readonly Diagnostic[];
  const code = refusalOf(error) ?? error.code;
  return [{ code, severity: "error", line: 1, column: 1, message: error.message, fix: error.hint }];
}
