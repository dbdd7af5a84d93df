import type { SourceSettings } from "@skillhold/mcp/host";
import { dataFolder, findSourcesFile } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";
import { readPrivateList, writePrivateList } from "../place/private-list.ts";

const WHAT = "sources";

/** Reads the configured MCP sources. The file names programs to run, so a file that others can write is refused. */
export async function readSources(env: Env): Promise<readonly SourceSettings[]> {
  const path = findSourcesFile(env);
  if (path === undefined) return [];
  const text = await readPrivateList(path, WHAT);
  if (text === undefined) return [];
  const { readSourceList } = await import("@skillhold/mcp/host");
  return readSourceList(text, path);
}

export async function writeSources(sources: readonly SourceSettings[], env: Env): Promise<void> {
  const { writeSourceList } = await import("@skillhold/mcp/host");
  await writePrivateList(findSourcesFile(env) ?? dataFolder(env), WHAT, writeSourceList(sources));
}
