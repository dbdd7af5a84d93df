import type { Tone } from "../../ui/badge.tsx";
import type { Entry } from "./use-record.ts";

/** One action in a session, with the actions that depend on it. */
export interface TraceNode {
  readonly kind: "skill" | "read" | "run" | "refusal" | "note";
  /** The entries that record the action, in order. */
  readonly entries: readonly [Entry, ...Entry[]];
  readonly title: string;
  readonly note: string;
  readonly tone: Tone;
  readonly from: number;
  /** When it was let run, of what had to be. */
  readonly started: number | undefined;
  readonly to: number;
  readonly children: readonly TraceNode[];
}
