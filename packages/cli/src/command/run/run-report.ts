import type { ScriptRun } from "@skillhold/core/run";
import { shortPath } from "@skillhold/host/place";
import { type ExitCode, type Io, plain } from "../../terminal/output.ts";
import { count, formatSize } from "../../terminal/text.ts";

/** Says on the side what the script itself cannot: why it was ended, and what it made. */
export function printEnd(io: Io, result: ScriptRun): void {
  const { files, refusedFiles, outputs, outcome, exceeded, isTruncated } = result;
  if (isTruncated) io.err("note: There was more output than is kept; the rest was dropped.\n");
  if (outcome === "timed_out") io.err("error: The script was ended: it took longer than it may.\n");
  if (outcome === "limit_exceeded")
    io.err(`error: The script was ended: it used more than it may (${exceeded ?? "limit"}).\n`);
  if (files.length > 0) {
    const place =
      outputs === undefined
        ? `not kept; --out <folder> keeps ${files.length === 1 ? "it" : "them"}`
        : `in ${plain(shortPath(io, outputs))}`;
    io.err(`${count(files.length, "file")} made, ${place}:\n`);
    for (const { path, size } of files) io.err(`  ${plain(path)}  ${formatSize(size)}\n`);
  }
  for (const { path, reason } of refusedFiles)
    io.err(`note: ${plain(path)} was not kept: ${plain(reason)}\n`);
}

/** As a shell and `timeout` have it; the script's own code when it came to its end. */
export function exitCodeOf({ outcome, exitCode }: ScriptRun): ExitCode {
  switch (outcome) {
    case "exited":
      return exitCode;
    case "timed_out":
      return 124;
    case "limit_exceeded":
      return 137;
    case "aborted":
      return 130;
    case "failed":
      return 1;
  }
}
