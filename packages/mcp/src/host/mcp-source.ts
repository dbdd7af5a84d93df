import type { AccessSettings } from "@skillhold/core/library";
import type { Clock } from "@skillhold/core/port";
import { REMOTE_PREFIX } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { Host } from "@skillhold/skill";
import type { ServerAddress } from "./server-address.ts";

/** A server whose skills are a source, and what it is called here. What it calls itself counts for nothing. */
export interface McpSource {
  readonly label: string;
  /** Or what gives it each time that it is connected to; a failure of that is one of the server. */
  readonly server: ServerAddress | (() => ServerAddress);
  /** Addresses of skills that it has, whether it lists them or not. */
  readonly skills?: readonly string[];
}

export interface McpPorts {
  readonly host: Host;
  readonly clock: Clock;
  readonly limits?: Limits;
  readonly settings?: AccessSettings;
  /** A folder of the user's own, in no place where skills are looked for, in which files that were read are kept. */
  readonly cache?: string;
  /** False for one who listens for changes: the first list is then waited for no longer than any later one. */
  readonly isPatient?: boolean;
  /** Told of what fails while nobody waits for it: a listener, a look at the list after a notice. */
  readonly onError?: (error: unknown) => void;
  /** Ends what is waited for; the library is then to be closed. */
  readonly signal?: AbortSignal;
}

/** The label of its skills among the sources of a library. */
export function sourceLabel(label: string): string {
  if (isSourceLabel(label)) return `${REMOTE_PREFIX}${label}`;
  throw new SkillError("USAGE", `${JSON.stringify(label.slice(0, 64))} cannot be the label of a source.`, {
    hint: "Use up to 32 small letters, digits and single hyphens.",
  });
}

export function isSourceLabel(label: string): boolean {
  return label.length <= 32 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(label);
}
