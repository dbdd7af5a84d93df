import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type FileRead, readBounded } from "./read-file.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-read-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const at = (name: string) => join(base, name);
const reasonOf = (read: FileRead) => ("problem" in read ? read.problem.reason : "none");

test("returns a file's bytes, size and time [S-16]", () => {
  writeFileSync(at("SKILL.md"), "---\nname: a\n---\n");
  utimesSync(at("SKILL.md"), 1000, 2000);
  const read = readBounded(at("SKILL.md"), 100);
  expect("bytes" in read && Buffer.from(read.bytes).toString()).toBe("---\nname: a\n---\n");
  expect(read).toMatchObject({ size: 16, mtimeMs: 2_000_000 });
});

test("reads a file of exactly the limit and rejects one byte more [S-16]", () => {
  writeFileSync(at("limit"), Buffer.alloc(100, 97));
  expect(readBounded(at("limit"), 100)).toMatchObject({ size: 100 });
  expect(reasonOf(readBounded(at("limit"), 99))).toBe("too-large");
  writeFileSync(at("empty"), "");
  expect(readBounded(at("empty"), 100)).toMatchObject({ size: 0 });
});

test("rejects a huge file by its size without reading it [S-16]", () => {
  writeFileSync(at("giant"), "");
  truncateSync(at("giant"), 100 * 1024 * 1024);
  const before = process.memoryUsage().arrayBuffers;
  expect(reasonOf(readBounded(at("giant"), 1024 * 1024))).toBe("too-large");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
});

test.skipIf(process.platform !== "linux")("limits a file that reports size 0 [S-16]", () => {
  // /proc files have size 0 and content, as a file has that grows between the two calls.
  expect(readBounded("/proc/self/status", 100_000)).toMatchObject({ size: expect.any(Number) });
  expect(reasonOf(readBounded("/proc/self/status", 10))).toBe("too-large");
});

test("an unreadable file is a reason and never an exception [S-16]", () => {
  mkdirSync(at("folder"));
  symlinkSync("SKILL.md", at("link"));
  symlinkSync("nowhere", at("broken"));
  writeFileSync(at("one"), "x");
  linkSync(at("one"), at("two"));
  expect(reasonOf(readBounded(at("nothing"), 100))).toBe("missing");
  expect(reasonOf(readBounded(at("one/below"), 100))).toBe("missing");
  expect(reasonOf(readBounded(at("folder"), 100))).toBe("not-a-file");
  expect(reasonOf(readBounded(at("link"), 100))).toBe("link");
  expect(reasonOf(readBounded(at("broken"), 100))).toBe("link");
  expect(reasonOf(readBounded(at("two"), 100))).toBe("link");
  expect(reasonOf(readBounded(at("two"), 100, { allowHardLinks: true }))).toBe("none");
  expect(reasonOf(readBounded("a\0b", 100))).toBe("unreadable");
});

test.skipIf(process.platform === "win32")("does not wait for a FIFO or a device [S-16]", () => {
  execFileSync("mkfifo", [at("pipe")]);
  expect(reasonOf(readBounded(at("pipe"), 100))).toBe("not-a-file");
  expect(reasonOf(readBounded("/dev/zero", 100))).toBe("not-a-file");
});

test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "a file without permission is unreadable [S-16]",
  () => {
    writeFileSync(at("secret"), "x");
    chmodSync(at("secret"), 0);
    expect(reasonOf(readBounded(at("secret"), 100))).toBe("unreadable");
  },
);
