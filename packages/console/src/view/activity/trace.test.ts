import type { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { lasting } from "./run-trace.ts";
import { traceOf } from "./trace.ts";
import type { TraceNode } from "./trace-node.ts";

let seq = 0;
// Only the fields that a trace uses.
const entry = (type: string, second: number, fields: object = {}) => {
  seq += 1;
  const at = `2026-11-16T10:00:${String(second).padStart(2, "0")}.000Z`;
  return { seq, event: { type, at, session: "s", ...fields } as SkillEvent };
};
const about = (node: TraceNode) => [node.kind, node.title, node.note];
const run = { skill: "pdf", run: "1", target: "scripts/a.sh" };
const opened = entry("session.opened", 0, { runtime: "demo", agent: "writer" });
const loaded = entry("skill.activated", 1, { skill: "pdf", revision: 2 });

test("reads and runs of a skill are below its activation, each run once [S-59]", () => {
  const { nodes, from, to, closedAt } = traceOf([
    opened,
    loaded,
    entry("skill.resource_read", 2, { skill: "pdf", path: "a.md", length: 1200 }),
    entry("run.requested", 3, run),
    entry("approval.asked", 3, run),
    entry("run.approved", 5, { ...run, rule: "ask" }),
    entry("skill.script_executed", 8, { ...run, outcome: "exited", exitCode: 0, durationMs: 3000 }),
    entry("skill.denied", 9, { skill: "other", act: "activate", message: "The skill does not exist." }),
    entry("session.closed", 20),
  ]);
  expect(nodes.map(about)).toEqual([
    ["skill", "pdf", "r2"],
    ["refusal", expect.stringContaining("other"), ""],
  ]);
  const [skill] = nodes;
  expect(skill?.children.map(about)).toEqual([
    ["read", "a.md", "1,200 bytes"],
    ["run", "scripts/a.sh", "exit 0, 3.0 s"],
  ]);
  const ran = skill?.children[1];
  expect([ran?.from, ran?.started, ran?.to].map((time) => (time ?? 0) - from)).toEqual([3000, 5000, 8000]);
  expect(skill?.to).toBe(ran?.to);
  expect([to - from, closedAt]).toEqual([20_000, "2026-11-16T10:00:20.000Z"]);
});

test("marks a run that was denied or has no recorded end [S-59]", () => {
  const noteOf = (...entries: ReturnType<typeof entry>[]) => traceOf(entries).nodes[0]?.note;
  const asked = [entry("run.requested", 1, run), entry("approval.asked", 1, run)];
  expect(noteOf(...asked)).toBe("awaiting approval");
  expect(noteOf(...asked, entry("skill.denied", 2, { ...run, act: "run_script" }))).toBe("refused");
  const pending = entry("skill.denied", 2, { ...run, act: "run_script", reason: "APPROVAL_PENDING" });
  expect(noteOf(...asked, pending)).toBe("not answered in time");
  expect(noteOf(...asked, entry("run.approved", 2, run))).toContain("interrupted");
});

test("shows times in a readable unit [S-59]", () => {
  expect([5, 1500, 61_000, 3_720_000].map(lasting)).toEqual(["5 ms", "1.5 s", "1 min 1 s", "1 h 2 min"]);
});
