import { once } from "node:events";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import { type ControlGroup, findControlGroups } from "./cgroup.ts";
import { type Bench, makeBench, roomyLimits } from "./trial.fixture.ts";

const MB = 1024 * 1024;
const hasGroups = process.platform === "linux" && findControlGroups() !== undefined;

/** Starts children until the system refuses one, and prints their number. */
const forks = "n=0; while [ $n -lt 200 ]; do sleep 20 & n=$((n+1)); echo $n; done";
const started = (stdout: string): number => Number(stdout.trim().split("\n").at(-1));

describe.runIf(process.platform === "linux")("a limit in bubblewrap", () => {
  const sandbox = bubblewrap();
  /** Acts like a machine without control groups. */
  const ungrouped = bubblewrap({ groups: null });
  let bench: Bench;
  beforeAll(async () => {
    bench = await makeBench();
  });
  afterAll(() => bench.remove());

  test.each([
    ["a group", sandbox],
    ["no group", ungrouped],
  ])("of processes applies per run, with %s [S-29]", async (_, each) => {
    const limits = { ...roomyLimits, processes: 12 };
    const trials = await Promise.all([1, 2].map(() => bench.run(each, forks, { limits })));
    // The shell is one of the twelve.
    for (const { stdout, enforced } of trials) {
      expect(enforced.processes).toBe("run");
      expect(started(stdout)).toBe(11);
    }
  });

  test("of CPU time applies to the whole run, each time it is measured [S-29]", async () => {
    const timers = new ManualTimers();
    const cpuMs = [0, roomyLimits.cpuMs + 1];
    const measure = vi.fn(() => cpuMs.shift());
    const group: ControlGroup = {
      add: async () => {},
      cpuMs: measure,
      wasOutOfMemory: () => false,
      remove: async () => {},
    };
    const holds = { memory: true, processes: true, cpu: true };
    const measured = bubblewrap({ groups: { version: 2, holds, create: () => group }, timers });
    const running = await measured.start(bench.spec("echo ready; sleep 300"));
    try {
      await once(running.stdout, "data");
      const [everyMs = 0] = timers.delays;
      timers.advance(2 * everyMs - 1);
      expect(measure).toHaveBeenCalledTimes(1);
      timers.advance(1);
      expect(await running.exited).toMatchObject({ signal: "SIGKILL", exceeded: "cpu" });
      expect(timers.delays).toEqual([]);
    } finally {
      await running.dispose();
    }
  });

  test("of the disk is exact over all files [S-29]", async () => {
    const limits = { ...roomyLimits, diskBytes: MB };
    const fill =
      "for i in 1 2 3 4 5 6; do head -c 262144 /dev/zero > f$i; done; du -sk .; head -c 2000000 /dev/zero > /tmp/t; ls -l /tmp/t";
    const { stdout, stderr, collected } = await bench.run(sandbox, fill, { limits });
    expect(stderr).toContain("No space left on device");
    expect(collected.files.reduce((sum, { size }) => sum + size, 0)).toBe(MB);
    expect(stdout).not.toContain("2000000");
  });

  test("of the disk also applies to the other writable folders [S-29]", async () => {
    const limits = { ...roomyLimits, diskBytes: 4 * MB, memoryBytes: 64 * MB };
    const fill =
      "for d in /run /dev/shm; do for i in $(seq 40); do head -c 2097152 /dev/zero > $d/$i; done; done 2>/dev/null; du -sm /run /dev/shm";
    const { stdout } = await bench.run(sandbox, fill, { limits });
    const sizes = stdout
      .trim()
      .split("\n")
      .map((line) => Number(line.split("\t")[0]));
    expect(sizes[0]).toBeLessThanOrEqual(1);
    expect(sizes[1]).toBeLessThanOrEqual(64);
  });

  test("of memory counts shared memory without a group [S-29]", async () => {
    const limits = { ...roomyLimits, memoryBytes: 96 * MB };
    const share =
      "import mmap\nm = mmap.mmap(-1, 400 << 20)\nfor i in range(0, 400 << 20, 4096): m[i] = 1\nimport time\ntime.sleep(40)";
    const command = () => ({ argv: ["/usr/bin/python3", "-c", share] as const, env: {} });
    const { outcome, exceeded, enforced } = await bench.run(ungrouped, "", { limits, command });
    expect({ outcome, exceeded, memory: enforced.memory }).toEqual({
      outcome: "limit_exceeded",
      exceeded: "memory",
      memory: "sampled",
    });
  });

  test.for([
    ["/work", sandbox],
    ["/tmp", ungrouped],
  ] as const)("of files in %s ends a program that makes too many [S-29]", async ([folder, each]) => {
    const make = `import os\nos.chdir("${folder}")\nfor i in range(400000): os.mkdir(str(i))`;
    const command = () => ({ argv: ["/usr/bin/python3", "-c", make] as const, env: {} });
    const limits = { ...roomyLimits, memoryBytes: 1024 * MB };
    const { exceeded } = await bench.run(each, "", { limits, command });
    expect(exceeded).toBe("disk");
  });

  test("a run is the first that the kernel ends when memory is short [S-29]", async () => {
    const { stdout } = await bench.run(sandbox, "cat /proc/self/oom_score_adj");
    expect(stdout).toBe("1000\n");
  });

  test("of a file's size ends the program that exceeds it [S-29]", async () => {
    const command = () => ({ argv: ["/usr/bin/head", "-c", "9000000", "/dev/zero"] as const, env: {} });
    const limits = { ...roomyLimits, outputBytes: 100 * MB };
    expect(await bench.run(sandbox, "", { command, limits })).toMatchObject({
      code: 0,
      outputBytes: 9_000_000,
    });
    const { outcome, exceeded } = await bench.run(sandbox, "exec head -c 9000000 /dev/zero > big", {
      limits: { ...roomyLimits, diskBytes: MB },
    });
    expect({ outcome, exceeded }).toEqual({ outcome: "limit_exceeded", exceeded: "disk" });
  });

  test.each([
    ["a group", sandbox],
    ["no group", ungrouped],
  ])("of CPU time ends a program, with %s [S-29]", async (_, each) => {
    const limits = { ...roomyLimits, cpuMs: 1000 };
    const { outcome, exceeded } = await bench.run(each, "while :; do :; done", { limits });
    expect({ outcome, exceeded }).toEqual({ outcome: "limit_exceeded", exceeded: "cpu" });
  });

  test.for([
    ["a group", sandbox, hasGroups ? "run" : "sampled"],
    ["no group", ungrouped, "sampled"],
  ] as const)("of CPU time counts all processes of a run, with %s [S-29]", async ([, each, scope]) => {
    const limits = { ...roomyLimits, cpuMs: 1000 };
    const short = "(i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done)";
    const { outcome, exceeded, enforced } = await bench.run(each, `while :; do ${short}; done`, { limits });
    expect({ outcome, exceeded }).toEqual({ outcome: "limit_exceeded", exceeded: "cpu" });
    expect(enforced.cpu).toBe(scope);
  });

  test("of CPU time counts children that ended unseen by their parent, without a group [S-29]", async () => {
    const limits = { ...roomyLimits, cpuMs: 1000, wallMs: 60_000 };
    // The kernel adds the time of a child to its parent only if the parent waits for it.
    const spin = [
      "import os, signal, time",
      "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
      "while True:",
      "  if os.fork() == 0:",
      "    while time.process_time() < 0.4: pass",
      "    os._exit(0)",
      "  try: os.wait()",
      "  except ChildProcessError: pass",
    ].join("\n");
    const command = () => ({ argv: ["/usr/bin/python3", "-c", spin] as const, env: {} });
    const { outcome, exceeded } = await bench.run(ungrouped, "", { limits, command });
    expect({ outcome, exceeded }).toEqual({ outcome: "limit_exceeded", exceeded: "cpu" });
  });

  test.runIf(hasGroups)("of memory counts all processes of a run [S-29]", async () => {
    const limits = { ...roomyLimits, memoryBytes: 64 * MB, diskBytes: MB };
    const part = "head -c 30000000 /dev/zero | tail -c 30000000 | (sleep 1; cat) >/dev/null";
    const one = await bench.run(sandbox, part, { limits });
    expect(one).toMatchObject({ code: 0, outcome: "exited" });
    const many = await bench.run(sandbox, `for i in 1 2 3 4 5 6; do ${part} & done; wait`, { limits });
    expect(many).toMatchObject({ outcome: "limit_exceeded", exceeded: "memory" });
    expect(many.enforced.memory).toBe("run");
  });

  test.runIf(hasGroups)("of memory is not consumed by a full disk [S-29]", async () => {
    const limits = { ...roomyLimits, memoryBytes: 64 * MB, diskBytes: 40 * MB };
    const fill =
      "head -c 40000000 /dev/zero > $HOME/a; head -c 40000000 /dev/zero > /tmp/b; head -c 30000000 /dev/zero | tail -c 30000000 | wc -c";
    expect(await bench.run(sandbox, fill, { limits })).toMatchObject({
      outcome: "exited",
      stdout: "30000000\n",
    });
  });

  test("of memory applies per process without a control group, and the record says so [S-29]", async () => {
    const limits = { ...roomyLimits, memoryBytes: 64 * MB };
    const hungry = "exec tail -c 900000000 /dev/zero";
    const { code, enforced } = await bench.run(ungrouped, hungry, { limits });
    expect(code).not.toBe(0);
    expect(enforced).toMatchObject({
      memory: "sampled",
      cpu: "sampled",
      disk: "run",
      wall: "run",
      output: "run",
    });
  });

  test("of processes is not claimed under root without a control group [S-29]", async () => {
    const mounts = [{ source: bench.skill, target: "/mnt/skill", isWritable: false }];
    const { enforced } = await bench.run(ungrouped, "true", { mounts });
    expect(enforced.processes).toBe(process.getuid?.() === 0 ? "none" : "run");
  });

  test("of time ends a program that ignores signals [S-29]", async () => {
    const limits = { ...roomyLimits, wallMs: 2000 };
    const script = "trap '' TERM INT HUP; echo on; while :; do sleep 1; done";
    expect(await bench.run(sandbox, script, { limits })).toMatchObject({
      outcome: "timed_out",
      exceeded: "wall",
      stdout: "on\n",
      code: 137,
    });
  });

  test("of output ends a program that writes endlessly [S-29]", async () => {
    const limits = { ...roomyLimits, outputBytes: 100_000 };
    const trial = await bench.run(sandbox, "yes", { limits });
    expect(trial).toMatchObject({ outcome: "limit_exceeded", exceeded: "output", isTruncated: true });
    expect(trial.outputBytes).toBe(100_000);
    expect(trial.stdout).toMatch(/\n\[output cut at 100000 bytes\]\n$/);
  });
});
