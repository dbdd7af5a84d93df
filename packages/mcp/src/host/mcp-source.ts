import type { AccessSettings } from "@skillhold/core/library";
import type { Clock, Timers } from "@skillhold/core/port";
import { REMOTE_PREFIX } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { Host } from "@skillhold/skill";
import type { ServerAddress } from "./server-address.ts";

/** A server that is a source of skills. The label is the host's; the server's own name is not used. */
export interface McpSource {
  readonly label: string;
  /** The address, or a function that returns it for each connection; its failure is a failure of the server. */
  readonly server: ServerAddress | (() => ServerAddress);
  /** URIs of skills, listed or not. */
  readonly skills?: readonly string[];
}

export interface McpPorts {
  readonly host: Host;
  readonly clock: Clock;
  /** Default: the timers of the machine. */
  readonly timers?: Timers;
  readonly limits?: Limits;
  readonly settings?: AccessSettings;
  /** The user's folder for cached files, outside all skill folders. */
  readonly cache?: string;
  /** Whether opening waits for the first list as long as needed. A caller that listens for changes sets it to false. */
  readonly isPatient?: boolean;
  /** Called for failures in the background. */
  readonly onError?: (error: unknown) => void;
  /** Aborts all requests; close the library afterwards. */
  readonly signal?: AbortSignal;
}

/** The source label of the server's skills. */
export function sourceLabel(label: string): string {
  if (isSourceLabel(label)) return `${REMOTE_PREFIX}${label}`;
  throw new SkillError("USAGE", `${JSON.stringify(label.slice(0, 64))} is not a valid source label.`, {
    hint: "Use up to 32 lowercase letters, digits and single hyphens.",
  });
}

export function isSourceLabel(label: string): boolean {
  return label.length <= 32 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(label);
}
