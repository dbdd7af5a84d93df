import { posix } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { expect, test } from "vitest";
import { refusalOf } from "./refusal.ts";
import { isSameUri, readFileUri, readSkillUri } from "./skill-uri.ts";

/** What reading gives, or the code of the refusal; any other failure is one of the reader. */
function attempt<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    const code = refusalOf(error);
    if (code === undefined) throw error;
    return code;
  }
}

const name = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const plainSegment = fc
  .string({ unit: fc.constantFrom(..."abcXYZ019 -_&+é字"), minLength: 1, maxLength: 8 })
  .filter((text) => text === text.trim() && !/\.$/.test(text));
const encoded = (segments: readonly string[]) => segments.map((each) => encodeURIComponent(each)).join("/");
/** Pieces that mean something to a reader of addresses or of paths, among any others. */
const trickyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "/",
        "//",
        "\\",
        "%2e",
        "%2E%2e",
        "%2f",
        "%5c",
        "%00",
        "%25",
        "%252e",
        "skill:",
        "file:",
        "?",
        "#",
        "@",
        ":",
        "~",
        "con",
        "SKILL.md",
        "\u2025",
        "\uff0f",
        "\u202e",
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("every URI of a server is parsed or rejected [S-57]", () => {
  const skill = readSkillUri("skill://acme/evil/SKILL.md");
  fc.assert(
    fc.property(fc.oneof(trickyText, fc.string()), (text) => {
      attempt(() => readSkillUri(text));
      attempt(() => readFileUri(text, skill, defaultLimits));
      isSameUri(text, skill.text);
    }),
    { numRuns: 2000 },
  );
});

test("rejects a file URI outside the folder of the skill [S-57]", () => {
  const skill = readSkillUri("skill://acme/evil/SKILL.md");
  fc.assert(
    fc.property(trickyText, (tail) => {
      const text = `skill://acme/evil/${tail}`;
      let path: string;
      try {
        path = readFileUri(text, skill, defaultLimits);
      } catch (error) {
        expect(refusalOf(error)).toMatch(/^MCP_URI_/);
        return;
      }
      // Neither joined as a path nor resolved as an address does it lead out of the folder.
      expect(posix.join("/skill", path)).toBe(`/skill/${path}`);
      expect(new URL(text).href.startsWith("skill://acme/evil/")).toBe(true);
      expect(path).not.toMatch(/(?:^|\/)\.{1,2}(?:\/|$)|\\|\0|%2[ef]/i);
    }),
    { numRuns: 3000 },
  );
});

test("parses a listed file to its path in any encoding [S-57]", () => {
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fc.array(plainSegment, { minLength: 1, maxLength: 4 }),
      (folders, parts) => {
        const skill = readSkillUri(`skill://${folders.join("/")}/SKILL.md`);
        expect(skill.name).toBe(folders.at(-1));
        const text = `skill://${folders.join("/")}/${encoded(parts)}`;
        expect(attempt(() => readFileUri(text, skill, defaultLimits))).toBe(parts.join("/"));
      },
    ),
  );
});

test("two URIs are equal exactly when they name the same file [S-57]", () => {
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fc.array(name, { minLength: 1, maxLength: 3 }),
      (a, b) => {
        const escapeAll = (text: string) =>
          [...text].map((each) => `%${each.charCodeAt(0).toString(16)}`).join("");
        const [one, other] = [`skill://${a.join("/")}`, `SKILL://${b.map(escapeAll).join("/")}`];
        expect(isSameUri(one, other)).toBe(a.join("/") === b.join("/"));
      },
    ),
  );
});

test("a URI keeps the server's spelling for requests [S-57]", () => {
  expect(readSkillUri("Skill://A%63me/pdf/SKILL.md")).toEqual({
    text: "Skill://A%63me/pdf/SKILL.md",
    folder: "Skill://A%63me/pdf",
    name: "pdf",
    key: "skill://Acme/pdf/SKILL.md",
  });
});
