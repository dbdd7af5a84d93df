/** An agent that skills are granted to: what a token acts as, and what a session is opened for. */
export interface AgentRecord {
  /** A UUID. */
  readonly uid: string;
  /** What people and grants call it by. */
  readonly key: string;
  readonly displayName: string;
  /** The name that the adapter of its runtime calls itself by. */
  readonly runtime: string;
  /** Ids it is limited to: undefined means all, an empty list means none. */
  readonly allow: readonly string[] | undefined;
  /** Revisions it is held to, by the id of the skill. */
  readonly pins: Readonly<Record<string, number>>;
  /** Its `agent.yaml`, as it was given. */
  readonly manifest: string | undefined;
  /** The user it belongs to. */
  readonly owner: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** A key that was taken away is never given to another agent: grants and records would then mean someone else. */
  readonly removedAt: string | undefined;
}

/** Someone who owns skills, is granted them, or grants them. */
export interface UserRecord {
  readonly name: string;
  readonly displayName: string | undefined;
  /** When the registry first heard of them. */
  readonly createdAt: string;
}
