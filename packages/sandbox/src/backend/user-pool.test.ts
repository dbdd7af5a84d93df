import { expect, test } from "vitest";
import { POOLS, takeUser } from "./run-place.ts";

test.runIf(process.platform === "linux")(
  "runs never share a user, and a released user is reused [S-29]",
  () => {
    const users = Array.from({ length: 100 }, () => takeUser()).filter((user) => user !== undefined);
    const ids = users.map(({ uid }) => uid);
    expect(new Set(ids).size).toBe(ids.length);
    for (const user of users) user.release();
    const again = takeUser();
    expect(again?.uid).toBe(ids[0]);
    again?.release();
  },
);

test("takes users from our namespace, and never those of system services [S-29]", () => {
  const whole = [[[0, 0, 2 ** 32 - 1]], [[0, 0, 2 ** 32 - 1]]];
  const container = [[[0, 100_000, 65_536]], [[0, 100_000, 65_536]]];
  const single = [[[0, 1000, 1]], [[0, 1000, 1]]];
  const users = [takeUser(whole), takeUser(container), takeUser(single)];
  for (const user of users) user?.release();
  const [high, low, none] = users.map((user) => user?.uid);
  expect(POOLS.findIndex(({ first, count }) => (high ?? 0) >= first && (high ?? 0) < first + count)).toBe(0);
  expect(POOLS.findIndex(({ first, count }) => (low ?? 0) >= first && (low ?? 0) < first + count)).toBe(1);
  expect(none).toBeUndefined();
  for (const { first, count } of POOLS) expect(first + count <= 61_184 || first > 65_519).toBe(true);
});
