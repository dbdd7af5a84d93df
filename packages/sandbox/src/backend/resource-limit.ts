import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import type { RunLimits } from "@skillhold/core/run";

const PRLIMIT = "/usr/bin/prlimit";
const OPEN_FILES = 1024;
/** The kernel counts these per user, so without a limit a run could use up those of the host's user. */
const QUEUED_SIGNALS = 1024;
const QUEUE_BYTES = 64 * 1024;
const LOCKED_BYTES = 8 * 1024 * 1024;

/** V8 reserves half a gigabyte of code space that it never writes, and the kernel counts it as data. */
const RESERVED = 640 * 1024 * 1024;

/**
 * The command prefix that makes the kernel limit each process; empty when the tool is missing. Memory is
 * limited by RLIMIT_DATA, because Node does not work with a limited address space. This is the fallback
 * without a control group, so it adds room for reserved memory.
 *
 * Contract: `countsProcesses` is true only when the kernel counts the run's processes, not all processes of
 * its user.
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
    set("sigpending", "pending signals", QUEUED_SIGNALS),
    set("msgqueue", "msgqueue size", QUEUE_BYTES),
    set("memlock", "locked memory", LOCKED_BYTES),
    // The first process of the namespace counts too.
    ...(countsProcesses ? [set("nproc", "processes", limits.processes + 1)] : []),
    "--",
  ];
}

/** The hard limits of this process by kernel name; unprivileged users cannot exceed them. */
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

/** Since Linux 5.14 the kernel counts processes per user namespace. */
export function countsPerNamespace(version: string = release()): boolean {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}
