import type { Digest } from "@skillhold/protocol";

/** An agent with an address, a parent and an agent card. Its key is the key of the agent. */
export interface WorkspaceRecord {
  readonly agent: string;
  /** The key of the parent workspace. */
  readonly parent: string | undefined;
  readonly url: string | undefined;
  /** The agent card as JSON. */
  readonly card: string | undefined;
  readonly cardHash: Digest | undefined;
  readonly cardAt: string | undefined;
  readonly status: "new" | "online" | "degraded" | "offline";
  /** Empty when the workspace is idle. */
  readonly task: string;
  readonly health: WorkspaceHealth;
  readonly heartbeatAt: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The figures of the last heartbeat. */
export interface WorkspaceHealth {
  readonly errorRate: number;
  readonly sampleError: string;
  readonly activeTasks: number;
  readonly uptimeSeconds: number;
  /** The last push of the card to each other platform. */
  readonly pushes: readonly CardPush[];
}

export interface CardPush {
  readonly url: string;
  readonly at: string;
  readonly ok: boolean;
  readonly message: string;
}
