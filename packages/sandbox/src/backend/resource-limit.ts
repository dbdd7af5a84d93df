import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import type { RunLimits } from "@skillhold/core/run";

const PRLIMIT = "/usr/bin/prlimit";
const OPEN_FILES = 1024;

/** V8 reserves half a gigabyte for code that it will never write, and the kernel counts it as data. */
const RESERVED = 640 * 1024 * 1024;

/**
 * What stands before a program so that the kernel holds each of its processes to the limits; nothing where the tool
 * is missing. Memory is the data a process has (RLIMIT_DATA): under a limit of the address space Node does not work.
 * It is a bound for where no group holds the run, and lies above the limit by what a program may only reserve.
 *
 * Contract: `countsProcesses` only where the count is that of the run, and not of all that its user runs.
 */
export function limitPrefix(limits: RunLimits, countsProcesses: boolean): readonly string[] {
  if (!hasResourceLimits()) return [];
  const seconds = Math.max(1, Math.ceil(limits.cpuMs / 1000));
  const highest = readHighest();
  const set = (option: string, name: string, value: number, hard = value): string => {
    const most = highest.get(name) ?? Number.POSITIVE_INFINITY;
    return `--${option}=${Math.min(value, most)}:${Math.min(hard, most)}`;
  };
  return [
    PRLIMIT,
    set("cpu", "cpu time", seconds, seconds + 1),
    set("data", "data size", limits.memoryBytes + RESERVED),
    set("fsize", "file size", limits.diskBytes),
    set("nofile", "open files", OPEN_FILES),
    set("core", "core file size", 0),
    // The first process of the namespace, which waits for the others, counts as well.
    ...(countsProcesses ? [set("nproc", "processes", limits.processes + 1)] : []),
    "--",
  ];
}

/** Our own limits, by the kernel's names: above them nobody without rights can set any. */
function readHighest(): ReadonlyMap<string, number> {
  const lines = readFileSync("/proc/self/limits", "latin1").split("\n");
  const rows = lines.flatMap((line) => {
    const [, name, hard] = /^Max (.+?)\s{2,}\S+\s+(\d+)\s/.exec(line) ?? [];
    return name === undefined ? [] : [[name, Number(hard)] as const];
  });
  return new Map(rows);
}

export function hasResourceLimits(): boolean {
  return existsSync(PRLIMIT);
}

/** Since Linux 5.14 the kernel counts processes for each user namespace apart. */
export function countsPerNamespace(version: string = release()): boolean {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}
