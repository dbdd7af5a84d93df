import type { InstallWay } from "./install-way.ts";

export type DependencyKind = "pip" | "npm" | "system" | "runtime";

/** Something outside the bundle that a skill's code or manifests say it needs. */
export interface Dependency {
  readonly kind: DependencyKind;
  /** As it is installed: the distribution, the package, the command. */
  readonly name: string;
  /** As code names it: the top-level module, the package, the command. */
  readonly import: string;
  /** Whether everything that names it can do without it. */
  readonly optional: boolean;
  /** Whether a manifest or the frontmatter names it. */
  readonly declared: boolean;
  readonly seen: readonly Place[];
}

export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** What a skill needs, by kind, name and import, each once. */
export interface DependencyManifest {
  readonly dependencies: readonly Dependency[];
  readonly notes: readonly ScanNote[];
  /** How the skill says that programs are got; absent when it says nothing. */
  readonly ways?: readonly InstallWay[];
}

/** Something a reader of the manifest should know: what was not read, and what was not taken as a dependency. */
export interface ScanNote {
  readonly file: string;
  readonly message: string;
}

/** One place that names one dependency, before they are merged. */
export interface Sighting extends Place {
  readonly kind: DependencyKind;
  readonly name: string;
  readonly import: string;
  readonly optional: boolean;
  readonly declared: boolean;
}

/** A dependency as lists write it, and as the installer reads it: `pip:Pillow`, `npm:marked`, and bare for programs. */
export function formatNeed({ kind, name }: Pick<Dependency, "kind" | "name">): string {
  return kind === "pip" || kind === "npm" ? `${kind}:${name}` : name;
}
