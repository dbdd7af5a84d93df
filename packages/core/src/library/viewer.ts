/**
 * The caller of a library. A skill that the viewer may not see does not exist for it.
 *
 * The runtime is required, because without it an agent would see skills for other runtimes.
 */
export interface Viewer {
  /**
   * The name of the agent's runtime adapter, or several: a skill for any of them fits, and records name the first. `*`
   * gets the skills of every runtime.
   */
  readonly runtime: string | readonly string[];
  /** The agent's key, which grants refer to. */
  readonly agent?: string;
  readonly user?: string;
  /** The allowed ids: undefined allows all skills, an empty list allows no skill. */
  readonly allow?: readonly string[];
  /** Pinned revisions by skill id. A missing pinned revision is not replaced by another. */
  readonly pins?: Readonly<Record<string, number>>;
  /**
   * A model activates by its own decision, a user by name; a skill may be open to only one of them. `any` gets both kinds,
   * for a library that applies the rule itself.
   */
  readonly invoker?: "model" | "user" | "any";
}

/** The name of a viewer's runtime for records and remote servers. */
export function runtimeName({ runtime }: Pick<Viewer, "runtime">): string {
  return typeof runtime === "string" ? runtime : (runtime[0] ?? "");
}

/** The record of an agent, if the shelf has one. */
export interface AgentStanding {
  readonly allow: readonly string[] | undefined;
  readonly pins: Readonly<Record<string, number>>;
  readonly isRemoved: boolean;
}

/**
 * The viewer with its agent's current record, which may have changed since the viewer was created: a removed
 * permission ends in open sessions too. The viewer's own allow list restricts it further.
 */
export function withAgentRecord(viewer: Viewer, agent: AgentStanding | undefined): Viewer {
  if (agent === undefined) return viewer;
  if (agent.isRemoved) return { ...viewer, allow: [] };
  const { allow } = agent;
  if (allow === undefined) return { ...viewer, pins: agent.pins };
  const both = viewer.allow === undefined ? allow : viewer.allow.filter((id) => allow.includes(id));
  return { ...viewer, allow: both, pins: agent.pins };
}
