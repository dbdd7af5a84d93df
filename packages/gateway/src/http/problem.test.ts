import { SkillError } from "@skillhold/protocol/error";
import { expect, test } from "vitest";
import type { LogEntry } from "../telemetry/log.ts";
import { problemOf, problemResponse } from "./problem.ts";

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

test("failures are logged, and states of the start and the end are not [S-53]", () => {
  const logged: string[] = [];
  const log = ({ error }: LogEntry) => logged.push(error instanceof SkillError ? error.code : "");
  for (const code of ["STORE_FAILED", "STARTING", "SHUTTING_DOWN", "CONFLICT"] as const)
    problemResponse(new SkillError(code, "message"), "r1", { log });
  expect(logged).toEqual(["STORE_FAILED"]);
});
