import type { SkillEvent } from "@skillhold/protocol";
import { lineOf } from "./event-line.ts";
import { runTrace } from "./run-trace.ts";
import type { TraceNode } from "./trace-node.ts";
import type { Entry } from "./use-record.ts";

export interface Trace {
  readonly opened: Extract<SkillEvent, { readonly type: "session.opened" }> | undefined;
  readonly closedAt: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly nodes: readonly TraceNode[];
}

type Group = [Entry, ...Entry[]];
interface Branch {
  readonly group: Group;
  readonly children: Branch[];
}

/** A session as a tree: the reads and runs of a skill are below its activation. */
export function traceOf(entries: readonly Entry[]): Trace {
  const roots: Branch[] = [];
  const loaded = new Map<string, Branch>();
  const runs = new Map<string, Branch>();
  for (const entry of entries) {
    const { event } = entry;
    if (event.type === "session.opened" || event.type === "session.closed") continue;
    const run = "run" in event ? event.run : undefined;
    const known = run === undefined ? undefined : runs.get(run);
    if (known !== undefined) {
      known.group.push(entry);
      continue;
    }
    const branch: Branch = { group: [entry], children: [] };
    const skill = "skill" in event ? event.skill : "";
    const isLoad = event.type === "skill.activated";
    const below = isLoad ? undefined : loaded.get(skill);
    (below?.children ?? roots).push(branch);
    if (isLoad) loaded.set(skill, branch);
    if (run !== undefined) runs.set(run, branch);
  }
  return { ...endsOf(entries), nodes: roots.map(nodeOf) };
}

function endsOf(entries: readonly Entry[]): Omit<Trace, "nodes"> {
  let opened: Trace["opened"];
  let closedAt: string | undefined;
  for (const { event } of entries) {
    if (event.type === "session.opened") opened ??= event;
    if (event.type === "session.closed") closedAt = event.at;
  }
  const times = entries.map(({ event }) => Date.parse(event.at));
  return { opened, closedAt, from: Math.min(...times), to: Math.max(...times) };
}

function nodeOf({ group, children }: Branch): TraceNode {
  const below = children.map(nodeOf);
  const [{ event }] = group;
  const from = Date.parse(event.at);
  const to = Math.max(
    from,
    ...group.map((each) => Date.parse(each.event.at)),
    ...below.map((node) => node.to),
  );
  const common = { entries: group, from, to, started: undefined, children: below };
  if ("run" in event && event.run !== undefined) return { ...common, ...runTrace(group) };
  const { text, tone } = lineOf(event, new Map());
  switch (event.type) {
    case "skill.activated": {
      const revision = event.revision === undefined ? "" : `r${event.revision}`;
      return { ...common, kind: "skill", title: event.skill, note: revision, tone: "accent" };
    }
    case "skill.resource_read":
      return { ...common, kind: "read", title: event.path, note: bytesRead(event.length), tone: "neutral" };
    case "skill.denied":
      return { ...common, kind: "refusal", title: text, note: "", tone: "bad" };
    default:
      return { ...common, kind: "note", title: text, note: "", tone };
  }
}

function bytesRead(length: number | undefined): string {
  return length === undefined ? "" : `${length.toLocaleString("en")} bytes`;
}
