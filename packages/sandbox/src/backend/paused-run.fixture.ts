import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bubblewrap } from "./bubblewrap.ts";
import type { ControlGroup } from "./cgroup.ts";
import { roomyLimits } from "./trial.fixture.ts";

/**
 * Runs as its own program, which the test kills: blocks a run forever, and reports when bubblewrap was launched or, by
 * default, when the sandbox is ready. In the phase "released" it stops the sandbox's first process instead, and reports its
 * number when bubblewrap may continue.
 */
const [skill = "", shared = "", name = "", phase = "ready"] = process.argv.slice(2);
const joined = new Set<number>();
const signal = new AbortController().signal;
const group: ControlGroup = {
  add: async (pid) => {
    joined.add(pid);
    if (phase === "launched") process.stdout.write("launched\n");
    // The second pid is the sandbox's first process, which waits for bubblewrap until its root exists.
    if (joined.size < 2) return;
    while (!existsSync(`/proc/${pid}/root/mnt/shared`)) await sleep(1);
    if (phase === "released") return stopInit(pid);
    process.stdout.write("blocked\n");
    await new Promise(() => {});
  },
  cpuMs: () => 0,
  wasOutOfMemory: () => false,
  remove: async () => {},
};
const holds = { memory: true, processes: true, cpu: true };
await bubblewrap({ groups: { version: 2, holds, create: () => group } }).start({
  skill,
  mounts: [{ source: shared, target: "/mnt/shared", isWritable: true }],
  network: "none",
  limits: roomyLimits,
  hasChannel: false,
  signal,
  command: () => ({ argv: ["/bin/sh", "-c", `touch /mnt/shared/${name}`], env: {} }),
});
if (phase === "released") report();

/** The sandbox reads the signal again after bubblewrap may continue. */
function stopInit(pid: number): void {
  process.kill(pid, "SIGSTOP");
  let reads = 0;
  Object.defineProperty(signal, "aborted", {
    get: () => {
      reads += 1;
      if (reads === 3) report();
      return false;
    },
  });
}

function report(): void {
  process.stdout.write(`${[...joined][1]}\n`);
}
