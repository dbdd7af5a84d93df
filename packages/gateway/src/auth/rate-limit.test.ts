import { SkillError } from "@skillhold/protocol/error";
import { beforeEach, expect, test } from "vitest";
import { RateLimit } from "./rate-limit.ts";

let now: number;
let rate: RateLimit;
beforeEach(() => {
  now = 0;
  rate = new RateLimit({ token: 60, address: 6 }, { now: () => new Date(now) });
});

/** How many of so many tries are let through. */
function tries(count: number, take: () => void): number {
  let taken = 0;
  for (let tried = 0; tried < count; tried += 1) {
    try {
      take();
      taken += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(SkillError);
      expect(error).toMatchObject({ code: "RATE_LIMITED" });
    }
  }
  return taken;
}

test("limits the requests of a token per minute and refills over time [S-53]", () => {
  expect(tries(100, () => rate.takeOf("one"))).toBe(60);
  expect(tries(100, () => rate.takeOf("two"))).toBe(60);
  now += 10_000;
  expect(tries(100, () => rate.takeOf("one"))).toBe(10);
  now += 3_600_000;
  expect(tries(100, () => rate.takeOf("one"))).toBe(60);
});

test("counts tokens, addresses and sign-ins separately and returns the wait time [S-53]", () => {
  expect(tries(100, () => rate.takeFrom("one"))).toBe(6);
  expect(tries(100, () => rate.takeSignIn("one"))).toBe(10);
  expect(tries(100, () => rate.takeOf("one"))).toBe(60);
  expect(() => rate.takeFrom("one")).toThrow(expect.objectContaining({ details: { retryAfter: 10 } }));
  now += 9999;
  expect(tries(1, () => rate.takeFrom("one"))).toBe(0);
  now += 1;
  expect(tries(2, () => rate.takeFrom("one"))).toBe(1);
});

test("a clock that is set back neither adds requests nor blocks for long [S-53]", () => {
  expect(tries(100, () => rate.takeFrom("one"))).toBe(6);
  now -= 3_600_000;
  expect(tries(100, () => rate.takeFrom("one"))).toBe(0);
  now += 10_000;
  expect(tries(100, () => rate.takeFrom("one"))).toBe(1);
});

test("drops the least recently used address when the table is full [S-53]", () => {
  expect(tries(6, () => rate.takeFrom("first"))).toBe(6);
  expect(tries(6, () => rate.takeFrom("second"))).toBe(6);
  for (let each = 0; each < 9999; each += 1) rate.takeFrom(`${each}`);
  expect(tries(1, () => rate.takeFrom("second"))).toBe(0);
  expect(tries(6, () => rate.takeFrom("first"))).toBe(6);
});
