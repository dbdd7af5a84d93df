import { expect, test } from "vitest";
import { readChecks, readProblem } from "./sandbox-answer.ts";

test("reads the valid parts of a report [S-59]", () => {
  const check = { name: "read-home", title: "Read the home folder", isConfined: true, detail: "ENOENT" };
  expect(readChecks([check, null, "x", { name: "x" }, { name: "y", isConfined: false }])).toEqual([
    check,
    { name: "y", title: "y", isConfined: false, detail: "" },
  ]);
  expect(readChecks(undefined)).toEqual([]);
  expect(readProblem({ message: "The sandbox is missing.", hint: 1 })).toEqual({
    message: "The sandbox is missing.",
    hint: "",
  });
  expect(readProblem(null)).toBeUndefined();
});
