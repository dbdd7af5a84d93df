import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { helloFiles } from "./exchange.fixture.ts";
import { emptySkillsLock, readSkillsLock, skillsLockHash, writeSkillsLock } from "./skills-lock.ts";

const HASH = "5edfe3a6b79dfe04490487c85c9b84a0557ed700376627f1fd025bf4e8771d0a";

/** As written by skills 1.7.4, with every kind of source and one unknown field. */
const WRITTEN = `{
  "version": 1,
  "skills": {
    "7": {
      "source": "./skills/7",
      "sourceType": "local",
      "computedHash": "${HASH}"
    },
    "Zebra": {
      "source": "docs.example",
      "sourceUrl": "https://docs.example",
      "sourceType": "well-known",
      "computedHash": "${HASH}",
      "wellKnownDigest": "sha256:${HASH}"
    },
    "hello": {
      "source": "acme/skills",
      "ref": "v1.2.0",
      "sourceType": "github",
      "skillPath": "skills/hello/SKILL.md",
      "computedHash": "${HASH}",
      "subagents": [
        "",
        "review"
      ],
      "pinned": {
        "by": "Jörg",
        "n": 1.5
      }
    },
    "kit": {
      "sourceType": "node_modules",
      "source": "@acme/kit",
      "version": "2.0.0",
      "via": "npm"
    }
  }
}
`;

describe("a project lock", () => {
  test("has the same bytes after reading and writing [S-46]", () => {
    expect(writeSkillsLock(readSkillsLock(WRITTEN))).toBe(WRITTEN);
  });

  test("lists installed skills with their sources [S-46]", () => {
    expect(readSkillsLock(WRITTEN).skills["hello"]).toMatchObject({ source: "acme/skills", ref: "v1.2.0" });
  });

  test("is written in the order of names [S-46]", () => {
    const { skills } = readSkillsLock(WRITTEN);
    const shuffled = Object.fromEntries(Object.entries(skills).toReversed());
    expect(writeSkillsLock({ ...emptySkillsLock, skills: shuffled })).toBe(WRITTEN);
  });

  test("keeps unknown fields at every level [S-46]", () => {
    const text = '{\n  "note": "mine",\n  "version": 1,\n  "skills": {},\n  "later": [\n    null\n  ]\n}\n';
    expect(writeSkillsLock(readSkillsLock(text))).toBe(text);
  });

  test.each([
    ["not JSON", "<<<<<<< HEAD\n{}"],
    ["empty", ""],
    ["a list", "[]"],
    ["of another version", '{"version":2,"skills":{}}'],
    ["without skills", '{"version":1}'],
    ["with a skill that is text", '{"version":1,"skills":{"a":"b"}}'],
    ["with a hash that is a number", '{"version":1,"skills":{"a":{"computedHash":1}}}'],
    ["with a field that is not data", '{"version":1,"skills":{"__proto__":{"source":"x"}}}'],
    ["nested too deeply", `{"version":1,"skills":{"a":{"b":${"[".repeat(9999)}${"]".repeat(9999)}}}}`],
  ])("that is %s is rejected and not treated as empty [S-46]", (_what, text) => {
    expect(() => readSkillsLock(text)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });

  test("that is too large is rejected before it is parsed [S-66]", () => {
    const text = `${WRITTEN}${" ".repeat(16 * 1024 * 1024)}`;
    expect(() => readSkillsLock(text)).toThrow(/longer than/);
  });

  test("with any content survives a round trip [S-46]", () => {
    const name = fc.string({ unit: "grapheme", maxLength: 12 }).filter((key) => key !== "__proto__");
    const known = new Set([
      "source",
      "sourceType",
      "sourceUrl",
      "ref",
      "skillPath",
      "computedHash",
      "skillhold",
    ]);
    const extra = fc.dictionary(
      name.filter((key) => !known.has(key)),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const entry = fc.tuple(extra, fc.record({ source: fc.string(), sourceType: fc.string() }));
    fc.assert(
      fc.property(fc.dictionary(name, entry), (entries) => {
        const skills = Object.fromEntries(
          Object.entries(entries).map(([key, [a, b]]) => [key, { ...a, ...b }]),
        );
        const text = writeSkillsLock({ version: 1, skills });
        expect(writeSkillsLock(readSkillsLock(text))).toBe(text);
      }),
    );
  });
});

test("the computed hash of a skill equals that of skills 1.7.4 [S-46]", () => {
  expect(skillsLockHash(helloFiles)).toBe(HASH);
  expect(skillsLockHash(helloFiles.toReversed())).toBe(HASH);
});
