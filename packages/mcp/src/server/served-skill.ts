import { type Skill, SkillCatalogError, skillEntry } from "@modelcontextprotocol/server/ext/skills";
import type { Library, SkillContent, SkillFile, Viewer } from "@skillhold/core/library";
import { REMOTE_PREFIX } from "@skillhold/core/source";
import type { Limits, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { parseSkill, type RuleCode, ruleTable, severityOf, validateSkill } from "@skillhold/skill";

/** A skill as the skills extension serves it. */
export interface ServedSkill {
  readonly skill: Skill;
  readonly treeHash: string;
  readonly files: readonly ServedFile[];
}

export interface ServedFile extends Pick<SkillFile, "path" | "size" | "digest"> {
  readonly uri: string;
}

/** A skill that cannot be served so, with the reasons. It stays reachable by the tools, as it is. */
export interface UnservedSkill {
  readonly id: string;
  readonly reasons: readonly string[];
}

export type Verdict = { readonly served: ServedSkill } | { readonly unserved: UnservedSkill };

const REMEMBERED = 2048;

/** Judges which skills can be served. What was judged is remembered by its content. */
export class ServedSkills {
  readonly #verdicts = new Map<string, Verdict>();
  readonly #limits: Limits;

  constructor(limits: Limits = defaultLimits) {
    this.#limits = limits;
  }

  /** Throws as `Library.read` does, for a skill that the viewer cannot see or that cannot be read. */
  async judge(id: string, viewer: Viewer, library: Library): Promise<Verdict> {
    const entry = await library.find(viewer, id);
    // It is not ours to serve, and not even to fetch before someone asks for it.
    if (entry !== undefined && !isOwn(entry)) return refuse(id, ["It is served by another program."]);
    const content = await library.read(viewer, id);
    const key = keyOf(content);
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = await judgeContent(content, viewer, library, this.#limits);
    this.#verdicts.set(key, verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > REMEMBERED && oldest !== undefined) this.#verdicts.delete(oldest);
    return verdict;
  }
}

/** All that a verdict depends on: a text that stands in for a broken edit may be the whole of a good skill tomorrow. */
function keyOf({ entry, treeHash, isLastGood }: SkillContent): string {
  return JSON.stringify([entry.id, treeHash, isLastGood, indexFaults({ entry })]);
}

/** The skills that a viewer sees and no client of the skills extension does, with the reasons; ordered by id. */
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

/** Whether a skill is no other server's. Those are theirs to serve, and reach an agent by the tools, with their origin. */
export function isOwn({ source }: Pick<SkillEntry, "source">): boolean {
  return !source.startsWith(REMOTE_PREFIX);
}

function unread(id: string, error: unknown): Verdict {
  if (error instanceof SkillError) return refuse(id, [error.message]);
  throw error;
}

async function judgeContent(
  content: SkillContent,
  viewer: Viewer,
  library: Library,
  limits: Limits,
): Promise<Verdict> {
  const { entry, files, treeHash, isLastGood } = content;
  if (isLastGood) return refuse(entry.id, ["Its newest edit cannot be used."]);
  if (!files.some(({ path }) => path === "SKILL.md"))
    return refuse(entry.id, ["It has no file named SKILL.md."]);
  const text = await readText(content, viewer, library);
  if (text === undefined) return refuse(entry.id, ["Its SKILL.md is not text, or too long."]);
  const faults = [...profileFaults(text, content, limits), ...indexFaults(content)];
  if (faults.length > 0) return refuse(entry.id, [...new Set(faults)]);
  // What the profile does not know of; of what it does, the SDK has other words.
  const built = await buildEntry(entry.id, text, files);
  if ("faults" in built) return refuse(entry.id, built.faults);
  return { served: { ...built, treeHash } };
}

function refuse(id: string, reasons: readonly string[]): Verdict {
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
      hint: "Try again when nothing writes to it.",
    });
  return read.encoding === "utf-8" && !read.hasMore ? read.content : undefined;
}

/** What the `mcp` profile finds in the text and the list of files. */
function profileFaults(text: string, { entry, files }: SkillContent, limits: Limits): readonly string[] {
  const subject = { folder: entry.id, files: files.map(({ path, size }) => ({ path, size })) };
  const { diagnostics } = validateSkill(parseSkill(text, limits), subject, "mcp", limits);
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

/** What was noticed when the skill was indexed, and cannot be seen from its files: judged by the same profile. */
function indexFaults({ entry }: Pick<SkillContent, "entry">): readonly string[] {
  return entry.diagnostics
    .filter(({ code }) => isRule(code) && severityOf(code, "mcp") === "error")
    .map(({ message }) => message);
}

function isRule(code: string): code is RuleCode {
  return Object.hasOwn(ruleTable, code);
}

type BuiltEntry = Omit<ServedSkill, "treeHash"> | { readonly faults: readonly string[] };

/** The entry as the SDK reads the text, which is how clients will check it; the digests are the bundle's. */
async function buildEntry(id: string, text: string, files: readonly SkillFile[]): Promise<BuiltEntry> {
  const contents = Object.fromEntries(files.map(({ path }) => [path, path === "SKILL.md" ? text : ""]));
  const byPath = new Map(files.map((file) => [file.path, file]));
  try {
    const skill = await skillEntry(id, contents);
    const served: ServedFile[] = [];
    for (const { uri } of skill.resources === "dynamic" ? [] : skill.resources) {
      const file = byPath.get(decodeURIComponent(uri.slice(skill.uri.length - "SKILL.md".length)));
      if (file === undefined || new URL(uri).href !== uri)
        return { faults: [`The name of ${uri} cannot be written as an address.`] };
      served.push({ uri, path: file.path, size: file.size, digest: file.digest });
    }
    const resources = served.map(({ uri, digest, size }) => ({ uri, digest, size }));
    return { skill: { ...skill, resources }, files: served };
  } catch (error) {
    if (SkillCatalogError.isInstance(error)) return { faults: error.problems.map(({ message }) => message) };
    // A name with half a character has no address.
    if (error instanceof URIError) return { faults: ["The name of a file cannot be written as an address."] };
    throw error;
  }
}
