import fc from "fast-check";
import { expect, test } from "vitest";
import { declaredToolName, declaredToolNames } from "./tool-name.ts";

const ids = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{1,20}(-[a-z0-9]{1,20}){0,2}$/),
  fc.constantFrom("mcp", "mcp-a", "mcpx"),
);
const tools = fc.oneof(fc.string({ minLength: 1, maxLength: 100 }), fc.stringMatching(/^[a-b_.]{1,3}$/));

test("a tool name contains its skill and its own name [S-32]", () => {
  expect(declaredToolName("seo-page", "write_page")).toBe("seo-page__write_page");
  expect(declaredToolName("pdf", "pages.merge all")).toBe("pdf__pages_merge_all");
});

test("a skill's tool never has the name of an MCP server's tool [S-32]", () => {
  expect(declaredToolName("mcp", "github__create_issue")).toBe("mcp-__github__create_issue");
  expect(declaredToolName("mcp", "a".repeat(99))).toMatch(/^mcp-__a{47}_[0-9a-f]{10}$/);
  expect(declaredToolName("mcp-github", "x")).toBe("mcp-github__x");
});

test("a long name is cut and ends with a hash of the whole name [S-32]", () => {
  const long = declaredToolName("pdf", `${"a".repeat(80)}1`);
  expect(long).toMatch(/^pdf__a{48}_[0-9a-f]{10}$/);
  expect(declaredToolName("pdf", `${"a".repeat(80)}2`)).not.toBe(long);
  expect(declaredToolName("pdf", "a".repeat(59))).toBe(`pdf__${"a".repeat(59)}`);
});

test("tools with colliding names all get a hash, also one that has such a name [S-32]", () => {
  const [first, second, third] = declaredToolNames("x", ["a.b", "a b", "ab"]);
  expect(first).toMatch(/^x__a_b_[0-9a-f]{10}$/);
  expect(second).toMatch(/^x__a_b_[0-9a-f]{10}$/);
  expect(first).not.toBe(second);
  expect(third).toBe("x__ab");
  const taken = first?.slice("x__".length) ?? "";
  expect(new Set(declaredToolNames("x", ["a.b", "a b", taken])).size).toBe(3);
});

test("models accept every name, and no two tools share one, within or across skills [S-32]", () => {
  fc.assert(
    fc.property(ids, ids, fc.uniqueArray(tools), fc.uniqueArray(tools), (a, b, ofA, ofB) => {
      const names = [...declaredToolNames(a, ofA), ...(a === b ? [] : declaredToolNames(b, ofB))];
      for (const name of names) expect(name).toMatch(/^(?!mcp__)[A-Za-z0-9_-]{1,64}$/);
      expect(new Set(names).size).toBe(names.length);
      expect(declaredToolNames(a, ofA)).toEqual(declaredToolNames(a, ofA));
    }),
  );
});
