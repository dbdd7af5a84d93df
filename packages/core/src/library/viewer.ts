/**
 * Who asks. Every call to a library takes one, and what a viewer may not see does not exist for it.
 *
 * The runtime is required: leaving it out would show an agent skills that are made for another one.
 */
export interface Viewer {
  /** The name that the adapter of the agent's runtime calls itself by. */
  readonly runtime: string;
  readonly agent?: string;
  readonly user?: string;
  /** Ids the viewer is limited to: undefined means all, an empty list means none. */
  readonly allow?: readonly string[];
  /** A model decides by itself, a user asks by name; skills may be open to one and not to the other. */
  readonly invoker?: "model" | "user";
}
