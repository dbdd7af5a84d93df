import type { DependencyEvent } from "@skillhold/protocol/http";

/** The state of a running or finished install. */
export type InstallState =
  | { readonly state: "running" }
  | { readonly state: "ok" }
  | { readonly state: "failed"; readonly error: string };

export type InstallStates = ReadonlyMap<string, InstallState>;

/** The states after an event; unchanged when the event is about another skill. */
export function after(states: InstallStates, event: DependencyEvent, skill: string): InstallStates {
  if (event.type === "skill.dep.item.installing" && event.slug === skill)
    return new Map(states).set(event.dep, { state: "running" });
  if (event.type === "skill.dep.item.installed" && event.slug === skill) {
    const failed = { state: "failed", error: event.error ?? "Could not be installed." } as const;
    return new Map(states).set(event.dep, event.ok ? { state: "ok" } : failed);
  }
  return states;
}

export interface InstallResult {
  readonly spec: string;
  readonly status: "ok" | "failed" | "manual" | "skipped";
  readonly message: string;
}

/** The states after the answer to an install request, which corrects for missed events. */
export function settled(states: InstallStates, results: readonly InstallResult[]): InstallStates {
  const next = new Map(states);
  for (const { spec, status, message } of results) {
    const isThere = status === "ok" || status === "skipped";
    next.set(spec, isThere ? { state: "ok" } : { state: "failed", error: message });
  }
  // What still runs now was never begun, or its end was missed.
  for (const [spec, { state }] of next) if (state === "running") next.delete(spec);
  return next;
}
