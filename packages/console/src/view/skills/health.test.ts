import type { SkillRow } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { type Health, healthTable } from "./health.ts";

// Only the fields that the cards read.
const row = (registry: object, state = "ready") =>
  ({ entry: { readiness: { state } }, access: { warnings: [] }, registry }) as unknown as SkillRow;
const active = { enabled: true, status: "active", missing: [] };
const healthOf = (each: SkillRow) =>
  // The names are those of the table.
  (Object.keys(healthTable) as Health[]).filter((health) => healthTable[health].fits(each));

test("a skill archived for its dependencies needs attention, and one archived by a person does not [S-59]", () => {
  const lacking = { ...active, status: "archived", reason: "deps", missing: ["pip:maps"] };
  expect(healthOf(row(lacking))).toEqual(["attention", "missing", "archived"]);
  expect(healthOf(row({ ...lacking, enabled: false }))).toEqual(["missing", "disabled", "archived"]);
  expect(healthOf(row({ ...active, status: "archived" }))).toEqual(["archived"]);
  expect(healthOf(row(active, "needs-config"))).toEqual(["attention"]);
  expect(healthOf(row(active))).toEqual([]);
});
