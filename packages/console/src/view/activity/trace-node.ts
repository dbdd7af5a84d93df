import type { Tone } from "../../ui/badge.tsx";
import type { Entry } from "./use-record.ts";

/** One thing that was done in a session, with what was done on top of it. */
export interface TraceNode {
  readonly kind: "skill" | "read" | "run" | "refusal" | "note";
  /** The entries that tell of it, in order. */
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
