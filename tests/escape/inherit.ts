import { spawn } from "node:child_process";
import { bubblewrap } from "@skillhold/sandbox/test/backend/bubblewrap";

/** Started with an unexpected open descriptor: prints what a script can read from it. */
const argv = ["/bin/sh", "-c", "cat /proc/self/fd/40 2>&1"] as const;
const MB = 1024 * 1024;
const limits = {
  wallMs: 45_000,
  cpuMs: 5000,
  memoryBytes: 64 * MB,
  processes: 8,
  diskBytes: MB,
  outputBytes: MB,
};

if (process.argv[2] === "bare") {
  const child = spawn(argv[0], argv.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.pipe(process.stdout);
} else {
  const running = await bubblewrap().start({
    skill: "/usr/share",
    mounts: [],
    network: "none",
    limits,
    hasChannel: false,
    command: () => ({ argv, env: {} }),
  });
  running.stdin.end();
  running.stdout.pipe(process.stdout);
  running.stderr.resume();
  await running.exited;
  await running.dispose();
}
