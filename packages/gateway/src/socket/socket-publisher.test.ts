import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test, vi } from "vitest";
import { ChangeThrottle } from "./socket-publisher.ts";

test("sends the first change at once and then at most one per interval [S-54]", () => {
  const tell = vi.fn();
  const timers = new ManualTimers();
  const notice = new ChangeThrottle(100, tell, timers);
  notice.notify();
  expect(tell).toHaveBeenCalledTimes(1);
  for (let ms = 0; ms < 1000; ms += 1) {
    notice.notify();
    timers.advance(1);
  }
  expect(tell).toHaveBeenCalledTimes(11);
});

test("sends the last change too, and after an idle interval the next one at once [S-54]", () => {
  const tell = vi.fn();
  const timers = new ManualTimers();
  const notice = new ChangeThrottle(100, tell, timers);
  notice.notify();
  notice.notify();
  timers.advance(100);
  expect(tell).toHaveBeenCalledTimes(2);
  timers.advance(1000);
  expect(tell).toHaveBeenCalledTimes(2);
  notice.notify();
  expect(tell).toHaveBeenCalledTimes(3);
});

test("sends no change after it is stopped [S-54]", () => {
  const tell = vi.fn();
  const timers = new ManualTimers();
  const notice = new ChangeThrottle(100, tell, timers);
  notice.notify();
  notice.notify();
  notice.stop();
  timers.advance(1000);
  expect(tell).toHaveBeenCalledTimes(1);
});
