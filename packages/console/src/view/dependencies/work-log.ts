import type { DependencyEvent } from "@skillhold/protocol/http";
import type { Tone } from "../../ui/badge.tsx";

/** A line of what goes on while someone looks. */
export interface LogLine {
  readonly key: number;
  readonly at: string;
  readonly text: string;
  readonly tone: Tone;
}

const MOST = 200;

/** The log with one more line, the newest first, and the oldest forgotten. */
export function withEvent(log: readonly LogLine[], event: DependencyEvent, at: string): readonly LogLine[] {
  const [text, tone] = wordsOf(event);
  const key = (log[0]?.key ?? 0) + 1;
  return [{ key, at, text, tone }, ...log.slice(0, MOST - 1)];
}

function wordsOf(event: DependencyEvent): readonly [string, Tone] {
  switch (event.type) {
    case "skill.deps.checking":
      return [`${event.slug}: checking dependencies`, "neutral"];
    case "skill.deps.checked":
      return event.ok
        ? [`${event.slug}: nothing missing`, "good"]
        : [`${event.slug}: ${event.missing.join(", ")} missing`, "warn"];
    case "skill.deps.installing":
      return [`Installing ${event.deps.join(", ")}`, "info"];
    case "skill.deps.installed":
      return endWords(event);
    case "skill.dep.item.installing":
      return [`${event.slug}: installing ${event.dep}`, "info"];
    case "skill.dep.item.installed":
      return event.ok
        ? [`${event.slug}: ${event.dep} installed`, "good"]
        : [`${event.slug}: ${event.dep} failed. ${event.error ?? ""}`.trim(), "bad"];
  }
}

function endWords({
  system,
  pip,
  npm,
  errors,
}: Extract<DependencyEvent, { type: "skill.deps.installed" }>): readonly [string, Tone] {
  const done = system.length + pip.length + npm.length;
  return errors.length === 0
    ? [`Done: ${done} installed`, "good"]
    : [`Done: ${done} installed, ${errors.length} failed`, "bad"];
}
