import type { ScriptRun } from "@skillhold/core/run";
import { expect, test } from "vitest";
import { fakeHost } from "../../fake-host.ts";
import { openTerminal } from "../../terminal/terminal.ts";
import { exitCodeOf, printEnd } from "./run-report.ts";

test.each([
  ["exited", 3, 3, ""],
  ["exited", 0, 0, ""],
  ["timed_out", 137, 124, "error: The script was stopped: it exceeded its time limit.\n"],
  ["limit_exceeded", 139, 137, "error: The script was stopped: it exceeded a limit (memory).\n"],
  ["aborted", 137, 130, ""],
] as const)(
  "a script that %s with %i ends the command with %i [S-29] [S-60]",
  (outcome, exitCode, code, message) => {
    const run = result({ outcome, exitCode, exceeded: "memory" });
    expect(exitCodeOf(run)).toBe(code);
    expect(report(run)).toBe(message);
  },
);

test("reports truncated output and hostile file names without control characters [S-29] [S-60]", () => {
  const run = result({
    isTruncated: true,
    files: [{ path: "a\u001b[2J\u009b", size: 2048 }],
    refusedFiles: [{ path: "link", reason: "it is a link" }],
  });
  expect(report(run)).toBe(
    "note: The output exceeded its limit; the rest was dropped.\n" +
      "1 file written, not kept; add --out <folder> to keep it:\n  a\\u001b[2J\\u009b  2.0 KB\n" +
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
  // The report reads only these fields of a run.
  return run as unknown as ScriptRun;
}
