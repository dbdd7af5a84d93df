import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bench, makeBench, roomyLimits } from "./trial.fixture.ts";
import { unconfined } from "./unconfined.ts";

describe.runIf(process.platform === "linux")("a program without a sandbox", () => {
  const sandbox = unconfined();
  let bench: Bench;
  beforeAll(async () => {
    bench = await makeBench();
  });
  afterAll(() => bench.remove());

  test("runs in its own folder, and files are collected before it is removed [S-29]", async () => {
    const { stdout, files } = await bench.run(sandbox, "pwd; echo result > a.txt");
    expect(files).toEqual({ "a.txt": "result\n" });
    expect(existsSync(stdout.trim())).toBe(false);
  });

  test("is not confined, and its record says so [S-29]", async () => {
    const file = join(bench.folder, "of-the-host");
    await writeFile(file, "readable");
    const { stdout, enforced } = await bench.run(sandbox, `cat ${file}`);
    expect(stdout).toBe("readable");
    expect(enforced).toMatchObject({ disk: "none", processes: "none", wall: "run", output: "run" });
    expect(await sandbox.probe()).toMatchObject({ id: "none", isAvailable: true });
  });

  test("gets no host variables [S-29]", async () => {
    process.env["SKILLHOLD_CANARY"] = "canary";
    const { stdout } = await bench.run(sandbox, "env");
    delete process.env["SKILLHOLD_CANARY"];
    expect(stdout).not.toContain("canary");
    expect(stdout).toContain("PATH=/usr/local/bin:/usr/bin:/bin\n");
  });

  test("has a time limit, and a CPU limit per process [S-29]", async () => {
    const timers = new ManualTimers();
    const slow = bench.run(sandbox, "sleep 300", {}, { timers });
    await timers.set(roomyLimits.wallMs);
    timers.advance(roomyLimits.wallMs);
    expect(await slow).toMatchObject({ outcome: "timed_out", code: 137 });
    const busy = await bench.run(sandbox, "while :; do :; done", { limits: { ...roomyLimits, cpuMs: 1000 } });
    expect(busy).toMatchObject({ outcome: "limit_exceeded", exceeded: "cpu" });
  });

  test("ends even if an escaped process keeps its output open [S-29]", async () => {
    const { stdout } = await bench.run(sandbox, "echo on; setsid sleep 3 & sleep 0.4; exit 0");
    expect(stdout).toBe("on\n");
  });

  test("communicates over a channel [S-32]", async () => {
    const running = await sandbox.start(bench.spec("cat <&3 >&4", { hasChannel: true }));
    running.channel?.send.end("ping");
    running.stdout.resume();
    running.stderr.resume();
    expect(running.channel && (await text(running.channel.receive))).toBe("ping");
    await running.dispose();
  });

  test("does not run when it does not exist [S-29]", async () => {
    const command = () => ({ argv: ["/nowhere/program"] as const, env: {} });
    const running = await bench.run(sandbox, "", { command }).catch((error: unknown) => error);
    expect(running).toSatisfy((result: { code: unknown }) =>
      [127, "SANDBOX_UNAVAILABLE"].includes(result.code as never),
    );
  });
});
