import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { refuse } from "./refusal.ts";
import { isSameUri } from "./skill-uri.ts";

/** Skills that someone has named by their addresses: a server need not list all that it has. */
export interface NamedSkills {
  readonly uris: readonly string[];
  /** Asks for the entry of one of them. */
  readonly fetch: (uri: string) => Promise<unknown>;
}

/** The entry as the server gave it, unchecked, or why there is none. */
export type NamedEntry = { readonly entry: unknown } | { readonly uri: string; readonly refusal: SkillError };

const Answer = z.object({ skill: z.looseObject({ uri: z.string() }) });

/** Asks for those that are not in the list. One that the server does not have keeps no other back. */
export async function fetchNamed(
  { uris, fetch }: NamedSkills,
  listed: readonly unknown[],
): Promise<readonly NamedEntry[]> {
  const found: NamedEntry[] = [];
  for (const uri of uris)
    if (!listed.some((entry) => isEntryOf(entry, uri))) found.push(await fetchEntry(uri, fetch));
  return found;
}

async function fetchEntry(uri: string, fetch: NamedSkills["fetch"]): Promise<NamedEntry> {
  try {
    const { data } = Answer.safeParse(await fetch(uri));
    if (data !== undefined && isEntryOf(data.skill, uri)) return { entry: data.skill };
    return { uri, refusal: refuse("MCP_ENTRY_INVALID", "The server answered with something else.") };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    const refusal = refuse("MCP_SKILL_UNKNOWN", "The server has no skill at this address.", {}, error);
    return { uri, refusal };
  }
}

/** Over HTTP a server says by its status that it has no such method. */
function isAnswer(error: unknown): boolean {
  if (error instanceof ProtocolError) return true;
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpNotImplemented;
}

function isEntryOf(entry: unknown, uri: string): boolean {
  const has = typeof entry === "object" && entry !== null && "uri" in entry;
  return has && typeof entry.uri === "string" && isSameUri(entry.uri, uri);
}
