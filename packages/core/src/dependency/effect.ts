import { formatNeed } from "./dependency.ts";
import type { NeedCheck } from "./need.ts";

/** The way a skill was added. */
export type EntryPath = "seed" | "upload" | "publish" | "folder";

/** The dependency state of a skill. It does not affect visibility. */
export interface DependencyState {
  readonly state: "ok" | "missing" | "unknown";
  /** Missing dependencies: `pip:Pillow`, `npm:marked`, `jq`. */
  readonly missing: readonly string[];
  /** Dependencies whose state is unknown. */
  readonly unknown: readonly string[];
  /** Warnings for users of the skill. */
  readonly warnings: readonly string[];
  /** Set when the skill must be archived, with the reason. */
  readonly archived?: "deps";
  /** Set when the skill cannot work here. */
  readonly isUnsupported?: true;
}

export interface EffectOptions {
  readonly path: EntryPath;
  /** Whether packages can be installed here. */
  readonly canInstall?: boolean;
}

/** The result of a check. Unknown dependencies have no negative effect. */
export function dependencyState(checks: readonly NeedCheck[], options: EffectOptions): DependencyState {
  const { path, canInstall = true } = options;
  const needed = checks.filter(({ need }) => !need.optional);
  const missing = namesOf(needed, "missing");
  const unknown = namesOf(needed, "unknown");
  const extra = namesOf(
    checks.filter(({ need }) => need.optional),
    "missing",
  );
  const isArchived = missing.length > 0 && (path === "seed" || path === "upload");
  return {
    state: missing.length > 0 ? "missing" : unknown.length > 0 ? "unknown" : "ok",
    missing,
    unknown,
    warnings: [
      ...warn(missing, canInstall ? "Missing" : "Missing, and packages cannot be installed here"),
      ...warn(unknown, "Could not be checked"),
      ...warn(extra, "Optional and missing"),
    ],
    ...(isArchived ? { archived: "deps" } : {}),
    ...(missing.length > 0 && !canInstall ? { isUnsupported: true } : {}),
  };
}

function namesOf(checks: readonly NeedCheck[], answer: NeedCheck["answer"]): readonly string[] {
  const found = checks.filter((check) => check.answer === answer);
  return [...new Set(found.map(({ need }) => formatNeed(need)))];
}

function warn(names: readonly string[], what: string): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.join(", ")}.`];
}

export interface Lifecycle {
  readonly status: "active" | "archived";
  /** The archive reason. */
  readonly reason?: string;
}

/**
 * The status after a check. Only a skill that was archived for its dependencies is restored, once they are known to be
 * installed; a person's archive stays.
 */
export function settleStatus(current: Lifecycle, state: DependencyState): Lifecycle {
  if (current.status === "archived") {
    return current.reason === "deps" && state.state === "ok" ? { status: "active" } : current;
  }
  return state.archived === undefined ? current : { status: "archived", reason: state.archived };
}
