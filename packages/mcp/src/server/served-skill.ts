import { type Skill, SkillCatalogError, skillEntry } from "@modelcontextprotocol/server/ext/skills";
import type { Library, SkillContent, SkillFile, Viewer } from "@skillhold/core/library";
import { REMOTE_PREFIX } from "@skillhold/core/source";
import type { Limits, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { parseSkill, type RuleCode, ruleTable, severityOf, validateSkill } from "@skillhold/skill";
import { LRUCache } from "lru-cache";

/** A skill in the form of the skills extension. */
export interface ServedSkill {
  readonly skill: Skill;
  readonly treeHash: string;
  readonly files: readonly ServedFile[];
}

export interface ServedFile extends Pick<SkillFile, "path" | "size" | "digest"> {
  readonly uri: string;
}

/** A skill that the skills extension cannot serve, with the reasons. The tools can still read it. */
export interface UnservedSkill {
  readonly id: string;
  readonly reasons: readonly string[];
}

export type ServeVerdict = { readonly served: ServedSkill } | { readonly unserved: UnservedSkill };

const MAX_VERDICTS = 2048;

/** Decides which skills can be served. Verdicts are cached by content. */
export class ServedSkills {
  readonly #verdicts = new LRUCache<string, ServeVerdict>({ max: MAX_VERDICTS });
  readonly #limits: Limits;

  constructor(limits: Limits = defaultLimits) {
    this.#limits = limits;
  }

  /** Throws like `Library.read` for a skill that is hidden or unreadable. */
  async judge(id: string, viewer: Viewer, library: Library): Promise<ServeVerdict> {
    const entry = await library.find(viewer, id);
    // A skill of another server is neither served here nor fetched before it is used.
    if (entry !== undefined && !isOwn(entry)) return refuse(id, ["Another server serves the skill."]);
    const content = await library.read(viewer, id, { hasFolder: false });
    const key = keyOf(content);
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = await judgeContent(content, viewer, library, this.#limits);
    this.#verdicts.set(key, verdict);
    return verdict;
  }
}

/** Everything that a verdict depends on. The last good text of a broken skill may be its valid content later. */
function keyOf({ entry, treeHash, isLastGood }: SkillContent): string {
  return JSON.stringify([entry.id, treeHash, isLastGood, indexFaults({ entry })]);
}

/** The visible skills that the skills extension cannot serve, with the reasons, ordered by id. */
export async function unservable(
  library: Library,
  viewer: Viewer,
  limits?: Limits,
): Promise<readonly UnservedSkill[]> {
  const judges = new ServedSkills(limits);
  const unserved: UnservedSkill[] = [];
  for (const { id } of (await library.list(viewer)).filter(isOwn)) {
    const verdict = await judges.judge(id, viewer, library).catch((error: unknown) => unread(id, error));
    if ("unserved" in verdict) unserved.push(verdict.unserved);
  }
  return unserved;
}

/** Whether the skill is not from another server. Agents use skills of other servers through the tools, with their origin. */
export function isOwn({ source }: Pick<SkillEntry, "source">): boolean {
  return !source.startsWith(REMOTE_PREFIX);
}

function unread(id: string, error: unknown): ServeVerdict {
  if (error instanceof SkillError) return refuse(id, [error.message]);
  throw error;
}

async function judgeContent(
  content: SkillContent,
  viewer: Viewer,
  library: Library,
  limits: Limits,
): Promise<ServeVerdict> {
  const { entry, files, treeHash, isLastGood } = content;
  if (isLastGood) return refuse(entry.id, ["The latest edit of the skill is invalid."]);
  if (!files.some(({ path }) => path === "SKILL.md"))
    return refuse(entry.id, ["The skill has no file named SKILL.md."]);
  const text = await readText(content, viewer, library);
  if (text === undefined) return refuse(entry.id, ["SKILL.md is not text or is too long."]);
  const faults = [...profileFaults(text, content, limits), ...indexFaults(content)];
  if (faults.length > 0) return refuse(entry.id, [...new Set(faults)]);
  // The SDK checks more than the profile; the profile runs first because its messages are ours.
  const built = await buildEntry(entry.id, text, files);
  if ("faults" in built) return refuse(entry.id, built.faults);
  return { served: { ...built, treeHash } };
}

function refuse(id: string, reasons: readonly string[]): ServeVerdict {
  return { unserved: { id, reasons } };
}

async function readText(
  { entry, treeHash }: SkillContent,
  viewer: Viewer,
  library: Library,
): Promise<string | undefined> {
  const read = await library.resource(viewer, entry.id, "SKILL.md");
  if (read.treeHash !== treeHash)
    throw new SkillError("IO_FAILED", `The skill ${entry.id} changed while it was read.`, {
      hint: "Retry when the skill is not being changed.",
    });
  return read.encoding === "utf-8" && !read.hasMore ? read.content : undefined;
}

/** The errors of the `mcp` profile in the text and the file list. */
function profileFaults(text: string, { entry, files }: SkillContent, limits: Limits): readonly string[] {
  const subject = { folder: entry.id, files: files.map(({ path, size }) => ({ path, size })) };
  const { diagnostics } = validateSkill(parseSkill(text, limits), subject, "mcp", limits);
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

/** Diagnostics from indexing that the files alone do not show, by the same profile. */
function indexFaults({ entry }: Pick<SkillContent, "entry">): readonly string[] {
  return entry.diagnostics
    .filter(({ code }) => isRule(code) && severityOf(code, "mcp") === "error")
    .map(({ message }) => message);
}

function isRule(code: string): code is RuleCode {
  return Object.hasOwn(ruleTable, code);
}

type BuiltEntry = Omit<ServedSkill, "treeHash"> | { readonly faults: readonly string[] };

/** Builds the entry with the SDK, which clients use to check it. The digests come from the bundle. */
async function buildEntry(id: string, text: string, files: readonly SkillFile[]): Promise<BuiltEntry> {
  const contents = Object.fromEntries(files.map(({ path }) => [path, path === "SKILL.md" ? text : ""]));
  const byPath = new Map(files.map((file) => [file.path, file]));
  try {
    const skill = await skillEntry(id, contents);
    const served: ServedFile[] = [];
    for (const { uri } of skill.resources === "dynamic" ? [] : skill.resources) {
      const file = byPath.get(decodeURIComponent(uri.slice(skill.uri.length - "SKILL.md".length)));
      if (file === undefined || new URL(uri).href !== uri)
        return { faults: [`The name of ${uri} cannot be written as a URI.`] };
      served.push({ uri, path: file.path, size: file.size, digest: file.digest });
    }
    const resources = served.map(({ uri, digest, size }) => ({ uri, digest, size }));
    return { skill: { ...skill, resources }, files: served };
  } catch (error) {
    if (SkillCatalogError.isInstance(error)) return { faults: error.problems.map(({ message }) => message) };
    // A name with a lone surrogate has no URI.
    if (error instanceof URIError) return { faults: ["A file name cannot be written as a URI."] };
    throw error;
  }
}
