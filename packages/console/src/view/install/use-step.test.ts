import { expect, test } from "vitest";
import { describeStep } from "./use-step.ts";

test("describes the steps of an install [S-47] [S-59]", () => {
  const request = "r";
  expect(describeStep({ request, stage: "resolving" })).toBe("Looking at the source…");
  expect(describeStep({ request, stage: "checking", skill: "pdf", done: 1, total: 3 })).toBe(
    "Checking pdf (2 of 3)…",
  );
  expect(describeStep({ request, stage: "installing", skill: "pdf", done: 0, total: 1 })).toBe(
    "Installing pdf…",
  );
  expect(describeStep({ request, stage: "done" })).toBe("");
});
