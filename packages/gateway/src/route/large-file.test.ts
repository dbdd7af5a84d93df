import { expect, test } from "vitest";
import type { Principal } from "../auth/principal.ts";
import { HeavyGate } from "../limit/heavy-gate.ts";
import { RunningCalls } from "../session/running-calls.ts";
import { readInTurn } from "./large-file.ts";

const principal: Principal = {
  role: "viewer",
  user: "ada",
  agent: undefined,
  token: "t1",
  kind: "api",
  expiresAt: "2000-01-01T00:00:00.000Z",
};

test("only a large file is read for as long as its reader counts: the others cost no signal [S-53]", async () => {
  const gate = new HeavyGate({ ofKey: 1, ofAll: 1, waiting: 1, waitMs: 1000 });
  const clock = { now: () => new Date() };
  // The token is over by its time: nobody asks the store.
  const calls = new RunningCalls({ registry: { store: {} as never, clock }, log: () => {} });
  let looks = 0;
  const reader = {
    principal,
    get signal() {
      looks += 1;
      return new AbortController().signal;
    },
  };
  const read = (size: number) =>
    readInTurn({ size }, reader, async () => "bytes", { gates: { heavy: gate, receiving: gate }, calls });
  expect([await read(1024 * 1024 - 1), looks]).toEqual(["bytes", 0]);
  await expect(read(1024 * 1024)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(looks).toBe(1);
});
