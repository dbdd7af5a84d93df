import type { CallInput } from "../../api/client.ts";
import type { AgentView } from "./agent-view.ts";

/** The editable fields of an agent as form text. */
export interface AgentText {
  readonly displayName: string;
  readonly runtime: string;
  /** Undefined for all skills. */
  readonly allow: readonly string[] | undefined;
  readonly pins: Readonly<Record<string, number>>;
  readonly manifest: string;
}

export type AgentChange = NonNullable<CallInput<"PUT /v1/agents/{key}">["body"]>;

export function textOf({ key, displayName, runtime, allow, pins, manifest }: AgentView): AgentText {
  return {
    displayName: displayName === key ? "" : displayName,
    runtime,
    allow,
    pins,
    manifest: manifest ?? "",
  };
}

/** The request body: only the changed fields. */
export function changeOf(before: AgentText, after: AgentText, key: string): AgentChange {
  const { displayName, runtime, allow, pins, manifest } = after;
  return {
    ...(displayName.trim() === before.displayName ? {} : { displayName: displayName.trim() || key }),
    ...(runtime.trim() === before.runtime ? {} : { runtime: runtime.trim() }),
    ...(isSame(allow?.toSorted(), before.allow?.toSorted())
      ? {}
      : { allow: allow === undefined ? null : [...allow] }),
    ...(isSame(sorted(pins), sorted(before.pins)) ? {} : { pins: { ...pins } }),
    ...(manifest.trim() === before.manifest.trim()
      ? {}
      : { manifest: manifest.trim() === "" ? null : manifest }),
  };
}

function sorted(pins: AgentText["pins"]): readonly (readonly [string, number])[] {
  return Object.entries(pins).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
