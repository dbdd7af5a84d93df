import { expect, test } from "vitest";
import { loadPart } from "./renewal.ts";

const failing = (times: number) => {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= times) throw new TypeError("Failed to fetch dynamically imported module");
    return tries;
  };
};

test("loads a part again until the gateway is back, without a page reload [S-59]", async () => {
  const waits: number[] = [];
  const ports = {
    isReachable: async () => false,
    wait: async (ms: number) => void waits.push(ms),
    renew: () => {
      throw new Error("must not reload");
    },
  };
  expect(await loadPart(failing(5), ports)).toBe(6);
  expect(waits).toEqual([500, 1000, 2000, 4000, 5000]);
});

test("reloads the page once when a newer gateway lacks a part, and then fails [S-59]", async () => {
  const renewals: boolean[] = [];
  const ports = {
    isReachable: async () => true,
    wait: async () => {},
    renew: () => {
      renewals.push(false);
      return false;
    },
  };
  await expect(loadPart(failing(1), ports)).rejects.toThrow("dynamically imported");
  expect(renewals).toHaveLength(1);
});
