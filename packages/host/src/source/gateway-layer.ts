import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { SkillError } from "@skillhold/protocol/error";
import type { GatewayAccess, RemoteLibrary, RemotePorts } from "@skillhold/registry/remote";
import { cacheFile } from "../place/data-folder.ts";
import { type Env, present } from "../place/machine.ts";

/** Another gateway whose skills are used beside those of this machine. */
export interface GatewayLayerSettings extends GatewayAccess {
  /** The label among sources; by default the host and port. */
  readonly label?: string;
}

export interface GatewayLayerOptions extends Pick<RemotePorts, "host" | "limits" | "onError"> {
  /** False to fetch every file again. */
  readonly isCached?: boolean;
  readonly onProblem?: (source: string, problem: SkillError) => void;
}

/** Connects to all gateways at once. A gateway that does not answer adds no skills until it does. */
export async function openGatewayLayers(
  gateways: readonly GatewayLayerSettings[],
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
  { isCached = true, onProblem, ...ports }: GatewayLayerOptions,
): Promise<readonly RemoteLibrary[]> {
  if (gateways.length === 0) return [];
  const { openRemoteLibrary } = await import("@skillhold/registry/remote");
  const cache = isCached ? gatewayCacheFolder(env) : undefined;
  const open = async (gateway: GatewayLayerSettings) => {
    const settings = { signal, ...gateway, isOptional: true, ...present({ cache }) };
    const library = await openRemoteLibrary(settings, { ...ports, ids: { next: randomUUID } });
    if (library.problem !== undefined) onProblem?.(library.source, library.problem);
    return library;
  };
  return await Promise.all(gateways.map(open));
}

/** Where files of gateways are cached; undefined when the user has no cache folder. */
export function gatewayCacheFolder(env: Env): string | undefined {
  const file = cacheFile(env);
  return file === undefined ? undefined : join(dirname(file), "gateway");
}
