import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { SocketChannel } from "./socket-channel.ts";
import { socketLimits } from "./socket-limits.ts";

/** The part of a WebSocket that a channel uses; tests set the unread bytes. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readyState = 1;
  bufferedAmount = 0;
  readonly calls: unknown[] = [];

  send(text: string): void {
    this.bufferedAmount += text.length;
  }
  resume(): void {}
  close(code: number, reason: string): void {
    this.readyState = this.CLOSING;
    this.calls.push({ code, reason });
  }
  terminate(): void {
    this.calls.push("terminate");
    this.end();
  }
  end(): void {
    this.readyState = this.CLOSED;
    this.emit("close");
  }
}

function scene() {
  const ws = new FakeSocket();
  const timers = new ManualTimers();
  const limits = { ...socketLimits, slowBytes: 100, slowMs: 5000, mostBytes: 1000, closeMs: 5000 };
  // The fake has every member that the channel uses.
  const channel = new SocketChannel(ws as unknown as WebSocket, new PassThrough(), limits, timers);
  return { ws, timers, channel };
}

const tooSlow = { code: 1013, reason: "The client reads too slowly." };

test("a client with too many unread bytes is disconnected at once, and a few only after a while [S-54]", () => {
  const { ws, timers, channel } = scene();
  channel.send("x".repeat(101));
  timers.advance(5000);
  channel.rejectSlow();
  expect(ws.calls).toEqual([]);
  timers.advance(1);
  channel.rejectSlow();
  expect(ws.calls).toEqual([tooSlow]);
  const other = scene();
  other.channel.send("x".repeat(1001));
  expect(other.ws.calls).toEqual([tooSlow]);
});

test("a disconnected client that reads gets the close code, however long it takes [S-54]", () => {
  const { ws, timers, channel } = scene();
  channel.send("x".repeat(1001));
  for (; ws.bufferedAmount > 0; ws.bufferedAmount -= 1) timers.advance(4999);
  expect(ws.calls).toEqual([tooSlow]);
  ws.end();
  expect(timers.delays).toEqual([]);
});

test("a disconnected client that does not read, or does not answer, is dropped [S-54]", () => {
  const { ws, timers, channel } = scene();
  channel.send("x".repeat(1001));
  timers.advance(4999);
  ws.bufferedAmount = 0;
  timers.advance(5000);
  expect(ws.calls).toEqual([tooSlow]);
  timers.advance(1);
  expect(ws.calls).toEqual([tooSlow, "terminate"]);
  expect(timers.delays).toEqual([]);
});

test("a close that the client starts has a deadline too [S-54]", () => {
  const { ws, timers, channel } = scene();
  channel.watchClose();
  expect(timers.delays).toEqual([]);
  ws.readyState = ws.CLOSING;
  channel.watchClose();
  channel.watchClose();
  expect(timers.delays).toEqual([5000]);
  timers.advance(5000);
  expect(ws.calls).toEqual(["terminate"]);
});
