/** For which skill a value is, and for which agent; without an agent it is for all of them. */
export interface SecretScope {
  readonly skill: string;
  readonly agent?: string;
}

export interface SecretName extends SecretScope {
  readonly name: string;
  readonly setAt: string;
}

/** Where values lie, sealed. Nothing lists a value; only a run of the skill gets it. */
export interface SecretStore {
  /** Names alone, in order: all, those of a skill, or those of a skill that are an agent's own. */
  list(scope?: SecretScope): Promise<readonly SecretName[]>;
  /** Takes the place of what was set; USAGE for a name, a scope or a value that cannot be. */
  set(scope: SecretScope, name: string, value: string): Promise<void>;
  /** Whether there was one in exactly this scope. */
  remove(scope: SecretScope, name: string): Promise<boolean>;
  /** The values of those names that are set for the skill; the agent's own before the one for all. */
  open(scope: SecretScope, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Gives the key that values are sealed with: 32 bytes. */
export interface KeySource {
  key(): Promise<Uint8Array>;
}
