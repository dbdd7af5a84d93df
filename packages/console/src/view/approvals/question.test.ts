import { expect, test } from "vitest";
import { currentOf, dangersOf, exactText, type Question } from "./question.ts";

// Only the fields that the warnings read.
const question = (change: object) =>
  ({
    sandbox: "bubblewrap",
    network: "none",
    mounts: [],
    secrets: [],
    trust: "user",
    ...change,
  }) as unknown as Question;

test("a sandboxed run without extras shows no risks [S-59]", () => {
  expect(dangersOf(question({}))).toEqual([]);
});

test.each([
  [{ sandbox: "none" }, "No sandbox", true],
  [{ network: "open" }, "any host", true],
  [{ network: "api.example.org" }, "reach api.example.org", false],
  [{ mounts: [{ source: "/data", target: "/mnt", isWritable: true }] }, "write to /data", false],
  [{ secrets: ["API_KEY"] }, "given API_KEY", false],
  [{ trust: "third_party" }, "Third-party", false],
])("shows %j [S-59]", (change, words, isGrave) => {
  const dangers = dangersOf(question(change));
  expect(dangers).toHaveLength(1);
  expect(dangers[0]?.text).toContain(words);
  expect(dangers[0]?.isGrave).toBe(isGrave);
});

test("different arguments look different [S-59]", () => {
  expect(exactText("scripts/run.py")).toBe("scripts/run.py");
  expect(exactText("two words")).toBe('"two words"');
  expect(exactText("")).toBe('""');
  expect(exactText("a\u202egnp.exe")).toBe('"a\\u202egnp.exe"');
  expect(exactText("a\u200bb\u00a0c")).toBe('"a\\u200bb\\u00a0c"');
  expect(exactText("é")).toBe('"é"');
  expect(exactText("e\u0301")).not.toBe(exactText("é"));
});

test("keeps the current question when others come and go [S-59]", () => {
  expect(currentOf(["a", "b"], undefined, [])).toBe("a");
  expect(currentOf(["new", "a", "b"], "b", ["a", "b"])).toBe("b");
  expect(currentOf(["a", "c"], "b", ["a", "b", "c"])).toBe("c");
  expect(currentOf(["a"], "b", ["a", "b"])).toBe("a");
  expect(currentOf([], "b", ["b"])).toBe(undefined);
});
