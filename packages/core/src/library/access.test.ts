import { expect, test } from "vitest";
import { entry as makeEntry } from "../catalogue/entry.fixture.ts";
import { decideAccess, type Standing } from "./access.ts";

const entry: typeof makeEntry = (id, fields) => makeEntry(id, { runtime: ["*"], ...fields });
const viewer = { runtime: "test" };
const active: Standing = { isEnabled: true, status: "active", reason: undefined };

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

test("a skill that waits for its dependencies is shown with a warning, and an active one without [S-38]", () => {
  const lacking = entry("a", { readiness: { state: "missing-deps", reasons: ["pip:x is missing"] } });
  const standing = { ...active, status: "archived", reason: "deps" } as const;
  const warnings = ["pip:x is missing", "It is archived until its dependencies are there."];
  expect(decideAccess(lacking, viewer, {}, standing).warnings).toEqual(warnings);
  expect(decideAccess(entry("a"), viewer, {}, active).warnings).toEqual([]);
});

test("why someone archived a skill is in the explanation [S-43]", () => {
  const standing = { ...active, status: "archived", reason: "out of date" } as const;
  expect(decideAccess(entry("a"), viewer, {}, standing).message).toBe("It is archived: out of date.");
});

test("a viewer's own list comes first: it learns nothing of a skill beyond it [S-43]", () => {
  const standing = { ...active, isEnabled: false };
  expect(decideAccess(entry("a"), { runtime: "test", allow: ["b"] }, {}, standing).reason).toBe(
    "not-allowed",
  );
});
