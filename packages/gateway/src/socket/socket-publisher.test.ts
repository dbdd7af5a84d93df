import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ChangeThrottle } from "./socket-publisher.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("sends the first change at once and then at most one per interval [S-54]", () => {
  const tell = vi.fn();
  const notice = new ChangeThrottle(100, tell);
  notice.notify();
  expect(tell).toHaveBeenCalledTimes(1);
  for (let ms = 0; ms < 1000; ms += 1) {
    notice.notify();
    vi.advanceTimersByTime(1);
  }
  expect(tell).toHaveBeenCalledTimes(11);
});

test("sends the last change too, and after an idle interval the next one at once [S-54]", () => {
  const tell = vi.fn();
  const notice = new ChangeThrottle(100, tell);
  notice.notify();
  notice.notify();
  vi.advanceTimersByTime(100);
  expect(tell).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1000);
  expect(tell).toHaveBeenCalledTimes(2);
  notice.notify();
  expect(tell).toHaveBeenCalledTimes(3);
});

test("sends no change after it is stopped [S-54]", () => {
  const tell = vi.fn();
  const notice = new ChangeThrottle(100, tell);
  notice.notify();
  notice.notify();
  notice.stop();
  vi.advanceTimersByTime(1000);
  expect(tell).toHaveBeenCalledTimes(1);
});
