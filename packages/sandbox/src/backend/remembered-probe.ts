import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { dirname } from "node:path";
import type { Clock } from "@skillhold/core/port";
import type { Sandbox, SandboxProbe } from "@skillhold/core/run";
import { findBubblewrap } from "./find-bubblewrap.ts";

const KEPT_MS = 60 * 60 * 1000;

/**
 * A sandbox whose test is remembered in a file for an hour, for programs that live shorter than the test is worth.
 * Only a test that was stood is remembered, and only for the same program, kernel and user: what was missing may
 * be there the next time. The file is the user's own, who could as well do without a sandbox.
 */
export function rememberedProbe(sandbox: Sandbox, file: string, clock: Clock): Sandbox {
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

/** The shape of a probe is part of the key, so that what an older version wrote is not read. */
const SHAPE = 1;

/** Undefined where the program is not even there. */
function machineKey(id: Sandbox["id"]): string | undefined {
  const machine = [SHAPE, id, release(), process.getuid?.() ?? "", process.version];
  if (id !== "bubblewrap") return JSON.stringify(machine);
  try {
    const program = findBubblewrap();
    const { mtimeMs, size, ino } = statSync(program);
    return JSON.stringify([...machine, program, mtimeMs, size, ino]);
  } catch {
    // The probe says what is missing.
    return undefined;
  }
}

function recall(file: string, key: string, now: number): SandboxProbe | undefined {
  try {
    // A file with the right key was written by `remember` of this shape.
    const memory = JSON.parse(readFileSync(file, "utf8")) as Memory;
    const age = now - memory.at;
    return memory.key === key && age >= 0 && age < KEPT_MS ? memory.probe : undefined;
  } catch {
    // Not there, or not readable: the test is made again.
    return undefined;
  }
}

/** Another process may read it at any time: it appears complete. */
function remember(file: string, memory: Memory): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify(memory), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch {
    // Then the next start makes the test again.
    removeQuietly(draft);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Where there is no folder there is no file either.
  }
}
