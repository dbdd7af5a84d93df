import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** 128 random bits as decimal digits: `sleep 1000.<mark>` is a process that no other test or checkout starts. */
export function newMark(): string {
  return BigInt(`0x${randomBytes(16).toString("hex")}`)
    .toString()
    .padStart(39, "0");
}

/** The processes whose command line contains the mark. */
export function findMarked(mark: string, part: "cmdline" | "environ" = "cmdline"): readonly MarkedProcess[] {
  if (mark.length < 32) throw new Error("A mark has 128 bits, so that only marked processes are found.");
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const text = readQuietly(`/proc/${pid}/${part}`);
    return text.includes(mark) ? [{ pid: Number(pid), argv: text.split("\0").slice(0, -1) }] : [];
  });
}

export interface MarkedProcess {
  readonly pid: number;
  readonly argv: readonly string[];
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // The process has ended or belongs to another user.
    return "";
  }
}
