import { PassThrough } from "node:stream";
import { HostPins } from "@skillhold/core/network";
import type { Launch } from "@skillhold/core/run";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { systemGit } from "./git-command.ts";

test("kills a git that does not finish in time [S-47]", async () => {
  const timers = new ManualTimers();
  const { git, killed } = hangingGit(timers);
  const failure = expect(git({ args: ["version"] })).rejects.toMatchObject({ code: "TIMED_OUT" });
  await timers.set(5000);
  timers.advance(4999);
  expect(killed()).toBe(0);
  timers.advance(1);
  await failure;
  expect(killed()).toBe(1);
});

test("kills git when the install is interrupted, and leaves no deadline [S-47]", async () => {
  const timers = new ManualTimers();
  const { git, killed } = hangingGit(timers);
  const controller = new AbortController();
  const failure = expect(git({ args: ["version"], signal: controller.signal })).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
  await timers.set(5000);
  controller.abort();
  await failure;
  expect(killed()).toBe(1);
  expect(timers.delays).toEqual([]);
});

/** A git that ends only when it is killed. */
function hangingGit(timers: ManualTimers) {
  let kills = 0;
  const launch: Launch = async () => {
    const { promise, resolve } = Promise.withResolvers<{ code: null; signal: string }>();
    return {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      ended: promise,
      kill: () => {
        kills += 1;
        resolve({ code: null, signal: "SIGKILL" });
      },
    };
  };
  const pins = new HostPins(async () => [], { isPrivateAllowed: () => false });
  const options = { launch, pins, env: {}, isPlainAllowed: () => false, maxMs: 5000, timers };
  return { git: systemGit(options), killed: () => kills };
}
