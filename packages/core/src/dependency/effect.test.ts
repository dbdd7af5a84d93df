import { need } from "@skillhold/deps/test/environment/environment.fixture";
import { expect, test } from "vitest";
import { dependencyState, type EntryPath, settleStatus } from "./effect.ts";
import type { NeedCheck } from "./need.ts";

const check = (name: string, answer: NeedCheck["answer"], optional = false): NeedCheck => ({
  need: need(name.startsWith("npm-") ? "npm" : "pip", name, name, optional),
  answer,
});

test("a skill with all required dependencies is ok, even without optional ones [S-38]", () => {
  const state = dependencyState([check("a", "ok"), check("npm-b", "missing", true)], { path: "upload" });
  expect(state).toEqual({
    state: "ok",
    missing: [],
    unknown: [],
    warnings: ["Optional and missing: npm:npm-b."],
  });
});

test.each<[EntryPath, "deps" | undefined]>([
  ["seed", "deps"],
  ["upload", "deps"],
  ["publish", undefined],
  ["folder", undefined],
])("a missing dependency of kind %s archives a skill: %s [S-38]", (path, archived) => {
  const checks = [
    check("a", "missing"),
    check("npm-b", "missing"),
    check("c", "unknown"),
    check("a", "missing"),
  ];
  const state = dependencyState(checks, { path });
  expect(state).toMatchObject({ state: "missing", missing: ["pip:a", "npm:npm-b"], unknown: ["pip:c"] });
  expect(state.warnings).toEqual(["Missing: pip:a, npm:npm-b.", "Could not be checked: pip:c."]);
  expect(state.archived).toBe(archived);
});

test("unknown results archive nothing [S-38]", () => {
  const state = dependencyState([check("a", "unknown")], { path: "seed" });
  expect(state).toEqual({
    state: "unknown",
    missing: [],
    unknown: ["pip:a"],
    warnings: ["Could not be checked: pip:a."],
  });
});

test("marks a skill with missing dependencies as unsupported when packages cannot be installed [S-38]", () => {
  const missing = dependencyState([check("a", "missing")], { path: "folder", canInstall: false });
  expect(missing).toMatchObject({
    isUnsupported: true,
    warnings: [expect.stringContaining("cannot be installed")],
  });
  expect(
    dependencyState([check("a", "ok")], { path: "folder", canInstall: false }).isUnsupported,
  ).toBeUndefined();
});

test("only a skill archived for its dependencies is restored automatically [S-38]", () => {
  const ok = dependencyState([check("a", "ok")], { path: "upload" });
  const unknown = dependencyState([check("a", "unknown")], { path: "upload" });
  const missing = dependencyState([check("a", "missing")], { path: "upload" });
  const byDeps = { status: "archived", reason: "deps" } as const;
  const byPerson = { status: "archived", reason: "person" } as const;
  const active = { status: "active" } as const;
  expect(settleStatus(byDeps, ok)).toEqual(active);
  expect(settleStatus(byDeps, unknown)).toEqual(byDeps);
  expect(settleStatus(byDeps, missing)).toEqual(byDeps);
  expect(settleStatus(byPerson, ok)).toEqual(byPerson);
  expect(settleStatus(active, ok)).toEqual(active);
  expect(settleStatus(active, unknown)).toEqual(active);
  expect(settleStatus(active, missing)).toEqual(byDeps);
  expect(settleStatus(active, dependencyState([check("a", "missing")], { path: "publish" }))).toEqual(active);
});
