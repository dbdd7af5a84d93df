import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { systemTimers } from "@skillhold/core/port";
import type { Sandbox } from "@skillhold/core/run";
import type { SandboxSpec } from "@skillhold/core/test/run/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import type { ControlGroup, ControlGroups } from "./cgroup.ts";
import { findMarked, newMark } from "./marked-process.fixture.ts";
import { stageRoot } from "./stage.ts";
import { type Bench, makeBench } from "./trial.fixture.ts";
import { unconfined } from "./unconfined.ts";

describe.runIf(process.platform === "linux")("a run that is canceled before it starts", () => {
  let bench: Bench;
  let shared: string;
  const mark = newMark();
  beforeAll(async () => {
    bench = await makeBench();
    shared = join(bench.folder, "shared");
    mkdirSync(shared);
  });
  afterAll(() => bench.remove());

  /** A script that creates a file, canceled during `start`. */
  const start = async (sandbox: Sandbox, name: string, parts: Partial<SandboxSpec>) => {
    const target = sandbox.id === "none" ? shared : "/mnt/shared";
    const mounts = [{ source: shared, target: "/mnt/shared", isWritable: true }];
    const script = `touch ${target}/${name}; sleep 5.${mark}`;
    const command = () => ({ argv: ["/bin/sh", "-c", script] as const, env: {} });
    return await sandbox.start(bench.spec("", { mounts, command, ...parts }));
  };
  const stages = async () =>
    readdirSync(await stageRoot()).filter((name) => name.startsWith(`run-${process.pid}-`));
  const expectNothing = async (name: string) => {
    expect(existsSync(join(shared, name))).toBe(false);
    expect(findMarked(mark)).toEqual([]);
  };

  test.for([bubblewrap(), unconfined()])(
    "does not run, and leaves nothing behind: $id [S-29]",
    async (sandbox) => {
      // The first run creates a stock of pipes, which needs a stage.
      await (await start(sandbox, "ran", {})).dispose();
      const before = await stages();
      const early = start(sandbox, "early", { signal: AbortSignal.abort() });
      await expect(early).rejects.toMatchObject({ code: "INTERRUPTED" });
      const controller = new AbortController();
      const command = () => {
        controller.abort();
        return {
          argv: ["/bin/sh", "-c", `touch ${shared}/meanwhile /mnt/shared/meanwhile`] as const,
          env: {},
        };
      };
      const meanwhile = start(sandbox, "meanwhile", { signal: controller.signal, command });
      await expect(meanwhile).rejects.toMatchObject({ code: "INTERRUPTED" });
      for (const name of ["early", "meanwhile"]) await expectNothing(name);
      expect((await stages()).filter((name) => !before.includes(name))).toEqual([]);
    },
  );

  test("does not run when canceled while the sandbox waits [S-29]", async () => {
    const controller = new AbortController();
    let removed = 0;
    const group: ControlGroup = {
      add: async () => controller.abort(),
      cpuMs: () => 0,
      wasOutOfMemory: () => false,
      remove: async () => {
        removed += 1;
      },
    };
    const holds = { memory: true, processes: true, cpu: true };
    const groups: ControlGroups = { version: 2, holds, create: () => group };
    const late = start(bubblewrap({ groups }), "late", { signal: controller.signal });
    await expect(late).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect(removed).toBe(1);
    await expectNothing("late");
  });

  test("does not run at any moment of the cancellation, or is handed over [S-29]", async () => {
    const sandbox = bubblewrap();
    for (let delay = 0; delay <= 24; delay += 2) {
      const controller = new AbortController();
      const cancelTimer = systemTimers.after(delay, () => controller.abort());
      const name = `at-${delay}`;
      const running = await start(sandbox, name, { signal: controller.signal }).catch(
        (error: unknown) => error,
      );
      cancelTimer();
      if (running instanceof Error) {
        expect(running).toMatchObject({ code: "INTERRUPTED" });
        await expectNothing(name);
      } else await (running as Awaited<ReturnType<Sandbox["start"]>>).dispose();
    }
  });

  test("does not run when its controlling process is killed [S-29]", async () => {
    const program = join(import.meta.dirname, "paused-run.fixture.ts");
    for (let count = 0; count < 2; count += 1) {
      const name = `orphan-${newMark()}`;
      const args = ["--conditions=@skillhold/source", program, bench.skill, shared, name];
      const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      await once(holder.stdout, "data");
      holder.kill("SIGKILL");
      await once(holder, "exit");
      await expect.poll(() => findMarked(name)).toEqual([]);
      expect(existsSync(join(shared, name))).toBe(false);
    }
  });

  test("leaves no process behind when its controlling process is killed during the setup [S-29]", async () => {
    const program = join(import.meta.dirname, "paused-run.fixture.ts");
    for (let count = 0; count < 12; count += 1) {
      const name = `orphan-${newMark()}`;
      const args = ["--conditions=@skillhold/source", program, bench.skill, shared, name, "launched"];
      const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      await once(holder.stdout, "data");
      // The setup takes some milliseconds, which is too short for a timer.
      for (const until = performance.now() + (count % 6) * 0.7; performance.now() < until; );
      holder.kill("SIGKILL");
      await once(holder, "exit");
      await expect.poll(() => findMarked(name)).toEqual([]);
      expect(existsSync(join(shared, name))).toBe(false);
    }
  });

  test("ends with its controlling process before the first process is scheduled [S-29]", async () => {
    const program = join(import.meta.dirname, "paused-run.fixture.ts");
    const name = `orphan-${newMark()}`;
    const args = ["--conditions=@skillhold/source", program, bench.skill, shared, name, "released"];
    const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const init = Number(await once(holder.stdout, "data"));
    holder.kill("SIGKILL");
    await once(holder, "exit");
    tryContinue(init);
    await expect.poll(() => findMarked(name)).toEqual([]);
    expect(existsSync(join(shared, name))).toBe(false);
  });

  test("ends when killed at any moment after its start [S-29]", async () => {
    const sandbox = bubblewrap();
    const command = () => ({
      argv: ["/bin/sh", "-c", "sleep 0.5; touch /mnt/shared/survived"] as const,
      env: {},
    });
    for (let count = 0; count < 60; count += 1) {
      const running = await start(sandbox, "killed", { command });
      running.stdout.resume();
      // The process is independent after a millisecond or two, which is too short for a timer.
      for (const until = performance.now() + (count % 8) * 0.3; performance.now() < until; );
      running.kill();
      await running.exited;
      await running.dispose();
    }
    expect(existsSync(join(shared, "survived"))).toBe(false);
  });
});

function tryContinue(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // The process has ended.
  }
}
