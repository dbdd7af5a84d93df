import type { Ids } from "@skillhold/core/port";
import { GATEWAY_PREFIX } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import type { Host } from "@skillhold/skill";
import { type GatewayFileCache, memoryCache, openFolderCache } from "./file-cache.ts";
import { type GatewayAccess, GatewayClient } from "./gateway-client.ts";
import { RemoteFileReader } from "./remote-files.ts";
import { RemoteLibrary } from "./remote-library.ts";

export interface RemoteSettings extends GatewayAccess {
  /** A private folder for cached files, outside all skill folders. */
  readonly cache?: string;
  /** The label of the gateway among sources; by default its host and port. */
  readonly label?: string;
}

export interface RemotePorts {
  /** The machine that runs the skills. */
  readonly host: Host;
  /** Names for temporary files. */
  readonly ids: Ids;
  readonly limits?: Limits;
  /** Receives errors of background work. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Opens the skills of a gateway with the permissions of the token. Throws if the gateway does not respond or
 * rejects the token.
 */
export async function openRemoteLibrary(
  { cache: folder, label, ...access }: RemoteSettings,
  { host, ids, limits = defaultLimits, onError = () => {} }: RemotePorts,
): Promise<RemoteLibrary> {
  const client = new GatewayClient(access, limits);
  const { address } = client;
  const mostBytes = limits.remoteCacheBytes;
  const cache: GatewayFileCache =
    folder === undefined ? memoryCache() : await openFolderCache(folder, { address, mostBytes, ids });
  await client.ask("whoAmI");
  const source = {
    label: `${GATEWAY_PREFIX}${checkLabel(label ?? client.base.host)}`,
    base: client.base,
    host,
  };
  return new RemoteLibrary({ client, files: new RemoteFileReader(client, cache), source, limits, onError });
}

function checkLabel(label: string): string {
  if (/^[\w.:[\]-]{1,255}$/.test(label)) return label;
  throw new SkillError("USAGE", `${JSON.stringify(label.slice(0, 64))} is not a valid source label.`);
}
