import type { McpLibrary, SourceSettings } from "@skillhold/mcp/host";
import type { Limits } from "@skillhold/protocol/limits";
import { mcpCacheFolder } from "../place/data-folder.ts";
import type { Machine } from "../place/machine.ts";
import type { LayerOptions } from "../store/registry-layer.ts";

/** An MCP server as a layer of the library. */
export interface McpLayer {
  readonly settings: SourceSettings;
  readonly library: McpLibrary;
}

export interface McpLayerOptions extends Pick<LayerOptions, "host"> {
  readonly limits: Limits;
  /** False to fetch every file again. */
  readonly isCached?: boolean;
  /** False where skills are watched: those of a slow server may then arrive later. */
  readonly isPatient?: boolean;
  readonly onProgress?: (done: number, all: number, label?: string) => void;
}

/** Connects to all servers at once. A slow server delays no other. The MCP client is loaded only where servers are configured. */
export async function openMcpLayers(
  sources: readonly SourceSettings[],
  { env, signal }: Pick<Machine, "env" | "signal">,
  { host, limits, isCached = true, isPatient = true, onProgress }: McpLayerOptions,
): Promise<readonly McpLayer[]> {
  if (sources.length === 0) return [];
  const { openMcpLibrary, serverOf } = await import("@skillhold/mcp/host");
  const cache = isCached ? { cache: mcpCacheFolder(env) } : {};
  const ports = { host, limits, clock: { now: () => new Date() }, signal, isPatient, ...cache };
  let done = 0;
  const open = async (settings: SourceSettings): Promise<McpLayer> => {
    const { label, skills = [] } = settings;
    const library = await openMcpLibrary({ label, server: () => serverOf(settings, env), skills }, ports);
    done += 1;
    onProgress?.(done, sources.length, label);
    return { settings, library };
  };
  onProgress?.(0, sources.length);
  return await Promise.all(sources.map(open));
}
