import { expect, test } from "vitest";
import { SkillEvent } from "./event.ts";

const at = "2026-11-15T10:00:00.000Z";
const hash = `sha256:${"a".repeat(64)}`;
const bySession = { at, skill: "pdf", hash, session: "s1" };
const reach = {
  network: "none",
  mounts: [{ source: "/data", target: "/mnt/data", isWritable: false }],
  secrets: ["API_KEY"],
  sandbox: "bubblewrap",
};
const byRun = { ...bySession, run: "r1", target: "scripts/a.py" };
const admin = { user: "ada", role: "admin" };
const asked = {
  type: "approval.asked",
  ...byRun,
  ...reach,
  question: "q1",
  act: "run_script",
  trust: "user",
  origin: "docs skill://pdf",
  args: ["--fast"],
  stdin: { bytes: 3, digest: hash },
  rule: "user-asks",
  reason: "A skill of the user's asks first.",
  reasons: ["A skill of the user's asks first."],
  expiresAt: at,
};
const issued = {
  type: "token.issued",
  at,
  by: admin,
  token: "t1",
  kind: "api",
  role: "agent",
  user: "ada",
  agent: "writer",
  expiresAt: at,
};

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
  {
    type: "run.requested",
    ...byRun,
    trust: "user",
    args: ["a.pdf"],
    ...reach,
    stdin: { bytes: 3, digest: hash },
  },
  { type: "run.approved", ...byRun, rule: "user-run", by: "ada", approval: "a1" },
  {
    type: "skill.script_executed",
    ...byRun,
    exitCode: 0,
    outcome: "exited",
    durationMs: 12,
    outputBytes: 3,
    files: 1,
    sandbox: "bubblewrap",
    enforced: { memory: "run" },
  },
  {
    type: "skill.tool_called",
    ...byRun,
    isError: false,
    outcome: "exited",
    durationMs: 3,
    sandbox: "bubblewrap",
  },
  {
    type: "skill.deps_installed",
    ...bySession,
    run: "r1",
    scope: "skill",
    results: [
      { spec: "npm:one", status: "ok", message: "" },
      { spec: "npm:two", status: "failed", message: "npm:two: 404 Not Found" },
    ],
    environment: "0123abcd",
  },
  { type: "skill.deps_installed", ...bySession, run: "r1", scope: "global", results: [] },
  {
    type: "approval.granted",
    ...bySession,
    ...reach,
    run: "r1",
    approval: "a1",
    act: "run_script",
    target: "scripts/a.py",
    scope: "content",
    by: "ada",
    expiresAt: at,
  },
  {
    type: "approval.denied",
    ...bySession,
    ...reach,
    run: "r1",
    act: "call_tool",
    target: "merge",
    by: "ada",
  },
  {
    type: "skill.denied",
    at,
    session: "s1",
    skill: "../etc",
    act: "activate",
    reason: "missing",
    message: "No.",
  },
  {
    type: "skill.served",
    at,
    skill: "pdf",
    hash,
    revision: 2,
    path: "a.md",
    digest: hash,
    bytes: 3,
    by: admin,
  },
  {
    type: "skill.served",
    at,
    skill: "pdf",
    hash,
    digest: hash,
    bytes: 3,
    by: { user: "bob", role: "viewer" },
  },
  asked,
  { type: "approval.answered", at, question: "q1", answer: "approve", scope: "once", by: admin },
  { type: "approval.answered", at, question: "q1", answer: "withdrawn", by: admin },
  { type: "approval.revoked", at, by: admin, approval: "a1", skill: "pdf", target: "scripts/a.py" },
  { type: "secret.set", at, by: admin, skill: "pdf", name: "PDF_KEY" },
  { type: "secret.removed", at, by: admin, skill: "pdf", name: "PDF_KEY", agent: "writer" },
  issued,
  { type: "token.revoked", at, by: admin, token: "t1" },
  {
    type: "grant.requested",
    at,
    by: admin,
    skill: "pdf",
    grantee: { kind: "agent", key: "writer" },
    canManage: false,
  },
  { type: "grant.declined", at, by: admin, skill: "pdf", grantee: { kind: "agent", key: "writer" } },
  {
    type: "proposal.created",
    at,
    by: admin,
    skill: "pdf",
    proposal: "p1",
    hash: bySession.hash,
    state: "pending",
    kind: "create",
  },
  { type: "audit.key_changed", at, by: admin, key: `ed25519:${"A".repeat(43)}=`, change: "added" },
  { type: "audit.pruned", at, by: admin, before: at, count: 3, ranges: [{ first: 1, last: 3 }] },
])("$type is a valid event [S-62]", (event) => {
  expect(SkillEvent.parse(event)).toEqual(event);
});

test("an installation event accepts only known scopes and outcomes [S-36] [S-62]", () => {
  const installed = { type: "skill.deps_installed", ...bySession, run: "r1", scope: "skill", results: [] };
  const result = { spec: "npm:one", status: "perhaps", message: "" };
  expect(SkillEvent.safeParse(installed).success).toBe(true);
  expect(SkillEvent.safeParse({ ...installed, scope: "machine" }).success).toBe(false);
  expect(SkillEvent.safeParse({ ...installed, results: [result] }).success).toBe(false);
});

test("rejects an event without a tree hash or with an unknown trust level [S-62]", () => {
  const { hash: _, ...rest } = bySession;
  expect(SkillEvent.safeParse({ type: "skill.deactivated", ...rest }).success).toBe(false);
  const activated = { type: "skill.activated", ...bySession, skillHash: hash, source: "x", invoker: "model" };
  expect(SkillEvent.safeParse({ ...activated, trust: "root" }).success).toBe(false);
  expect(SkillEvent.safeParse({ ...activated, trust: "org" }).success).toBe(true);
});

test("a token event accepts only known kinds and roles, and no secret [S-53] [S-62]", () => {
  expect(SkillEvent.safeParse({ ...issued, kind: "cookie" }).success).toBe(false);
  expect(SkillEvent.safeParse({ ...issued, role: "system" }).success).toBe(false);
  const secret = { secret: "skh_x", hash: "f".repeat(64) };
  expect(SkillEvent.parse({ ...issued, ...secret })).toEqual(issued);
});

test("a question is approved, denied or withdrawn [S-28] [S-62]", () => {
  const answered = { type: "approval.answered", at, question: "q1", by: admin };
  expect(SkillEvent.safeParse({ ...answered, answer: "deny" }).success).toBe(true);
  expect(SkillEvent.safeParse({ ...answered, answer: "perhaps" }).success).toBe(false);
  expect(SkillEvent.safeParse({ ...answered, answer: "approve", scope: "always" }).success).toBe(false);
  expect(SkillEvent.safeParse({ ...asked, act: "delete" }).success).toBe(false);
});
