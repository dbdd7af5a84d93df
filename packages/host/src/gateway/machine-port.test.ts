import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTimers } from "@skillhold/core/port";
import type { Sandbox } from "@skillhold/core/run";
import { HeavyGate } from "@skillhold/gateway";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshSandbox } from "../run/sandbox-choice.ts";
import { gatedRuns } from "./machine-port.ts";

let skill = "";
beforeAll(async () => {
  skill = await mkdtemp(join(tmpdir(), "skillhold-run-gate-"));
});
afterAll(async () => await rm(skill, { recursive: true, force: true }));

const limits = {
  ...{ wallMs: 60_000, cpuMs: 10_000, memoryBytes: 2 ** 28, processes: 16 },
  ...{ diskBytes: 2 ** 20, outputBytes: 2 ** 16 },
};

/** Starts a program that runs until its input ends. */
async function start(sandbox: Sandbox, signal?: AbortSignal) {
  const process = await sandbox.start({
    ...{ skill, mounts: [], network: "none", limits, hasChannel: false },
    command: () => ({ argv: ["/bin/cat"], env: {} }),
    ...(signal === undefined ? {} : { signal }),
  });
  process.stdout.resume();
  process.stderr.resume();
  return {
    end: async () => {
      process.stdin.end();
      await process.exited;
      await process.dispose();
    },
  };
}

test("caps concurrent programs per user without blocking other users [S-29] [S-53]", async () => {
  const gate = new HeavyGate({ ofKey: 1, ofAll: 2, waiting: 4, waitMs: 60_000 }, systemTimers);
  const sandboxFor = gatedRuns(freshSandbox(), gate);
  const [ann, bob] = [sandboxFor({ runtime: "x", user: "ann" }), sandboxFor({ runtime: "x", user: "bob" })];
  const first = await start(ann);
  let hasBegun = false;
  const second = start(sandboxFor({ runtime: "x", user: "ann" })).then((process) => {
    hasBegun = true;
    return process;
  });
  await (await start(bob)).end();
  expect(hasBegun).toBe(false);
  await first.end();
  await (await second).end();
});

test("a canceled or failed start does not occupy a slot [S-29]", async () => {
  const gate = new HeavyGate({ ofKey: 1, ofAll: 1, waiting: 4, waitMs: 60_000 }, systemTimers);
  const sandbox = gatedRuns(freshSandbox(), gate)({ runtime: "x" });
  const first = await start(sandbox);
  const calling = new AbortController();
  const waiting = start(sandbox, calling.signal);
  calling.abort();
  await expect(waiting).rejects.toMatchObject({ code: "INTERRUPTED" });
  await first.end();
  await expect(start(sandbox, AbortSignal.abort())).rejects.toMatchObject({ code: "INTERRUPTED" });
  await (await start(sandbox)).end();
});
