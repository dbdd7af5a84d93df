import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import type { Principal } from "../auth/principal.ts";
import { HeavyGate } from "../limit/heavy-gate.ts";
import { RunningCalls } from "../session/running-calls.ts";
import { readGated } from "./skill-content.ts";

const principal: Principal = {
  role: "viewer",
  user: "ada",
  agent: undefined,
  token: "t1",
  kind: "api",
  issuedAt: "2000-01-01T00:00:00.000Z",
  expiresAt: "2000-01-01T00:00:00.000Z",
};

test("only reading a large file ends with the token and creates a signal [S-53]", async () => {
  const timers = new ManualTimers();
  const gate = new HeavyGate({ ofKey: 1, ofAll: 1, waiting: 1, waitMs: 1000 }, timers);
  const clock = { now: () => new Date() };
  // The token is expired, so the store is not queried.
  const calls = new RunningCalls({ registry: { store: {} as never, clock }, timers, log: () => {} });
  let accesses = 0;
  const reader = {
    principal,
    get signal() {
      accesses += 1;
      return new AbortController().signal;
    },
  };
  const read = (size: number) =>
    readGated({ size }, reader, async () => "bytes", { gates: { heavy: gate, receiving: gate }, calls });
  expect([await read(1024 * 1024 - 1), accesses]).toEqual(["bytes", 0]);
  await expect(read(1024 * 1024)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(accesses).toBe(1);
});
