/** The skill that a value is for, and the agent; without an agent the value is for all agents. */
export interface SecretScope {
  readonly skill: string;
  readonly agent?: string;
}

export interface SecretName extends SecretScope {
  readonly name: string;
  readonly setAt: string;
}

/** Stores sealed values. Listing never returns a value; only a run of the skill receives it. */
export interface SecretStore {
  /** Names only, in order: all names, those of a skill, or those of one agent for a skill. */
  list(scope?: SecretScope): Promise<readonly SecretName[]>;
  /** Replaces an existing value. Throws USAGE for an invalid name, scope or value. */
  set(scope: SecretScope, name: string, value: string): Promise<void>;
  /** Whether a value existed in exactly this scope. */
  remove(scope: SecretScope, name: string): Promise<boolean>;
  /** The values of the given names that are set for the skill; the agent's own value wins over the value for all agents. */
  open(scope: SecretScope, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Returns the 32-byte key that seals values. */
export interface KeySource {
  key(): Promise<Uint8Array>;
}
