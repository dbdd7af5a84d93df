import { expect, test } from "vitest";
import { cutLines, decodeText, SHOWN_LINES } from "./file-text.ts";

test("does not treat invalid UTF-8 as text [S-59]", () => {
  expect(decodeText(new TextEncoder().encode("grüße"))).toBe("grüße");
  expect(decodeText(Uint8Array.of(0x50, 0, 0x4b))).toBeUndefined();
  expect(decodeText(Uint8Array.of(0xff, 0xfe))).toBeUndefined();
});

test("accepts text that was cut within a character [S-59]", () => {
  expect(decodeText(new TextEncoder().encode("ü").slice(0, 1))).toBe("");
});

test("cuts long files and lines, and says so [S-59]", () => {
  expect(cutLines("a\nb\n")).toEqual({ lines: ["a", "b"], isCut: false });
  expect(cutLines("a\r\nb")).toEqual({ lines: ["a", "b"], isCut: false });
  expect(cutLines("x\n".repeat(SHOWN_LINES + 1))).toMatchObject({ isCut: true });
  const { lines, isCut } = cutLines("y".repeat(100_000));
  expect(isCut).toBe(true);
  expect(lines[0]?.length).toBeLessThan(3000);
});
