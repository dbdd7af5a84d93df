import { defaultLimits } from "@skillhold/protocol/limits";
import { expect, test } from "vitest";
import { fetchListing } from "./listing.ts";
import { refusalOf } from "./refusal.ts";

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

test("rejects a response that is nested too deeply [S-57]", async () => {
  const error = await fetchListing(async () => ({ skills: [nested(100_000)] }), defaultLimits).catch(
    (each) => each,
  );
  expect(refusalOf(error)).toBe("MCP_ANSWER_INVALID");
});

test.each([
  ["nested too deeply", "MCP_ANSWER_INVALID", nested(100_000)],
  ["larger than a list", "MCP_LIST_TOO_LARGE", "x".repeat(defaultLimits.mcpListBytes)],
])("rejects an entry that was requested by URI when it is %s [S-57]", async (_name, code, more) => {
  const uri = "skill://pdf/SKILL.md";
  const named = { uris: [uri], fetch: async () => ({ skill: { uri, more } }) };
  const error = await fetchListing(async () => ({ skills: [] }), defaultLimits, named).catch((each) => each);
  expect(refusalOf(error)).toBe(code);
});

test("rejects a page with millions of entries before parsing them [S-57]", async () => {
  const page = { skills: Array.from({ length: 1_000_000 }, () => 0) };
  const error = await fetchListing(async () => page, defaultLimits).catch((each) => each);
  expect(refusalOf(error)).toBe("MCP_TOO_MANY_SKILLS");
});

test("rejects an entry without a valid name under a guessed one [S-19] [S-57]", async () => {
  const skills = [null, { uri: 7 }, { uri: "skill://My Skill/SKILL.md" }, { frontmatter: { name: "pdf" } }];
  const { refused } = await fetchListing(async () => ({ skills }), defaultLimits);
  expect(refused.map(({ id, uri }) => [id, uri])).toEqual([
    ["unnamed", "(no URI)"],
    ["unnamed", "(no URI)"],
    ["my-skill", "skill://My Skill/SKILL.md"],
    ["pdf", "(no URI)"],
  ]);
});
