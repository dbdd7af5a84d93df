import { type Ids, systemTimers, type Timers } from "@skillhold/core/port";
import { GATEWAY_PREFIX } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import type { Host } from "@skillhold/skill";
import { type GatewayFileCache, memoryCache, openFolderCache } from "./file-cache.ts";
import { type GatewayAccess, GatewayClient } from "./gateway-client.ts";
import { RemoteFileReader } from "./remote-files.ts";
import { RemoteLibrary } from "./remote-library.ts";
import { ANY_VIEWER, type ViewerQuery } from "./viewer-query.ts";

export interface RemoteSettings extends GatewayAccess {
  /** A private folder for cached files, outside all skill folders. */
  readonly cache?: string;
  /** The label of the gateway among sources; by default its host and port. */
  readonly label?: string;
  /** Whom the gateway shows its skills to, with the rights of the token. */
  readonly viewAs?: ViewerQuery;
  /**
   * True for a layer: while the gateway does not answer or rejects the token, its skills are missing, and `problem` has
   * the reason. By default every call fails then.
   */
  readonly isOptional?: boolean;
}

export interface RemotePorts {
  /** The machine that runs the skills. */
  readonly host: Host;
  /** Names for temporary files. */
  readonly ids: Ids;
  readonly limits?: Limits;
  /** The machine's timers by default. */
  readonly timers?: Timers;
  /** Receives errors of background work. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Opens the skills of a gateway with the permissions of the token. Throws if the gateway does not respond or
 * rejects the token, unless it is optional. The library can be layered with others.
 */
export async function openRemoteLibrary(
  { cache: folder, label, viewAs = ANY_VIEWER, isOptional = false, ...access }: RemoteSettings,
  { host, ids, limits = defaultLimits, timers = systemTimers, onError = () => {} }: RemotePorts,
): Promise<RemoteLibrary> {
  const client = new GatewayClient(access, limits, timers);
  const { address } = client;
  const mostBytes = limits.remoteCacheBytes;
  const cache: GatewayFileCache =
    folder === undefined ? memoryCache() : await openFolderCache(folder, { address, mostBytes, ids });
  const source = {
    label: `${GATEWAY_PREFIX}${checkLabel(label ?? client.base.host)}`,
    base: client.base,
    host,
    hasRevisions: !isOptional,
  };
  const files = new RemoteFileReader(client, cache);
  const parts = { client, files, source, limits, timers, viewAs, isOptional, onError };
  const library = new RemoteLibrary(parts, { limits, name: source.label });
  // Changes of a layer are relative to its first list.
  if (isOptional) await library.refresh();
  else await client.ask("whoAmI");
  return library;
}

function checkLabel(label: string): string {
  if (/^[\w.:[\]-]{1,255}$/.test(label)) return label;
  throw new SkillError("USAGE", `${JSON.stringify(label.slice(0, 64))} is not a valid source label.`);
}
