import { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { sentenceOf } from "./event-sentence.ts";

const at = "2026-11-16T10:00:00.000Z";
const by = { user: "ann", role: "admin" };
// Only the fields that the sentences use.
const of = (event: object) => sentenceOf(event as SkillEvent);

test("describes an event with its actor [S-59]", () => {
  expect(of({ type: "skill.published", at, skill: "pdf", revision: 2, by })).toEqual({
    text: "published pdf r2",
    tone: "accent",
    who: "ann",
  });
  expect(of({ type: "session.opened", at, runtime: "demo", agent: "writer" }).who).toBe("writer");
  expect(
    of({ type: "skill.toggled", at, skill: "pdf", isEnabled: false, by: { ...by, agent: "bot" } }),
  ).toMatchObject({
    text: "turned pdf off",
    who: "bot",
  });
});

test("describes a failed run as failed [S-59]", () => {
  const run = { type: "skill.script_executed", at, skill: "pdf", target: "scripts/a.py", exitCode: 0 };
  expect(of({ ...run, outcome: "exited" })).toMatchObject({
    tone: "good",
    text: "ran scripts/a.py of pdf, exit 0",
  });
  expect(of({ ...run, outcome: "exited", exitCode: 3 }).tone).toBe("bad");
  expect(of({ ...run, outcome: "timed_out" })).toMatchObject({
    tone: "bad",
    text: "ran scripts/a.py of pdf: timed out",
  });
});

test("every type of event has a sentence [S-59]", () => {
  const lists = {
    outcome: "failed",
    missing: [],
    fields: [],
    revisions: [],
    results: [],
    rules: [],
    skills: [],
    approvers: [],
    by,
    grantee: { kind: "agent", key: "a" },
  };
  for (const { shape } of SkillEvent.options) {
    const [type] = shape.type.values;
    expect(of({ type, at, ...lists }).text).not.toBe("");
  }
});

test("an installation says how many items failed [S-59]", () => {
  const ok = { status: "ok" };
  const done = { type: "skill.deps_installed", at, skill: "pdf", by };
  expect(of({ ...done, results: [ok] }).text).toBe("installed 1 dependency for pdf");
  expect(of({ ...done, results: [ok, { status: "failed" }] })).toMatchObject({
    text: "could not install 1 of 2 dependencies for pdf",
    tone: "bad",
  });
});
