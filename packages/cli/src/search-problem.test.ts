import { expect, test } from "vitest";
import { formatProblems } from "./search-problem.ts";

const problems = (...reasons: readonly string[]) =>
  reasons.map((reason) => ({ source: "skills", path: "/skills/x", reason, message: "x" }));

test.each([
  [[], ""],
  [["unreadable"], "1 folder was not looked into: `skillhold doctor --root a` says which\n"],
  [
    ["link", "unreadable", "link"],
    "3 folders were not looked into: `skillhold doctor --root a` says which\n" +
      "2 links lead out of the source: `--follow-links` follows them\n",
  ],
  [["too-deep", "more"], "at least 2 folders were not looked into: `skillhold doctor --root a` says which\n"],
])("problems of %j are told as a count and the command that says more [S-19]", (reasons, note) => {
  expect(formatProblems(problems(...reasons), " --root a")).toBe(note);
});
