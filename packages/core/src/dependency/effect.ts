import { formatNeed } from "./dependency.ts";
import type { NeedCheck } from "./need.ts";

/** How a skill came to be here. */
export type EntryPath = "seed" | "upload" | "publish" | "folder";

/** What is said of a skill's dependencies. It stands beside the skill's status and hides nothing. */
export interface DependencyState {
  readonly state: "ok" | "missing" | "unknown";
  /** Without these it does not work: `pip:Pillow`, `npm:marked`, `jq`. */
  readonly missing: readonly string[];
  /** Whether these are there could not be found out. */
  readonly unknown: readonly string[];
  /** Sentences for whoever uses the skill. */
  readonly warnings: readonly string[];
  /** Set when the skill is to be archived, for this reason. */
  readonly archived?: "deps";
  /** Set when it cannot be made to work here. */
  readonly isUnsupported?: true;
}

export interface EffectOptions {
  readonly path: EntryPath;
  /** Whether anything can be installed where the skill is used. */
  readonly canInstall?: boolean;
}

/** What came of a check for a skill. That something is not known never counts against it. */
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
      ...warn(missing, canInstall ? "Missing" : "Missing, and nothing can be installed here"),
      ...warn(unknown, "Could not be checked"),
      ...warn(extra, "Optional and not there"),
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
  /** Why it is archived. */
  readonly reason?: string;
}

/**
 * The status after a check. Only what was archived for its dependencies comes back by itself, and only when they are
 * known to be there; what a person archived stays.
 */
export function settleStatus(current: Lifecycle, state: DependencyState): Lifecycle {
  if (current.status === "archived") {
    return current.reason === "deps" && state.state === "ok" ? { status: "active" } : current;
  }
  return state.archived === undefined ? current : { status: "archived", reason: state.archived };
}
