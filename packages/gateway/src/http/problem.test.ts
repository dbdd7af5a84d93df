import { SkillError } from "@skillhold/protocol/error";
import { expect, test } from "vitest";
import { problemOf } from "./problem.ts";

const path = "/srv/skillhold/registry.db";

test.each([
  ["STORE_FAILED", 503],
  ["IO_FAILED", 500],
  ["INTEGRITY_FAILED", 500],
] as const)("%s discloses neither paths nor causes to clients [S-53]", (code, status) => {
  const failure = new SkillError(code, `The registry in ${path} failed: disk I/O error`, {
    hint: `Look at ${path}.`,
    details: { path },
  });
  const problem = problemOf(failure, "r1");
  expect(problem).toMatchObject({ code, status, requestId: "r1" });
  expect(JSON.stringify(problem)).not.toMatch(/srv|registry|disk/);
  expect(problem.hint).toMatch(/log/);
});

test("other errors keep their message, hint and details [S-53]", () => {
  const failure = new SkillError("CONFLICT", "The id pdf is taken.", {
    hint: "Choose.",
    details: { id: "pdf" },
  });
  expect(problemOf(failure, "r1")).toMatchObject({
    detail: "The id pdf is taken.",
    hint: "Choose.",
    details: { id: "pdf" },
  });
});
