import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { live } from "./live.ts";

const sockets: { onclose?: () => void; close: () => void }[] = [];
let browser: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  browser = new EventTarget();
  vi.stubGlobal(
    "window",
    Object.assign(browser, { setTimeout, clearTimeout, location: { href: "http://x/" } }),
  );
  vi.stubGlobal(
    "WebSocket",
    class {
      constructor() {
        sockets.push(this);
      }
      close() {}
    },
  );
});
afterEach(() => {
  live.stop();
  sockets.length = 0;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a connection that is lost in two ways is reopened once [S-59]", () => {
  live.start();
  sockets[0]?.onclose?.();
  browser.dispatchEvent(new Event("offline"));
  expect([live.state, sockets.length]).toEqual(["lost", 1]);
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(2);
});
