import { expect, test } from "vitest";
import { warningsOf } from "./warning.ts";

type Warned = Parameters<typeof warningsOf>[0];

// Only the fields that the warnings read.
const skill = (parts: object) =>
  ({
    entry: { readiness: { state: "ready", reasons: [] }, diagnostics: [] },
    registry: { status: "active", missing: [] },
    access: { isVisible: true, message: "The skill is public.", warnings: [] },
    ...parts,
  }) as unknown as Warned;

test("a healthy skill has no warnings [S-59]", () => {
  expect(warningsOf(skill({}))).toEqual([]);
});

test("names missing items once, with the next step [S-59]", () => {
  const registry = { status: "archived", reason: "deps", missing: ["pip:pypdf"] };
  const access = { isVisible: true, message: "", warnings: ["pip:pypdf is missing"] };
  const readiness = { state: "missing-deps", reasons: ["pip:pypdf is missing"] };
  const entry = { readiness, diagnostics: [] };
  expect(warningsOf(skill({ registry, access, entry }))).toEqual([
    { text: "Missing on this machine: pip:pypdf.", tab: "dependencies" },
  ]);
});

test("counts findings by severity [S-59]", () => {
  const diagnostics = [
    { severity: "error" },
    { severity: "warning" },
    { severity: "warning" },
    { severity: "info" },
  ];
  const entry = { readiness: { state: "ready", reasons: [] }, diagnostics };
  expect(warningsOf(skill({ entry }))).toEqual([
    { text: "Its SKILL.md has 1 error and 2 warnings.", tab: "validation" },
  ]);
});

test("a folder skill has no link to an access tab [S-59]", () => {
  const access = { isVisible: false, message: "The skill is disabled.", warnings: [] };
  expect(warningsOf(skill({ access, registry: undefined }))).toEqual([{ text: "The skill is disabled." }]);
});
