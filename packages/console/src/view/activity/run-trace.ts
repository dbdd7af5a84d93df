import type { SkillEvent } from "@skillhold/protocol";
import type { TraceNode } from "./trace-node.ts";
import type { Entry } from "./use-record.ts";

type RunNode = Pick<TraceNode, "kind" | "title" | "note" | "tone" | "started">;

/** The outcome of a run, from its entries. */
export function runTrace(group: readonly Entry[]): RunNode {
  const events = group.map(({ event }) => event);
  const target = events.flatMap((event) => ("target" in event ? [event.target] : []))[0];
  const allowed = events.find(({ type }) => type === "run.approved");
  const started = allowed === undefined ? undefined : Date.parse(allowed.at);
  return { kind: "run", title: target ?? "A run", started, ...outcomeOf(events) };
}

function outcomeOf(events: readonly SkillEvent[]): Pick<RunNode, "note" | "tone"> {
  for (const event of events.toReversed()) {
    if (event.type === "skill.script_executed") {
      const isGood = event.outcome === "exited" && event.exitCode === 0;
      const how = event.outcome === "exited" ? `exit ${event.exitCode}` : event.outcome.replaceAll("_", " ");
      return { note: `${how}, ${lasting(event.durationMs)}`, tone: isGood ? "good" : "bad" };
    }
    if (event.type === "skill.tool_called") {
      const isGood = event.outcome === "exited" && !event.isError;
      const how =
        event.outcome === "exited" ? (isGood ? "answered" : "error") : event.outcome.replaceAll("_", " ");
      return { note: `${how}, ${lasting(event.durationMs)}`, tone: isGood ? "good" : "bad" };
    }
    if (event.type === "skill.deps_installed") {
      const failed = event.results.filter(({ status }) => status === "failed").length;
      return {
        note: failed === 0 ? "installed" : `${failed} not installed`,
        tone: failed === 0 ? "good" : "bad",
      };
    }
    // The call ended, and its question may still be open.
    if (event.type === "skill.denied" && event.reason === "APPROVAL_PENDING")
      return { note: "not answered in time", tone: "warn" };
    if (event.type === "skill.denied") return { note: "refused", tone: "bad" };
    if (event.type === "approval.denied") return { note: "denied", tone: "bad" };
    if (event.type === "run.approved") return { note: "running or interrupted", tone: "warn" };
    if (event.type === "approval.asked") return { note: "awaiting approval", tone: "warn" };
  }
  return { note: "requested", tone: "info" };
}

/** How long something took, in the unit one would say it in. */
export function lasting(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1000);
  return minutes < 60 ? `${minutes} min ${seconds} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
