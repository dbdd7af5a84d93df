import { existsSync } from "node:fs";
import { originOf, REMOTE_PREFIX, SERVER_MARK } from "@skillhold/core/source";
import type { SourceSettings } from "@skillhold/mcp/host";
import { findSourcesFile } from "./mcp-source-path.ts";
import { listOption } from "./option.ts";
import type { CommandInput } from "./program.ts";

/** The servers whose skills a command looks at. */
export interface McpChoice {
  readonly chosen: readonly SourceSettings[];
  /** The labels of all that there are, as sources have them. */
  readonly labels: readonly string[];
}

const NONE: McpChoice = { chosen: [], labels: [] };

/**
 * Which servers the common options ask for. Nothing is loaded for it where there are none, and none are asked where
 * folders or a store are named, nor by a Skillhold that is itself such a server.
 */
export async function chooseMcpSources(
  { options, io }: Pick<CommandInput, "options" | "io">,
  isElsewhere: boolean,
): Promise<McpChoice> {
  const file = findSourcesFile(io.env);
  const isOff = options["mcp"] === false || isElsewhere || Boolean(io.env[SERVER_MARK]);
  if (isOff || file === undefined || !existsSync(file)) return NONE;
  const { readSources } = await import("./mcp-source-file.ts");
  const all = await readSources(io.env);
  const wanted = listOption(options, "source");
  const chosen = wanted.length === 0 ? all : all.filter(({ label }) => wanted.includes(labelOf(label)));
  return { chosen, labels: all.map(({ label }) => labelOf(label)) };
}

/** What a server is called among the sources. */
export function labelOf(label: string): string {
  return `${REMOTE_PREFIX}${label}`;
}

/** Whether a skill is of a server: it lies in no folder, and is not looked into before someone loads it. */
export function isRemote(candidate: { readonly source: string }): boolean {
  return originOf(candidate) !== undefined;
}

/** A server for people: the command as it would be typed, or the address. */
export function showServer(settings: SourceSettings): string {
  if ("url" in settings) return settings.url;
  return [settings.command, ...settings.args].map(showWord).join(" ");
}

export function showWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : JSON.stringify(word);
}
