/** What is asked of a dependency to check it: a part of what the scanner finds. */
export interface Need {
  readonly kind: "pip" | "npm" | "system" | "runtime";
  /** As it is installed: the distribution, the package, the program. */
  readonly name: string;
  /** As code names it. */
  readonly import: string;
  /** Whether the skill can do without it. */
  readonly optional: boolean;
  /** The files that name it, relative to the skill: modules beside them count as there. */
  readonly seen?: readonly { readonly file: string }[];
}

export interface NeedCheck {
  readonly need: Need;
  readonly answer: "ok" | "missing" | "unknown";
  /** Why it is not known. */
  readonly reason?: string;
}
