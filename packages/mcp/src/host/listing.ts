import type { Diagnostic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { folderId, isSkillId } from "@skillhold/skill";
import { z } from "zod";
import { diagnosticsOf, type ListedSkill, readListedSkill } from "./listed-skill.ts";
import { fetchNamed, type NamedEntry, type NamedSkills } from "./named-entry.ts";
import { refuse } from "./refusal.ts";

/** What a server says that it has, as far as it can be used. */
export interface Listing {
  /** In the order of their addresses, whatever order the server chose. */
  readonly skills: readonly ListedSkill[];
  readonly refused: readonly RefusedEntry[];
  /** For how long the server says that this holds; undefined when it says nothing. */
  readonly ttlMs: number | undefined;
}

export interface RefusedEntry {
  /** The best guess at what it would be called. */
  readonly id: string;
  readonly uri: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Gets one page, by the cursor that the page before it gave. */
export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

const Page = z.object({
  skills: z.array(z.unknown()),
  nextCursor: z.string().optional(),
  ttlMs: z.number().min(0).optional(),
});

/** Asks for the whole list. One that does not end, or is larger than any honest one, is refused whole. */
export async function fetchListing(
  fetchPage: FetchPage,
  limits: Limits,
  named?: NamedSkills,
): Promise<Listing> {
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  const weigh = scale(limits);
  let ttlMs: number | undefined;
  for (let cursor: string | undefined, page = 1; ; page += 1) {
    const { skills, nextCursor, ...first } = readPage(weigh(await fetchPage(cursor)));
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
  const fetch = async (uri: string) => weigh(await named?.fetch(uri));
  const unlisted = await fetchNamed({ uris: named?.uris ?? [], fetch }, entries);
  const asked = unlisted.flatMap((each) => ("entry" in each ? [each.entry] : []));
  const { skills, refused } = readEntries([...entries, ...asked], limits);
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
  throw refuse("MCP_ANSWER_INVALID", "The answer to skills/list is not a list of skills.");
}

/** Passes answers on, until they are together larger than a list may be. */
function scale({ mcpListBytes }: Limits): (answer: unknown) => unknown {
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

function readEntries(entries: readonly unknown[], limits: Limits): Pick<Listing, "skills" | "refused"> {
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

/** Which of the copies is meant nobody can tell. */
function refuseCopy({ uri }: ListedSkill): RefusedEntry {
  const error = refuse("MCP_URI_REPEATED", "The server lists this address more than once.");
  return { id: uri.name, uri: uri.text, diagnostics: diagnosticsOf(error) };
}

const SHOWN_LENGTH = 200;
const NO_URI = "(no address)";

function uriOf(entry: unknown): string {
  const has = typeof entry === "object" && entry !== null && "uri" in entry;
  return has && typeof entry.uri === "string" ? entry.uri.slice(0, SHOWN_LENGTH) : NO_URI;
}

/** Its name where that is an id, or what its folder would be called. */
function guessId(entry: unknown, uri: string): string {
  const frontmatter =
    typeof entry === "object" && entry !== null && "frontmatter" in entry ? entry.frontmatter : {};
  const hasName = typeof frontmatter === "object" && frontmatter !== null && "name" in frontmatter;
  const name = hasName && typeof frontmatter.name === "string" ? frontmatter.name : "";
  if (isSkillId(name)) return name;
  const folder = uri.split("/").at(-2) ?? "";
  return folder === "" ? "unnamed" : folderId(folder).id;
}
