import type { SignInRole } from "@skillhold/protocol";

/** An agent that tokens act as, sessions run for and skills are granted to. */
export interface AgentRecord {
  /** A UUID. */
  readonly uid: string;
  /** The unique name that people and grants use. */
  readonly key: string;
  readonly displayName: string;
  /** The name that the runtime's adapter reports. */
  readonly runtime: string;
  /** The skill ids that the agent is limited to: undefined means all, an empty list means no skill. */
  readonly allow: readonly string[] | undefined;
  /** Pinned revisions by skill id. */
  readonly pins: Readonly<Record<string, number>>;
  /** The `agent.yaml` as submitted. */
  readonly manifest: string | undefined;
  readonly owner: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** A removed key is never reused, because old grants and events would then refer to another agent. */
  readonly removedAt: string | undefined;
}

/** Starts the names of users that agents have for themselves. */
const AGENT_USER = "agent:";

/**
 * The user of an agent that acts for no person. It owns no skills of people, so the agent sees only public skills and
 * those that the agent was granted.
 */
export function agentUser(key: string): string {
  return AGENT_USER + key;
}

export function isAgentUser(name: string): boolean {
  return name.startsWith(AGENT_USER);
}

/** A user who owns, receives or gives grants. */
export interface UserRecord {
  readonly name: string;
  readonly displayName: string | undefined;
  /** When the user was first seen. */
  readonly createdAt: string;
  /** The role of a sign-in without a link; undefined for a user who never signed in. */
  readonly role?: SignInRole | undefined;
  /** When the user was deactivated; undefined for an active user. */
  readonly inactiveSince?: string | undefined;
}
