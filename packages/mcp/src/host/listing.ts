import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { Diagnostic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { folderId, isSkillId } from "@skillhold/skill";
import { z } from "zod";
import { diagnosticsOf, type ListedSkill, readListedSkill } from "./listed-skill.ts";
import { refuse } from "./refusal.ts";
import { isSameUri } from "./skill-uri.ts";

/** A server's skill list: the usable skills and the rejected entries. */
export interface ServerListing {
  /** Ordered by URI. */
  readonly skills: readonly ListedSkill[];
  readonly refused: readonly RefusedEntry[];
  /** The server's cache hint; undefined without one. */
  readonly ttlMs: number | undefined;
}

export interface RefusedEntry {
  /** The likely id of the skill. */
  readonly id: string;
  readonly uri: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Fetches one page by the cursor of the previous page. */
export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

const Page = z.object({
  skills: z.array(z.unknown()),
  nextCursor: z.string().optional(),
  ttlMs: z.number().min(0).optional(),
});

/** Fetches the whole list. A list that is endless or too large is rejected as a whole. */
export async function fetchListing(
  fetchPage: FetchPage,
  limits: Limits,
  named?: NamedSkills,
): Promise<ServerListing> {
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  const limited = sizeLimit(limits);
  let ttlMs: number | undefined;
  for (let cursor: string | undefined, page = 1; ; page += 1) {
    const { skills, nextCursor, ...first } = readPage(limited(await fetchPage(cursor)));
    if (page === 1) ttlMs = first.ttlMs;
    if (entries.length + skills.length > limits.mcpSkills)
      throw refuse("MCP_TOO_MANY_SKILLS", `The list has more than ${limits.mcpSkills} skills (mcpSkills).`);
    for (const entry of skills) entries.push(entry);
    if (nextCursor === undefined) break;
    if (cursors.has(nextCursor) || page >= limits.mcpPages)
      throw refuse("MCP_TOO_MANY_PAGES", `The list does not end within ${limits.mcpPages} pages (mcpPages).`);
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  const fetch = async (uri: string) => limited(await named?.fetch(uri));
  const unlisted = await fetchNamed({ uris: named?.uris ?? [], fetch }, entries);
  const extra = unlisted.flatMap((each) => ("entry" in each ? [each.entry] : []));
  const { skills, refused } = readEntries([...entries, ...extra], limits);
  return { skills, refused: [...refused, ...unlisted.flatMap(refuseNamed)], ttlMs };
}

function refuseNamed(named: NamedEntry): readonly RefusedEntry[] {
  if ("entry" in named) return [];
  const { uri, refusal } = named;
  return [{ id: guessId(undefined, uri), uri, diagnostics: diagnosticsOf(refusal) }];
}

function readPage(answer: unknown): z.infer<typeof Page> {
  const parsed = Page.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw refuse("MCP_ANSWER_INVALID", "The result of skills/list is not a list of skills.");
}

/** Rejects responses when their total size exceeds the limit of a list. */
function sizeLimit({ mcpListBytes }: Limits): (answer: unknown) => unknown {
  let bytes = 0;
  return (answer) => {
    bytes += sizeOf(answer);
    if (bytes <= mcpListBytes) return answer;
    throw refuse("MCP_LIST_TOO_LARGE", `The list has more than ${mcpListBytes} bytes (mcpListBytes).`);
  };
}

function sizeOf(answer: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(answer) ?? "");
  } catch (error) {
    throw refuse("MCP_ANSWER_INVALID", "An entry of the list is nested too deeply.", {}, error);
  }
}

function readEntries(entries: readonly unknown[], limits: Limits): Pick<ServerListing, "skills" | "refused"> {
  const refused: RefusedEntry[] = [];
  const byKey = Map.groupBy(
    entries.flatMap((entry) => readEntry(entry, limits, refused)),
    ({ uri }) => uri.key,
  );
  const skills: ListedSkill[] = [];
  for (const copies of byKey.values()) {
    const [only] = copies;
    if (only !== undefined && copies.length === 1) skills.push(only);
    else for (const copy of copies) refused.push(refuseCopy(copy));
  }
  return { skills: skills.sort((a, b) => (a.uri.key < b.uri.key ? -1 : 1)), refused };
}

function readEntry(entry: unknown, limits: Limits, refused: RefusedEntry[]): readonly ListedSkill[] {
  try {
    return [readListedSkill(entry, limits)];
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const uri = uriOf(entry);
    refused.push({ id: guessId(entry, uri), uri, diagnostics: diagnosticsOf(error) });
    return [];
  }
}

/** All copies are rejected, because none of them is distinguished. */
function refuseCopy({ uri }: ListedSkill): RefusedEntry {
  const error = refuse("MCP_URI_REPEATED", "The server lists this URI more than once.");
  return { id: uri.name, uri: uri.text, diagnostics: diagnosticsOf(error) };
}

const SHOWN_LENGTH = 200;
const NO_URI = "(no URI)";

function uriOf(entry: unknown): string {
  const has = typeof entry === "object" && entry !== null && "uri" in entry;
  return has && typeof entry.uri === "string" ? entry.uri.slice(0, SHOWN_LENGTH) : NO_URI;
}

/** The name if it is a valid id, otherwise an id made from the folder name. */
function guessId(entry: unknown, uri: string): string {
  const frontmatter =
    typeof entry === "object" && entry !== null && "frontmatter" in entry ? entry.frontmatter : {};
  const hasName = typeof frontmatter === "object" && frontmatter !== null && "name" in frontmatter;
  const name = hasName && typeof frontmatter.name === "string" ? frontmatter.name : "";
  if (isSkillId(name)) return name;
  const folder = uri.split("/").at(-2) ?? "";
  return folder === "" ? "unnamed" : folderId(folder).id;
}

/** Skills that the user configured by URI: a server does not have to list all of its skills. */
export interface NamedSkills {
  readonly uris: readonly string[];
  /** Fetches the entry of one URI. */
  readonly fetch: (uri: string) => Promise<unknown>;
}

/** The unchecked entry, or the reason why it is missing. */
export type NamedEntry = { readonly entry: unknown } | { readonly uri: string; readonly refusal: SkillError };

const Answer = z.object({ skill: z.looseObject({ uri: z.string() }) });

/** Fetches the configured skills that are not listed. A missing skill does not affect the others. */
export async function fetchNamed(
  { uris, fetch }: NamedSkills,
  listed: readonly unknown[],
): Promise<readonly NamedEntry[]> {
  const entries: NamedEntry[] = [];
  for (const uri of uris)
    if (!listed.some((entry) => isEntryOf(entry, uri))) entries.push(await fetchEntry(uri, fetch));
  return entries;
}

async function fetchEntry(uri: string, fetch: NamedSkills["fetch"]): Promise<NamedEntry> {
  try {
    const { data } = Answer.safeParse(await fetch(uri));
    if (data !== undefined && isEntryOf(data.skill, uri)) return { entry: data.skill };
    return {
      uri,
      refusal: refuse("MCP_ENTRY_INVALID", "The server returned another entry than the requested one."),
    };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    const refusal = refuse("MCP_SKILL_UNKNOWN", "The server has no skill with this URI.", {}, error);
    return { uri, refusal };
  }
}

/** Over HTTP, a server may report an unknown method by its status. */
function isAnswer(error: unknown): boolean {
  if (error instanceof ProtocolError) return true;
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpNotImplemented;
}

function isEntryOf(entry: unknown, uri: string): boolean {
  const has = typeof entry === "object" && entry !== null && "uri" in entry;
  return has && typeof entry.uri === "string" && isSameUri(entry.uri, uri);
}
