import type { StoredEvent } from "@skillhold/registry/record";
import { expect, test } from "vitest";
import { LogPages } from "./log-page.ts";

test("limits concurrent page reads, shares equal ones, and releases the slot of a failed read [S-54]", async () => {
  const asked: number[] = [];
  const open: PromiseWithResolvers<readonly StoredEvent[]>[] = [];
  const pages = new LogPages({
    eventsAfter: (after) => {
      asked.push(after);
      const answer = Promise.withResolvers<readonly StoredEvent[]>();
      open.push(answer);
      return answer.promise;
    },
  });
  const read = [0, 0, 1, 2, 3, 4, 5].map((after) => pages.read(after));
  await Promise.resolve();
  expect(asked).toEqual([0, 1, 2, 3]);
  open[0]?.reject(new Error("gone"));
  await expect(read[0]).rejects.toThrow("gone");
  await expect(read[1]).rejects.toThrow("gone");
  expect(asked).toEqual([0, 1, 2, 3, 4]);
  for (let at = 1; at < 6; at += 1) {
    open[at]?.resolve([]);
    await read[at + 1];
  }
  expect(asked).toEqual([0, 1, 2, 3, 4, 5]);
  const again = pages.read(0);
  expect(asked).toHaveLength(7);
  open[6]?.resolve([]);
  await again;
});
