import { readSourceList, type SourceSettings, writeSourceList } from "@skillhold/mcp/host";
import { dataFolder } from "./data-folder.ts";
import { findSourcesFile } from "./mcp-source-path.ts";
import type { Io } from "./output.ts";
import { readPrivateList, writePrivateList } from "./private-list.ts";

const WHAT = "sources";

/** The sources that the user has added. It names programs to run: one that others could write is refused. */
export async function readSources(env: Io["env"]): Promise<readonly SourceSettings[]> {
  const path = findSourcesFile(env);
  if (path === undefined) return [];
  const text = await readPrivateList(path, WHAT);
  return text === undefined ? [] : readSourceList(text, path);
}

export async function writeSources(sources: readonly SourceSettings[], env: Io["env"]): Promise<void> {
  await writePrivateList(findSourcesFile(env) ?? dataFolder(env), WHAT, writeSourceList(sources));
}
