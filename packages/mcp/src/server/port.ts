import type { Asker } from "@skillhold/core/approval";
import type { Library, Viewer } from "@skillhold/core/library";
import type { Session, SkillToolName, ToolResult } from "@skillhold/core/session";

/** What is served: the skills of a library for one viewer, and how a use of them begins. */
export interface McpSkills {
  readonly library: Library;
  readonly viewer: Viewer;
  /**
   * Opens the session of a connection. A session that asks through the client takes the client's word for what its
   * user has answered; whether that word counts is for the host to say, which may leave it unused. Whoever asks someone
   * else lets the client know by `tell`.
   */
  openSession(ask: AskThroughClient, tell: TellClient): Promise<Session>;
  /** Tools that are not offered. */
  readonly off?: readonly SkillToolName[];
  /** What to do where an approval is needed and nobody can be asked. */
  readonly approvalHint?: string;
  readonly cache?: ServedCache;
  /** Put around each call of a tool, for those who trace them. */
  readonly observe?: (call: ObservedCall, work: () => Promise<ToolResult>) => Promise<ToolResult>;
}

/** What is called, as the client wrote it. */
export interface ObservedCall {
  readonly tool: string;
  readonly session: Pick<Session, "id" | "active">;
  readonly input: unknown;
  /** The id of the message. */
  readonly request: string;
  /** What the client says beside the input. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Asks the user of the client where it can ask one, and else whoever is given here. */
export type AskThroughClient = (otherwise?: Asker) => Asker;

/** Asks whoever is given, and tells the client meanwhile what it waits for. */
export type TellClient = (asker: Asker) => Asker;

/** What clients are told of how long a list of skills holds, and for whom. */
export interface ServedCache {
  readonly ttlMs: number;
  /** `public` only where every viewer sees the same. */
  readonly scope: "public" | "private";
}

export const defaultCache: ServedCache = { ttlMs: 5000, scope: "private" };
