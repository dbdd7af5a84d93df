import { expect, test } from "vitest";
import { formatProblems } from "./search-problem.ts";

const problems = (...reasons: readonly string[]) =>
  reasons.map((reason) => ({ source: "skills", path: "/skills/x", reason, message: "x" }));

test.each([
  [[], ""],
  [["unreadable"], "1 folder was not searched: run `skillhold doctor --root a` to see which\n"],
  [
    ["link", "unreadable", "link"],
    "3 folders were not searched: run `skillhold doctor --root a` to see which\n" +
      "2 links leave the source: add `--follow-links` to follow them\n",
  ],
  [
    ["too-deep", "more"],
    "at least 2 folders were not searched: run `skillhold doctor --root a` to see which\n",
  ],
])("formats problems of %j as a count and a command [S-19]", (reasons, note) => {
  expect(formatProblems(problems(...reasons), " --root a")).toBe(note);
});
