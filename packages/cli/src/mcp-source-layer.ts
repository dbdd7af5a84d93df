import { type McpLibrary, openMcpLibrary, type SourceSettings, serverOf } from "@skillhold/mcp/host";
import type { Limits } from "@skillhold/protocol/limits";
import { mcpCacheFolder } from "./mcp-source-path.ts";
import type { Io } from "./output.ts";
import { openProgress } from "./progress.ts";
import type { LayerOptions } from "./registry-layer.ts";

/** A server as one of the places that skills are found in. */
export interface McpLayer {
  readonly settings: SourceSettings;
  readonly library: McpLibrary;
}

export interface McpLayerOptions extends Pick<LayerOptions, "host"> {
  readonly limits: Limits;
  /** False where every file is to be fetched anew. */
  readonly isCached?: boolean;
  /** False where the skills are watched, so that those of a slow server can come later. */
  readonly isPatient?: boolean;
}

/** Asks all of these servers at a time. None keeps the others waiting for longer than it has itself. */
export async function openMcpLayers(
  sources: readonly SourceSettings[],
  io: Io,
  { host, limits, isCached = true, isPatient = true }: McpLayerOptions,
): Promise<readonly McpLayer[]> {
  const progress = openProgress(io, "asking servers", { afterMs: 400 });
  const ports = {
    host,
    limits,
    clock: { now: () => new Date() },
    signal: io.signal,
    isPatient,
    ...(isCached ? { cache: mcpCacheFolder(io.env) } : {}),
  };
  let done = 0;
  const open = async (settings: SourceSettings): Promise<McpLayer> => {
    const { label, skills = [] } = settings;
    const server = () => serverOf(settings, io.env);
    const library = await openMcpLibrary({ label, server, skills }, ports);
    done += 1;
    progress.update(done, sources.length, label);
    return { settings, library };
  };
  progress.update(0, sources.length);
  try {
    return await Promise.all(sources.map(open));
  } finally {
    progress.stop();
  }
}
