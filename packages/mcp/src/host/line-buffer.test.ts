import fc from "fast-check";
import { expect, test } from "vitest";
import { refusalOf } from "./refusal.ts";
import { LineBuffer } from "./server-process.ts";

test("returns the same lines for any chunking [S-57]", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.integer({ min: 1, max: 7 })), (texts, cuts) => {
      const lines = texts.map((text) => text.toWellFormed().replaceAll("\n", " "));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const buffer = new LineBuffer(1_000_000);
      const read: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = cuts[turn % Math.max(1, cuts.length)] ?? bytes.length;
        read.push(...buffer.split(bytes.subarray(at, at + length)));
        at += length;
      }
      expect(read).toEqual(lines);
    }),
  );
});

test("rejects an endless line before it fills the memory [S-57]", () => {
  const buffer = new LineBuffer(100);
  expect(buffer.split(Buffer.from(`${"x".repeat(100)}\n`))).toEqual(["x".repeat(100)]);
  buffer.split(Buffer.alloc(60));
  let error: unknown;
  try {
    buffer.split(Buffer.alloc(60));
  } catch (thrown) {
    error = thrown;
  }
  expect(refusalOf(error)).toBe("MCP_ANSWER_INVALID");
});
