import { expect, test } from "vitest";
import { fakeHost } from "../../fake-host.ts";
import { openTerminal } from "../../terminal/terminal.ts";
import { openLiveOutput } from "./live-output.ts";

test("passes output to a program unchanged, even when a character is split into two chunks [S-29]", () => {
  const { live, bytes, texts } = open();
  const character = Buffer.from("ü");
  for (const byte of [...character, 0xff]) {
    live.push("stdout", Uint8Array.of(byte));
    live.push("stderr", Uint8Array.of(byte));
  }
  live.end();
  expect(bytes()).toEqual(Buffer.concat([character, Buffer.of(0xff)]));
  expect(texts().err).toBe("ü\ufffd");
});

test("escapes control characters on a terminal, however the output is split [S-60]", () => {
  const { live, texts } = open(80);
  for (const byte of Buffer.from("a\r\nb\rc\u001b]0;t\u0007\u202e\u009b\r"))
    live.push("stdout", Uint8Array.of(byte));
  live.end();
  expect(texts().out).toBe("a\nb\\rc\\u001b]0;t\\u0007\\u202e\\u009b\\r");
});

function open(columns?: number) {
  const { host, bytes, texts } = fakeHost("/", columns === undefined ? {} : { columns });
  return { live: openLiveOutput(openTerminal(host, false, new AbortController().signal)), bytes, texts };
}
