import type { InstallWay } from "./install-way.ts";

export type DependencyKind = "pip" | "npm" | "system" | "runtime";

/** A dependency outside the bundle, named by a skill's code or manifests. */
export interface Dependency {
  readonly kind: DependencyKind;
  /** The install name: the distribution, package or command. */
  readonly name: string;
  /** The import name: the top-level module, package or command. */
  readonly import: string;
  /** Whether every use is optional. */
  readonly optional: boolean;
  /** Whether a manifest or the frontmatter declares it. */
  readonly declared: boolean;
  readonly seen: readonly Place[];
}

export interface Place {
  readonly file: string;
  /** One-based. */
  readonly line: number;
}

/** The dependencies of a skill, unique by kind, name and import. */
export interface DependencyManifest {
  readonly dependencies: readonly Dependency[];
  readonly notes: readonly ScanNote[];
  /** The install steps of the skill, if any. */
  readonly ways?: readonly InstallWay[];
}

/** A note on the manifest: an unread file, or a name that is not a dependency. */
export interface ScanNote {
  readonly file: string;
  readonly message: string;
}

/** One mention of one dependency, before merging. */
export interface Sighting extends Place {
  readonly kind: DependencyKind;
  readonly name: string;
  readonly import: string;
  readonly optional: boolean;
  readonly declared: boolean;
}

/** A dependency in list and installer notation: `pip:Pillow`, `npm:marked`, or a bare program name. */
export function formatNeed({ kind, name }: Pick<Dependency, "kind" | "name">): string {
  return kind === "pip" || kind === "npm" ? `${kind}:${name}` : name;
}
