/**
 * Who asks. Every call to a library takes one, and what a viewer may not see does not exist for it.
 *
 * The runtime is required: leaving it out would show an agent skills that are made for another one.
 */
export interface Viewer {
  /** The name that the adapter of the agent's runtime calls itself by. */
  readonly runtime: string;
  /** Its key, by which skills are granted to it. */
  readonly agent?: string;
  readonly user?: string;
  /** Ids the viewer is limited to: undefined means all, an empty list means none. */
  readonly allow?: readonly string[];
  /** Revisions the viewer is held to, by the id of the skill. One that is not at hand is not replaced by another. */
  readonly pins?: Readonly<Record<string, number>>;
  /** A model decides by itself, a user asks by name; skills may be open to one and not to the other. */
  readonly invoker?: "model" | "user";
}

/** What is on record about an agent, where a shelf knows it. */
export interface AgentStanding {
  readonly allow: readonly string[] | undefined;
  readonly pins: Readonly<Record<string, number>>;
  readonly isRemoved: boolean;
}

/**
 * The viewer as its agent's record has it now, which may be another one than when the viewer was made: what was taken
 * from an agent is gone in the sessions that it has open, too. A list of the viewer's own limits it further.
 */
export function asRecorded(viewer: Viewer, agent: AgentStanding | undefined): Viewer {
  if (agent === undefined) return viewer;
  if (agent.isRemoved) return { ...viewer, allow: [] };
  const { allow } = agent;
  if (allow === undefined) return { ...viewer, pins: agent.pins };
  const both = viewer.allow === undefined ? allow : viewer.allow.filter((id) => allow.includes(id));
  return { ...viewer, allow: both, pins: agent.pins };
}
