import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("runs tasks one at a time, in the order in which they were added [S-64]", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    log.push("first starts");
    await gate.promise;
    log.push("first ends");
    return 1;
  });
  const second = queue.run(() => {
    log.push("second");
    return 2;
  });
  await new Promise(setImmediate);
  expect(log).toEqual(["first starts"]);
  gate.resolve();
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(log).toEqual(["first starts", "first ends", "second"]);
});

test("reports a failure to the caller of that task and runs the next one [S-64]", async () => {
  const queue = new SerialQueue();
  const failed = queue.run(() => Promise.reject(new Error("rejected")));
  const thrown = queue.run(() => {
    throw new Error("thrown");
  });
  const last = queue.run(() => "done");
  await expect(failed).rejects.toThrow("rejected");
  await expect(thrown).rejects.toThrow("thrown");
  expect(await last).toBe("done");
});

test("is idle after every task so far has settled, even if one failed [S-64]", async () => {
  const queue = new SerialQueue();
  await queue.idle();
  let isDone = false;
  queue.run(() => Promise.reject(new Error("ignored"))).catch(() => {});
  const last = queue.run(async () => {
    await new Promise(setImmediate);
    isDone = true;
  });
  await queue.idle();
  expect(isDone).toBe(true);
  await last;
});
