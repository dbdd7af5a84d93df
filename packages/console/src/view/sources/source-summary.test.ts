import { expect, test } from "vitest";
import { sourceSummary } from "./source-summary.ts";

test("counts installed skills by the state of their sources [S-47] [S-59]", () => {
  const status = (name: string) => ({ check: { status: name } });
  expect(sourceSummary([status("current"), {}])).toBe("2 installed skills");
  expect(sourceSummary([status("outdated"), status("outdated"), status("failed")])).toBe(
    "3 installed skills, 2 outdated, 1 failed",
  );
});
