import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { DrainWatch, StallWatch } from "./slow-client.ts";

const KB = 1024;

/** A connection with pending bytes; `bytesWritten` includes them. */
function fakeSocket() {
  const state = { writableLength: 1000 * KB, bytesWritten: 1000 * KB, bytesRead: 0, isDestroyed: false };
  const destroy = () => {
    state.isDestroyed = true;
  };
  return Object.assign(state, { destroy });
}

const asSocket = (fake: ReturnType<typeof fakeSocket>) => fake as unknown as Socket;

test("closes a connection that reads slower than 16 KB a second, and no other [S-53]", () => {
  const timers = new ManualTimers();
  const [idle, slow, quick, stuck] = [fakeSocket(), fakeSocket(), fakeSocket(), fakeSocket()];
  idle.writableLength = 0;
  const sockets = [idle, slow, quick, stuck];
  const watch = new DrainWatch(() => sockets.map(asSocket), 60_000, timers);
  for (let second = 0; second < 150; second += 1) {
    slow.writableLength -= 15 * KB;
    quick.writableLength -= 16 * KB;
    for (const each of [slow, quick]) {
      each.writableLength += 16 * KB;
      each.bytesWritten += 16 * KB;
    }
    timers.advance(1000);
  }
  expect(sockets.map(({ isDestroyed }) => isDestroyed)).toEqual([false, true, false, true]);
  watch.close();
  expect(timers.delays).toEqual([]);
});

/** A request whose body is not complete. */
function fakeRequest(headers: IncomingMessage["headers"]) {
  const socket = fakeSocket();
  const state = { headers, socket, complete: false, destroyed: false, readableLength: 0 };
  const destroy = () => {
    state.destroyed = true;
  };
  return Object.assign(state, { destroy });
}

test("aborts a body slower than 1 KB a second, unless the gateway itself reads slowly [S-53]", () => {
  const timers = new ManualTimers();
  const watch = new StallWatch(10_000, timers);
  const body = { "content-length": "1000000" };
  const requests = {
    stalled: fakeRequest(body),
    chunked: fakeRequest({ "transfer-encoding": "chunked" }),
    steady: fakeRequest(body),
    unread: { ...fakeRequest(body), readableLength: 1 },
    done: { ...fakeRequest(body), complete: true },
    empty: fakeRequest({}),
  };
  for (const each of Object.values(requests)) watch.add(each as unknown as IncomingMessage);
  requests.steady.socket.bytesRead = 10 * KB;
  timers.advance(9999);
  expect(Object.values(requests).some(({ destroyed }) => destroyed)).toBe(false);
  for (let second = 0; second < 30; second += 1) {
    requests.steady.socket.bytesRead += 2 * KB;
    timers.advance(1000);
  }
  const aborted = Object.entries(requests).flatMap(([name, { destroyed }]) => (destroyed ? [name] : []));
  expect(aborted).toEqual(["stalled", "chunked"]);
  watch.close();
});
