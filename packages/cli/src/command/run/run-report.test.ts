import type { ScriptRun } from "@skillhold/core/run";
import { expect, test } from "vitest";
import { fakeHost } from "../../fake-host.ts";
import { openTerminal } from "../../terminal/terminal.ts";
import { exitCodeOf, printEnd } from "./run-report.ts";

test.each([
  ["exited", 3, 3, ""],
  ["exited", 0, 0, ""],
  ["timed_out", 137, 124, "error: The script was ended: it took longer than it may.\n"],
  ["limit_exceeded", 139, 137, "error: The script was ended: it used more than it may (memory).\n"],
  ["aborted", 137, 130, ""],
] as const)(
  "a script that %s with %i ends the command with %i [S-29] [S-60]",
  (outcome, exitCode, code, told) => {
    const run = result({ outcome, exitCode, exceeded: "memory" });
    expect(exitCodeOf(run)).toBe(code);
    expect(report(run)).toBe(told);
  },
);

test("output that was cut and files with hostile names are told harmlessly [S-29] [S-60]", () => {
  const run = result({
    isTruncated: true,
    files: [{ path: "a\u001b[2J\u009b", size: 2048 }],
    refusedFiles: [{ path: "link", reason: "it is a link" }],
  });
  expect(report(run)).toBe(
    "note: There was more output than is kept; the rest was dropped.\n" +
      "1 file made, not kept; --out <folder> keeps it:\n  a\\u001b[2J\\u009b  2.0 KB\n" +
      "note: link was not kept: it is a link\n",
  );
});

function report(run: ScriptRun): string {
  const { host, texts } = fakeHost("/");
  printEnd(openTerminal(host, false, new AbortController().signal), run);
  return texts().err;
}

function result(part: Partial<ScriptRun>): ScriptRun {
  const run = {
    outcome: "exited",
    exitCode: 0,
    isTruncated: false,
    files: [],
    refusedFiles: [],
    ...part,
  };
  // The report reads nothing else of a run.
  return run as unknown as ScriptRun;
}
