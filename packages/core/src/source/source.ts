import type { Trust } from "@skillhold/protocol";

/** Where skills are found. Trust comes from here, never from the skill. */
export interface Source {
  /** A name for people, unique among the sources of a library. */
  readonly label: string;
  readonly kind: SourceKind;
  readonly trust: Trust;
  /** The folder that is, or holds, skills. */
  readonly root: string;
  /** Follow links that leave the root; only where the user says so. */
  readonly followLinks?: boolean;
  readonly gitignore?: boolean;
}

export const sourceKinds = ["workspace", "project", "user", "org", "builtin", "third_party"] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** What a source of a kind is trusted with when nothing else is said. */
export const defaultTrust: Readonly<Record<SourceKind, Trust>> = {
  workspace: "user",
  project: "user",
  user: "user",
  org: "org",
  builtin: "builtin",
  third_party: "third_party",
};

/** local: what is nearest to the work wins. trust: what is trusted most wins. */
export const precedences = ["local", "trust"] as const;
export type Precedence = (typeof precedences)[number];

const byTrust: readonly Trust[] = ["builtin", "org", "user", "third_party"];

/**
 * Sources in the order in which they win, the first first; those of one rank keep the order they were given in. An
 * unconfirmed project ranks with third parties whatever its kind, so that a cloned repository replaces nothing.
 */
export function orderSources(sources: readonly Source[], precedence: Precedence): readonly Source[] {
  return sources.toSorted((a, b) => sourceRank(a, precedence) - sourceRank(b, precedence));
}

/** The place of a source among others: the lower one wins. */
export function sourceRank({ kind, trust }: Pick<Source, "kind" | "trust">, precedence: Precedence): number {
  if (precedence === "trust") return byTrust.indexOf(trust);
  return sourceKinds.indexOf(trust === "third_party" ? "third_party" : kind);
}

/** Package stores link files into place; a stranger's skill has no business with them. */
export function allowsHardLinks({ trust }: Source): boolean {
  return trust !== "third_party";
}
