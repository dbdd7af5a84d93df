import { expect, test } from "vitest";
import { fileHref, linesOf, pathOf, revisionOf } from "./file-address.ts";

test.each(["SKILL.md", "a/b c.md", "100%.txt", "a#b?c.md", "%23.md", "ü/é.py"])(
  "the address of %s leads back to it [S-59]",
  (path) => expect(pathOf(new URL(fileHref("pdf", path), "http://x").pathname)).toBe(path),
);

test("an undecodable address names no file and breaks nothing [S-59]", () => {
  expect(pathOf("/skills/pdf/files/%E0%A4%A")).toBe("%E0%A4%A");
  expect(pathOf("/skills/pdf/files")).toBe("");
});

test("an address names a revision and lines [S-59]", () => {
  expect(fileHref("pdf", "a.py", { revision: 2, line: 7 })).toBe("/skills/pdf/files/a.py?revision=2#L7");
  expect(linesOf("#L12")).toEqual({ first: 12, last: 12 });
  expect(linesOf("#L20-L12")).toEqual({ first: 12, last: 20 });
  for (const hash of ["", "#L0", "#Lx", "#12", "#L1-"]) expect(linesOf(hash)).toBeUndefined();
  expect(revisionOf("3")).toBe(3);
  for (const text of ["", "0", "-1", "x", "1e3"]) expect(revisionOf(text)).toBeUndefined();
});
