import { expect, test } from "vitest";
import { Turn } from "./turn.ts";

test("of too many that wait for their turn the next is refused, and when one ends there is room again [S-53]", async () => {
  const turn = new Turn(2);
  const gate = Promise.withResolvers<void>();
  const running = turn.take(() => gate.promise);
  const waiting = turn.take(async () => "second");
  await expect(turn.take(async () => "third")).rejects.toMatchObject({
    code: "RATE_LIMITED",
    details: { retryAfter: 5 },
  });
  gate.resolve();
  await running;
  expect(await waiting).toBe("second");
  expect(await turn.take(async () => "third")).toBe("third");
});

test("what was called off before its turn is not begun, and the next one is [S-53]", async () => {
  const turn = new Turn();
  const gate = Promise.withResolvers<void>();
  const running = turn.take(() => gate.promise);
  const calling = new AbortController();
  let isBegun = false;
  const given = turn.take(async () => {
    isBegun = true;
  }, calling.signal);
  calling.abort();
  gate.resolve();
  await running;
  await expect(given).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect([isBegun, await turn.take(async () => "next")]).toEqual([false, "next"]);
});
