import fc from "fast-check";
import { expect, test } from "vitest";
import type { Delivery } from "../record/webhook.ts";
import { type AttemptResult, endAttempt, isDue, restart, startAttempt } from "./retry.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");
const LEASE_MS = 90_000;
const MOST_WAIT_MS = 6 * 3_600_000 * 1.2;

function delivery(): Delivery {
  const at = new Date(START).toISOString();
  const times = { dueAt: at, createdAt: at, updatedAt: at };
  return { id: "one", webhook: "hook", type: "test", body: "{}", state: "pending", attempts: 0, ...times };
}

type Step =
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "claim" | "restart" }
  | { readonly kind: "end"; readonly result: AttemptResult };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 8 * 3_600_000 }) }),
  fc.record({ kind: fc.constantFrom("claim" as const, "claim" as const, "restart" as const) }),
  fc.record({
    kind: fc.constant("end" as const),
    result: fc.constantFrom<AttemptResult>(
      { status: 200 },
      { status: 500, error: "status 500" },
      { status: 410, error: "status 410" },
      { error: "no answer" },
    ),
  }),
);

test("random steps of several senders lose no delivery and start one attempt at a time [S-49]", () => {
  const random = fc.double({ min: 0, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      random,
      (steps, max, share) => {
        let now = START;
        let current = delivery();
        let leaseEnds: number | undefined;
        for (const each of steps) {
          const rules = { now: new Date(now), maxAttempts: max, random: () => share };
          if (each.kind === "wait") now += each.ms;
          if (each.kind === "restart") {
            current = restart(current, rules.now);
            expect(isDue(current, rules.now)).toBe(true);
            leaseEnds = undefined;
          }
          if (each.kind === "claim" && isDue(current, rules.now)) {
            // Only an expired lease lets another sender in.
            expect(leaseEnds === undefined || leaseEnds <= now).toBe(true);
            const { attempts } = current;
            current = startAttempt(current, LEASE_MS, rules);
            expect(current.state).toBe(attempts < max ? "pending" : "failed");
            leaseEnds = current.state === "pending" ? now + LEASE_MS : undefined;
          }
          if (each.kind === "end" && leaseEnds !== undefined && current.state === "pending") {
            current = endAttempt(current, each.result, rules);
            leaseEnds = undefined;
            if (each.result.error === undefined) expect(current.state).toBe("delivered");
            if (current.state === "pending") {
              const wait = Date.parse(current.dueAt) - now;
              expect(wait).toBeGreaterThanOrEqual(4000);
              expect(wait).toBeLessThanOrEqual(MOST_WAIT_MS);
            }
          }
          expect(current.attempts).toBeLessThanOrEqual(max);
          // A pending delivery is always due again within a bounded time.
          if (current.state === "pending")
            expect(Date.parse(current.dueAt) - now).toBeLessThanOrEqual(Math.max(LEASE_MS, MOST_WAIT_MS));
        }
      },
    ),
  );
});

test("waits grow fourfold up to six hours, with a jitter of a fifth [S-49]", () => {
  const waits = (share: number) => {
    let current = delivery();
    return Array.from({ length: 9 }, () => {
      const rules = { now: new Date(START), maxAttempts: 10, random: () => share };
      current = endAttempt(startAttempt(current, LEASE_MS, rules), { error: "no answer" }, rules);
      return (Date.parse(current.dueAt) - START) / 1000;
    });
  };
  expect(waits(0.5)).toEqual([5, 20, 80, 320, 1280, 5120, 20_480, 21_600, 21_600]);
  expect(waits(0).slice(0, 2)).toEqual([4, 16]);
  expect(waits(0.999)[0]).toBeGreaterThan(5.9);
});
