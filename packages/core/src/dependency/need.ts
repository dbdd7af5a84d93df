/** The parts of a dependency that a check needs. */
export interface Need {
  readonly kind: "pip" | "npm" | "system" | "runtime";
  /** The install name: the distribution, package or command. */
  readonly name: string;
  /** The import name. */
  readonly import: string;
  /** Whether the dependency is optional. */
  readonly optional: boolean;
  /** The files that use it, relative to the skill; modules beside them count as installed. */
  readonly seen?: readonly { readonly file: string }[];
}

export interface NeedCheck {
  readonly need: Need;
  readonly answer: "ok" | "missing" | "unknown";
  /** Why the state is unknown. */
  readonly reason?: string;
}
