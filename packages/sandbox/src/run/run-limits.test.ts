import { defaultLimits, withLimits } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { runLimits } from "./run-limits.ts";

test("gives lower limits to less trusted skills [S-66]", () => {
  const [org, user, stranger] = (["org", "user", "third_party"] as const).map((trust) =>
    runLimits(trust, defaultLimits),
  );
  expect(runLimits("builtin", defaultLimits)).toEqual(org);
  expect(org).toMatchObject({ wallMs: 300_000, memoryBytes: 2 ** 30 });
  expect(user).toMatchObject({ wallMs: 120_000, memoryBytes: 2 ** 29 });
  expect(stranger).toEqual({
    wallMs: 60_000,
    cpuMs: 30_000,
    memoryBytes: 2 ** 29,
    processes: 64,
    diskBytes: 50 * 2 ** 20,
    outputBytes: 2 ** 20,
  });
  expect(runLimits("user", withLimits({ runUserMs: 5000 })).wallMs).toBe(5000);
});
