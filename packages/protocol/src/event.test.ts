import { expect, test } from "vitest";
import { SkillEvent } from "./event.ts";

const at = "2026-11-15T10:00:00.000Z";
const hash = `sha256:${"a".repeat(64)}`;
const bySession = { at, skill: "pdf", hash, session: "s1" };

test.each([
  { type: "session.opened", at, session: "s1", runtime: "demo", agent: "writer" },
  { type: "session.closed", at, session: "s1" },
  {
    type: "skill.discovered",
    at,
    skill: "pdf",
    skillHash: hash,
    source: "project",
    trust: "user",
    path: "/pdf",
  },
  { type: "skill.shadowed", at, skill: "pdf", source: "a", path: "/a", by: { source: "b", path: "/b" } },
  {
    type: "skill.activated",
    ...bySession,
    skillHash: hash,
    source: "project",
    trust: "user",
    invoker: "model",
    task: "t1",
  },
  { type: "skill.deactivated", ...bySession },
  { type: "skill.resource_read", ...bySession, path: "references/a.md", digest: hash, start: 0 },
  { type: "skill.script_executed", ...bySession, script: "scripts/a.py", exitCode: 0 },
  {
    type: "skill.denied",
    at,
    session: "s1",
    skill: "../etc",
    act: "activate",
    reason: "missing",
    message: "No.",
  },
])("$type is an event [S-62]", (event) => {
  expect(SkillEvent.parse(event)).toEqual(event);
});

test("an event without a tree hash, or with a made-up trust, is refused [S-62]", () => {
  const { hash: _, ...rest } = bySession;
  expect(SkillEvent.safeParse({ type: "skill.deactivated", ...rest }).success).toBe(false);
  const activated = { type: "skill.activated", ...bySession, skillHash: hash, source: "x", invoker: "model" };
  expect(SkillEvent.safeParse({ ...activated, trust: "root" }).success).toBe(false);
  expect(SkillEvent.safeParse({ ...activated, trust: "org" }).success).toBe(true);
});
