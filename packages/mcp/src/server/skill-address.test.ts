import fc from "fast-check";
import { expect, test } from "vitest";
import { readAddress } from "./skill-source.ts";

const id = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}$/);
const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => text.isWellFormed() && !/[/\\\0]/.test(text) && text !== "." && text !== "..");

test("parses a URI back to its skill and path [S-57]", () => {
  fc.assert(
    fc.property(id, fc.array(name, { maxLength: 4 }), (skill, names) => {
      const path = names.map((each) => `/${encodeURIComponent(each)}`).join("");
      expect(readAddress(`skill://${skill}${path}`)).toEqual({ id: skill, path: names.join("/") });
    }),
  );
});

test("a parsed path never leaves the skill, for any input [S-26]", () => {
  const piece = fc.constantFrom(
    "..",
    ".",
    "%2e",
    "%2E%2e",
    "/",
    "%2f",
    "%5c",
    "\\",
    "%00",
    "a",
    "skill:",
    "//",
    "?",
    "#",
    "@",
    ":80",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.string({ maxLength: 6 }), (pieces, tail) => {
      const address = readAddress(`skill://pdf/${pieces.join("")}${tail}`);
      if (address === undefined) return;
      expect(address.id).toBe("pdf");
      for (const segment of address.path.split("/").slice(address.path === "" ? 1 : 0))
        expect(segment).toMatch(/^(?!\.{1,2}$)[^\\\0/]+$/s);
    }),
    { numRuns: 2000 },
  );
});
