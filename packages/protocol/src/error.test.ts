import { expect, test } from "vitest";
import { errorTable, SkillError } from "./error.ts";

test("every error has a status, an exit code and a hint [S-60]", () => {
  for (const { status, exit, hint } of Object.values(errorTable)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(exit).toBeGreaterThan(0);
    expect(hint).toMatch(/\.$/);
  }
});

test("an error uses its own hint or the default of the table [S-60]", () => {
  expect(new SkillError("USAGE", "x").hint).toBe(errorTable.USAGE.hint);
  expect(new SkillError("USAGE", "x", { hint: "y", details: { a: 1 } })).toMatchObject({
    code: "USAGE",
    hint: "y",
    details: { a: 1 },
  });
});
