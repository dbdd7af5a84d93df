import { existsSync } from "node:fs";
import { originOf, REMOTE_PREFIX, SERVER_MARK } from "@skillhold/core/source";
import type { SourceSettings } from "@skillhold/mcp/host";
import { findSourcesFile } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";
import { readSources } from "./mcp-source-file.ts";

/** The MCP servers whose skills are looked at. */
export interface McpChoice {
  readonly chosen: readonly SourceSettings[];
  /** The labels of all configured servers, as sources have them. */
  readonly labels: readonly string[];
}

const NONE: McpChoice = { chosen: [], labels: [] };

/**
 * Chooses among the configured MCP servers. Without a sources file no module of MCP is loaded. A Skillhold that is itself
 * started as such a server asks no others, so that two of them cannot start each other forever.
 */
export async function chooseMcpSources(
  { mcp = true, source = [] }: { readonly mcp?: boolean; readonly source?: readonly string[] },
  env: Env,
): Promise<McpChoice> {
  const file = findSourcesFile(env);
  if (!mcp || env[SERVER_MARK] || file === undefined || !existsSync(file)) return NONE;
  const all = await readSources(env);
  const chosen = source.length === 0 ? all : all.filter(({ label }) => source.includes(labelOf(label)));
  return { chosen, labels: all.map(({ label }) => labelOf(label)) };
}

/** The label of a server among the sources. */
export function labelOf(label: string): string {
  return `${REMOTE_PREFIX}${label}`;
}

/** Whether a skill belongs to an MCP server. Such a skill has no folder. */
export function isRemote(candidate: { readonly source: string }): boolean {
  return originOf(candidate) !== undefined;
}

/** A server for people: its URL, or its command as it would be typed. */
export function showServer(settings: SourceSettings): string {
  if ("url" in settings) return settings.url;
  return [settings.command, ...settings.args].map(showWord).join(" ");
}

export function showWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : JSON.stringify(word);
}
