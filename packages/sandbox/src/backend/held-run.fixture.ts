import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bubblewrap } from "./bubblewrap.ts";
import type { ControlGroup } from "./cgroup.ts";
import { roomyLimits } from "./trial.fixture.ts";

/** Run as a program of its own, to be killed: holds a run back for ever and says so when the sandbox is there. */
const [skill = "", shared = "", name = ""] = process.argv.slice(2);
const joined = new Set<number>();
const group: ControlGroup = {
  add: async (pid) => {
    joined.add(pid);
    // The second is the first process of the sandbox. Before its root is there, it waits for bubblewrap itself.
    if (joined.size < 2) return;
    while (!existsSync(`/proc/${pid}/root/mnt/shared`)) await sleep(1);
    process.stdout.write("held\n");
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
  command: () => ({ argv: ["/bin/sh", "-c", `touch /mnt/shared/${name}`], env: {} }),
});
