import { runTrace } from "./run-trace.ts";
import type { TraceNode } from "./trace-node.ts";
import type { Entry } from "./use-record.ts";

/** A row of the record: one event, or all events of one run. */
export interface RecordRow {
  /** The newest entry, which places the row. */
  readonly entry: Entry;
  readonly run: RunSummary | undefined;
}

export interface RunSummary extends Pick<TraceNode, "title" | "note" | "tone"> {
  readonly id: string;
  readonly skill: string | undefined;
  readonly act: "run" | "install";
  /** Whether the run was allowed to start. */
  readonly hasStarted: boolean;
  /** The oldest first. */
  readonly entries: readonly Entry[];
}

/** Joins the events of each run. Contract: newest first; the result is ordered by the newest event of each row. */
export function rowsOf(entries: readonly Entry[]): readonly RecordRow[] {
  const runs = runsByQuestion(entries);
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = runOf(entry, runs) ?? `event ${entry.seq}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return [...groups].flatMap(([id, group]) => {
    const [entry] = group;
    if (entry === undefined) return [];
    return [{ entry, run: group.length === 1 ? undefined : summaryOf(id, group.toReversed()) }];
  });
}

/** An answer names only its question. */
function runsByQuestion(entries: readonly Entry[]): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap(({ event }) =>
      event.type === "approval.asked" || event.type === "approval.used" ? [[event.question, event.run]] : [],
    ),
  );
}

function runOf({ event }: Entry, runs: ReadonlyMap<string, string>): string | undefined {
  if (event.type === "approval.answered") return runs.get(event.question);
  return "run" in event ? event.run : undefined;
}

function summaryOf(id: string, entries: readonly Entry[]): RunSummary {
  const { title, note, tone, started } = runTrace(entries);
  const skill = entries.flatMap(({ event }) => ("skill" in event ? [event.skill] : []))[0];
  const isInstall = entries.some(({ event }) => event.type === "skill.deps_installed");
  return {
    id,
    title,
    note,
    tone,
    skill,
    act: isInstall ? "install" : "run",
    hasStarted: started !== undefined,
    entries,
  };
}
