import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { dirname } from "node:path";
import type { Clock } from "@skillhold/core/port";
import type { Sandbox, SandboxProbe } from "@skillhold/core/run";
import { findBubblewrap } from "./find-bubblewrap.ts";

const KEPT_MS = 60 * 60 * 1000;

/**
 * Caches the probe of a sandbox in a file for an hour, for short-lived programs. Only a successful probe is
 * cached, for the same program, kernel and user, because a missing part may be installed later. The file
 * belongs to the user, who could also disable the sandbox.
 */
export function cachedProbe(sandbox: Sandbox, file: string, clock: Clock): Sandbox {
  return {
    id: sandbox.id,
    start: (spec) => sandbox.start(spec),
    probe: async () => {
      const key = machineKey(sandbox.id);
      const now = clock.now().getTime();
      const known = key === undefined ? undefined : recall(file, key, now);
      if (known !== undefined) return known;
      const probe = await sandbox.probe();
      if (key !== undefined && probe.isAvailable) remember(file, { key, at: now, probe });
      return probe;
    },
  };
}

interface Memory {
  readonly key: string;
  readonly at: number;
  readonly probe: SandboxProbe;
}

/** Part of the key, so that files of older versions are ignored. Increment when the shape changes. */
const SHAPE = 2;

/** Undefined when the program is missing. */
function machineKey(id: Sandbox["id"]): string | undefined {
  const machine = [SHAPE, id, release(), process.getuid?.() ?? "", process.version];
  if (id !== "bubblewrap") return JSON.stringify(machine);
  try {
    const program = findBubblewrap();
    const { mtimeMs, size, ino } = statSync(program);
    return JSON.stringify([...machine, program, mtimeMs, size, ino]);
  } catch {
    // The probe reports the missing part.
    return undefined;
  }
}

function recall(file: string, key: string, now: number): SandboxProbe | undefined {
  try {
    // A file with this key was written by `remember` with this shape.
    const memory = JSON.parse(readFileSync(file, "utf8")) as Memory;
    const age = now - memory.at;
    return memory.key === key && age >= 0 && age < KEPT_MS ? memory.probe : undefined;
  } catch {
    // The file is missing or unreadable, so the probe runs again.
    return undefined;
  }
}

/** Written by rename, because other processes may read it at any time. */
function remember(file: string, memory: Memory): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify(memory), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch {
    // The next start runs the probe again.
    removeQuietly(draft);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Without a folder there is no file.
  }
}
