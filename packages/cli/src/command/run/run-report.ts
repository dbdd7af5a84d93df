import type { ScriptRun } from "@skillhold/core/run";
import { shortPath } from "@skillhold/host/place";
import { type ExitCode, type Io, plain } from "../../terminal/output.ts";
import { count, formatSize } from "../../terminal/text.ts";

/** Prints to stderr why a script was stopped and which files it wrote. */
export function printEnd(io: Io, result: ScriptRun): void {
  const { files, refusedFiles, outputs, outcome, exceeded, isTruncated } = result;
  if (isTruncated) io.err("note: The output exceeded its limit; the rest was dropped.\n");
  if (outcome === "timed_out") io.err("error: The script was stopped: it exceeded its time limit.\n");
  if (outcome === "limit_exceeded")
    io.err(`error: The script was stopped: it exceeded a limit (${exceeded ?? "unknown"}).\n`);
  if (files.length > 0) {
    const place =
      outputs === undefined
        ? `not kept; add --out <folder> to keep ${files.length === 1 ? "it" : "them"}`
        : `in ${plain(shortPath(io, outputs))}`;
    io.err(`${count(files.length, "file")} written, ${place}:\n`);
    for (const { path, size } of files) io.err(`  ${plain(path)}  ${formatSize(size)}\n`);
  }
  for (const { path, reason } of refusedFiles)
    io.err(`note: ${plain(path)} was not kept: ${plain(reason)}\n`);
}

/** The script's own exit code, or the code that a shell or `timeout` uses for the outcome. */
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
