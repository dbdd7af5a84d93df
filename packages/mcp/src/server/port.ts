import type { Asker } from "@skillhold/core/approval";
import type { Library, Viewer } from "@skillhold/core/library";
import type { Session, SkillToolName, ToolResult } from "@skillhold/core/session";
import type { DeclaredToolName } from "./declared-tool.ts";

/** The served skills: a library, a viewer, and the sessions that use them. */
export interface McpSkills {
  readonly library: Library;
  readonly viewer: Viewer;
  /**
   * Opens the session of a connection. A session that asks through the client trusts the client's report of its user's
   * answer; the host decides whether to use `ask`. With `tell`, the client learns that another person is being asked.
   */
  openSession(ask: AskThroughClient, tell: NotifyClient): Promise<Session>;
  /** Disabled tools. */
  readonly off?: readonly (SkillToolName | DeclaredToolName)[];
  /** The hint for an approval that the client cannot ask for. */
  readonly approvalHint?: string;
  /** Whether results carry structured data as well. Many clients show a model only that data, so the default is text alone. */
  readonly isStructured?: boolean;
  /** Wraps each tool call, for tracing. */
  readonly observe?: (call: ObservedCall, work: () => Promise<ToolResult>) => Promise<ToolResult>;
}

/** A tool call as the client sent it. */
export interface ObservedCall {
  readonly tool: string;
  readonly session: Pick<Session, "id" | "active">;
  readonly input: unknown;
  /** The id of the message. */
  readonly request: string;
  /** The `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Asks the client's user, or the fallback when the client cannot ask. */
export type AskThroughClient = (otherwise?: Asker) => Asker;

/** Asks the given person, and reports to the client that the call waits for an approval. */
export type NotifyClient = (asker: Asker) => Asker;

/** The cache hints for lists of skills. */
export interface ServedCache {
  readonly ttlMs: number;
  /** `public` only when every viewer sees the same skills. */
  readonly scope: "public" | "private";
}

export const defaultCache: ServedCache = { ttlMs: 5000, scope: "private" };
