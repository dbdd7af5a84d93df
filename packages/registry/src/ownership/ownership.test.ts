import type { Actor } from "@skillhold/protocol";
import { expect, test } from "vitest";
import type { Grant } from "../record/grant.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import { isManager, oversees } from "./ownership.ts";

/** The decision reads only these fields. */
const skillOf = (isSystem: boolean) => ({ uid: "u", id: "demo", owner: "ada", isSystem }) as RegisteredSkill;

const grantTo = (kind: "agent" | "user", key: string, canManage: boolean): Grant => ({
  skill: "u",
  grantee: { kind, key },
  canManage,
  pin: undefined,
  grantedBy: "ada",
  at: "2026-01-01T00:00:00.000Z",
});
const grants = [
  grantTo("user", "bob", true),
  grantTo("user", "eve", false),
  grantTo("agent", "helper", true),
  grantTo("agent", "mia", true),
];

const rows: readonly (readonly [string, Actor, isManaging: boolean, isOverseeing: boolean])[] = [
  ["the owner", { user: "ada", role: "publisher" }, true, true],
  ["the owner as a viewer", { user: "ada", role: "viewer" }, false, false],
  ["a user with manage rights", { user: "bob", role: "publisher" }, true, true],
  ["a user with manage rights as a viewer", { user: "bob", role: "viewer" }, false, false],
  ["a user with a grant", { user: "eve", role: "publisher" }, false, false],
  ["a user with the name of an agent", { user: "mia", role: "publisher" }, false, false],
  ["another user", { user: "joe", role: "publisher" }, false, false],
  ["an administrator", { user: "root", role: "admin" }, true, true],
  ["the system", { user: "system", role: "system" }, true, true],
  ["an agent of the owner", { user: "ada", role: "publisher", agent: "helper" }, true, false],
  ["an agent of an administrator", { user: "root", role: "admin", agent: "helper" }, true, false],
  ["a token of an agent", { user: "ada", role: "agent", agent: "helper" }, true, false],
];

test.each(rows)("%s manages and oversees a skill or does not [S-43]", (_, by, isManaging, isOverseeing) => {
  expect(isManager(skillOf(false), grants, by)).toBe(isManaging);
  expect(oversees(skillOf(false), grants, by)).toBe(isOverseeing);
});

test.each(rows)("%s oversees a system skill only as an administrator [S-43]", (_, by) => {
  const isPerson = by.agent === undefined;
  expect(isManager(skillOf(true), grants, by)).toBe(by.role === "system");
  expect(oversees(skillOf(true), grants, by)).toBe(isPerson && (by.role === "admin" || by.role === "system"));
});
