import type { Limits } from "@skillhold/protocol";
import type { GuardOptions } from "../policy/index.ts";
import type { AgentManifest } from "./manifest.ts";
import type { SessionSnapshot } from "./snapshot.ts";

export interface SessionOptions {
  /** The first task; `beginTask` starts the next one. */
  readonly task?: string;
  /** Whether the agent can open files itself. If so, activations name the skill's folder. */
  readonly hasFileSystem?: boolean;
  /** Whether files deeper than one folder may be read. Default: true. */
  readonly allowNested?: boolean;
  /** Ids that come first in the catalogue, before those of the manifest. */
  readonly pins?: readonly string[];
  /** The agent's manifest. Its `uses_skills` are activated when the session opens; a missing one is an error. */
  readonly manifest?: SessionManifest;
  /** How the allowed-tools of active skills apply to the agent's tools, and the host's names for them. */
  readonly guard?: GuardOptions;
  /** Writes the whole system prompt, as for a workspace, in place of the catalogue. */
  readonly compose?: (session: PromptSession) => Promise<string>;
  readonly limits?: Limits;
  /** Continues an earlier session: active skills whose content is unchanged stay active. */
  readonly resume?: SessionSnapshot;
}

/** The part of a session that a composed prompt uses: each skill in it is a recorded activation. */
export interface PromptSession {
  active(): readonly { readonly skill: string }[];
  activate(id: string, options: { readonly again: true }): Promise<{ readonly text: string }>;
}

/** The part of an agent's manifest that a session applies. */
export type SessionManifest = Pick<AgentManifest, "id" | "usesSkills" | "pins" | "instructions">;
