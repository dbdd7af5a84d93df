import type { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { rowsOf } from "./run-row.ts";

const at = "2026-11-16T10:00:00.000Z";
// Only the fields that the rows use.
const entry = (seq: number, fields: object) => ({
  seq,
  event: { at, skill: "pdf", ...fields } as SkillEvent,
});

test("the events of a run are one row, with the answer to its question [S-59]", () => {
  const rows = rowsOf([
    entry(7, { type: "skill.published", skill: "docx" }),
    entry(6, {
      type: "skill.script_executed",
      run: "r1",
      target: "a.py",
      outcome: "exited",
      exitCode: 0,
      durationMs: 5,
    }),
    entry(5, { type: "run.approved", run: "r1", target: "a.py" }),
    entry(4, { type: "skill.activated" }),
    entry(3, { type: "approval.answered", skill: undefined, question: "q1", answer: "approve" }),
    entry(2, { type: "approval.asked", run: "r1", target: "a.py", question: "q1" }),
    entry(1, { type: "run.requested", run: "r1", target: "a.py" }),
  ]);
  expect(rows.map((row) => [row.entry.seq, row.run?.entries.map(({ seq }) => seq)])).toEqual([
    [7, undefined],
    [6, [1, 2, 3, 5, 6]],
    [4, undefined],
  ]);
  expect(rows[1]?.run).toMatchObject({ title: "a.py", skill: "pdf", note: "exit 0, 5 ms", tone: "good" });
});

test("a run with one loaded event and an answer without its question stay events [S-59]", () => {
  const rows = rowsOf([
    entry(2, { type: "approval.answered", question: "q1", answer: "deny" }),
    entry(1, { type: "run.requested", run: "r1", target: "a.py" }),
  ]);
  expect(rows.map(({ run }) => run)).toEqual([undefined, undefined]);
});
