import { expect, test } from "vitest";
import { entry as makeEntry } from "../catalogue/entry.fixture.ts";
import { decideAccess, type SkillDecision } from "./access.ts";
import type { GrantFacts, Ownership } from "./ownership.ts";
import { withAgentRecord } from "./viewer.ts";

const entry: typeof makeEntry = (id, fields) => makeEntry(id, { runtime: ["*"], ...fields });
const viewer = { runtime: "test" };
const active: SkillDecision = { isEnabled: true, status: "active", reason: undefined };

test.each([
  [true, "active", undefined, "visible"],
  [true, "archived", "deps", "visible"],
  [true, "archived", "out of date", "archived"],
  [true, "archived", undefined, "archived"],
  [true, "deleted", undefined, "archived"],
  [true, "deleted", "deps", "archived"],
  [false, "active", undefined, "disabled"],
  [false, "archived", "deps", "disabled"],
  [false, "archived", "out of date", "disabled"],
] as const)("enabled %j and %s for the reason %j is %s [S-44]", (isEnabled, status, reason, expected) => {
  const access = decideAccess(entry("a"), viewer, {}, { isEnabled, status, reason });
  expect(access).toMatchObject({ reason: expected, isVisible: expected === "visible" });
});

test("shows a skill with missing dependencies with a warning, and an active one without [S-38]", () => {
  const lacking = entry("a", { readiness: { state: "missing-deps", reasons: ["pip:x is missing"] } });
  const standing = { ...active, status: "archived", reason: "deps" } as const;
  const warnings = ["pip:x is missing", "The skill is archived until its dependencies are installed."];
  expect(decideAccess(lacking, viewer, {}, standing).warnings).toEqual(warnings);
  expect(decideAccess(entry("a"), viewer, {}, active).warnings).toEqual([]);
});

test("the explanation has the reason for archiving [S-43]", () => {
  const standing = { ...active, status: "archived", reason: "out of date" } as const;
  expect(decideAccess(entry("a"), viewer, {}, standing).message).toBe("The skill is archived: out of date.");
});

test("a viewer's allow list comes first and hides every other skill [S-43]", () => {
  const standing = { ...active, isEnabled: false };
  expect(decideAccess(entry("a"), { runtime: "test", allow: ["b"] }, {}, standing).reason).toBe(
    "not-allowed",
  );
});

const grantTo = (kind: "agent" | "user", key: string, pin?: number): GrantFacts => ({
  grantee: { kind, key },
  pin,
});
const owned = (fields: Partial<Ownership> = {}): SkillDecision => ({
  ...active,
  ownership: {
    owner: "ada",
    visibility: "internal",
    isSystem: false,
    grants: [],
    isPinned: false,
    revision: (number) => (number < 9 ? entry("a", { revision: number }) : undefined),
    ...fields,
  },
});

test.each([
  [{}, 5],
  [{ grants: [grantTo("user", "bob", 1)] }, 1],
  [{ grants: [grantTo("agent", "helper", 2), grantTo("user", "bob", 1)] }, 2],
  [{ grants: [grantTo("agent", "helper"), grantTo("user", "bob", 1)] }, 1],
  [{ grants: [grantTo("user", "helper", 1), grantTo("agent", "bob", 2)] }, 5],
] as const)(
  "with %j a viewer gets revision %i, and its own pin does not exceed a grant's [S-43]",
  (fields, expected) => {
    const current = entry("a", { revision: 5 });
    const standing = owned({ visibility: "public", ...fields });
    const asker = { ...viewer, agent: "helper", user: "bob" };
    expect(decideAccess(current, asker, {}, standing).entry.revision).toBe(expected);
    const pinned = decideAccess(current, { ...asker, pins: { a: 3 } }, {}, standing);
    expect(pinned.entry.revision).toBe(expected === 5 ? 3 : expected);
  },
);

test("a viewer's own pin limits it to existing revisions [S-43]", () => {
  const current = entry("a", { revision: 5 });
  const standing = owned({ visibility: "public" });
  expect(decideAccess(current, { ...viewer, pins: { a: 5 } }, {}, standing).entry).toBe(current);
  expect(decideAccess(current, { ...viewer, pins: { a: 9 } }, {}, standing).reason).toBe("pin");
});

test("a viewer with a pin does not get a skill in a folder, which has no revisions [S-43]", () => {
  expect(decideAccess(entry("a"), { ...viewer, pins: { a: 1 } })).toMatchObject({ reason: "pin" });
  expect(decideAccess(entry("constructor"), { ...viewer, pins: {} })).toMatchObject({ reason: "visible" });
});

test("checks rights after the switch and before the skill's state [S-43]", () => {
  const other = entry("a", { runtime: ["other"], revision: 1 });
  expect(decideAccess(other, viewer, {}, owned()).reason).toBe("no-grant");
  expect(decideAccess(other, viewer, {}, { ...owned(), isEnabled: false }).reason).toBe("disabled");
  expect(decideAccess(other, { ...viewer, user: "ada" }, {}, owned()).reason).toBe("runtime");
  expect(decideAccess(entry("a"), viewer, {}, owned({ isSystem: true }))).toMatchObject({ rule: "system" });
});

test("an agent's record limits an existing viewer and never widens it [S-65]", () => {
  const before = { ...viewer, agent: "helper", allow: ["a", "b"], pins: { a: 1 } };
  const record = { allow: ["b", "c"], pins: { b: 2 }, isRemoved: false };
  expect(withAgentRecord(before, undefined)).toBe(before);
  expect(withAgentRecord(before, record)).toMatchObject({ allow: ["b"], pins: { b: 2 } });
  expect(withAgentRecord(before, { ...record, allow: undefined }).allow).toEqual(["a", "b"]);
  expect(withAgentRecord(before, { ...record, isRemoved: true }).allow).toEqual([]);
});
