import type { Trust } from "@skillhold/protocol";

/** A location of skills. Trust comes from the source, never from the skill. */
export interface Source {
  /** A display name, unique in a library. */
  readonly label: string;
  readonly kind: SourceKind;
  readonly trust: Trust;
  /** The folder that is or contains skills. */
  readonly root: string;
  /** Follow links out of the root; only on the user's request. */
  readonly followLinks?: boolean;
  readonly gitignore?: boolean;
  /** The user named the root itself, so that it may be a folder with only tools. */
  readonly isNamed?: boolean;
  /** Reject skills that break the specification; by default every readable skill is loaded. */
  readonly strict?: boolean;
}

export const sourceKinds = ["workspace", "project", "user", "org", "builtin", "third_party"] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** The default trust of each kind of source. */
export const defaultTrust: Readonly<Record<SourceKind, Trust>> = {
  workspace: "user",
  project: "user",
  user: "user",
  org: "org",
  builtin: "builtin",
  third_party: "third_party",
};

/** local: the source closest to the work wins. trust: the most trusted source wins. */
export const precedences = ["local", "trust"] as const;
export type Precedence = (typeof precedences)[number];

const byTrust: readonly Trust[] = ["builtin", "org", "user", "third_party"];

/**
 * Sorts sources by precedence, highest first; equal ranks keep their order. An unconfirmed project ranks with third
 * parties regardless of its kind, so that a cloned repository replaces no skill.
 */
export function orderSources(sources: readonly Source[], precedence: Precedence): readonly Source[] {
  return sources.toSorted((a, b) => sourceRank(a, precedence) - sourceRank(b, precedence));
}

/** The rank of a source; the lower one wins. */
export function sourceRank({ kind, trust }: Pick<Source, "kind" | "trust">, precedence: Precedence): number {
  if (precedence === "trust") return byTrust.indexOf(trust);
  return sourceKinds.indexOf(trust === "third_party" ? "third_party" : kind);
}

/** Package stores use hard links; third-party skills must not. */
export function allowsHardLinks({ trust }: Source): boolean {
  return trust !== "third_party";
}
