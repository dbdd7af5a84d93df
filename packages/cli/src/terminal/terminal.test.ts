import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { allowsColor, openTerminal } from "./terminal.ts";

test.each([
  [{}, false, false],
  [{}, true, true],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, false],
])("with %j and a terminal: %j, color is %j [S-60]", (env, isTty, expected) => {
  expect(allowsColor(env, isTty)).toBe(expected);
});

describe("a reader of stdout", () => {
  test("that closes the pipe stops only the output [S-60]", () => {
    const { stdout, io } = open();
    io.out("first");
    stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    io.out("second");
    expect(stdout.written).toEqual(["first"]);
  });

  test("with a full disk is a failure [S-60]", () => {
    const { stdout } = open();
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
    expect(() => stdout.emit("error", full)).toThrow("no space");
  });
});

class Pipe extends EventEmitter {
  readonly written: (string | Uint8Array)[] = [];
  write(text: string | Uint8Array): void {
    this.written.push(text);
  }
}

function open() {
  const stdout = new Pipe();
  const streams = { stdin: Readable.from([]), stdout, stderr: new Pipe() };
  const host = { ...streams, env: {}, cwd: () => "/", on: () => {}, off: () => {} };
  return { stdout, io: openTerminal(host, false, new AbortController().signal) };
}
