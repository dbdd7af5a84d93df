import { countTurns } from "@skillhold/core/test/loop-turn.fixture";
import { expect, test } from "vitest";
import { diffText, TextDiffBudget } from "./diff.ts";

const clock = { now: () => new Date() };
const bytes = (line: (index: number) => string, count: number) =>
  new TextEncoder().encode(Array.from({ length: count }, (_, index) => `${line(index)}\n`).join(""));

test("compares a text with hundreds of changed lines on a busy machine [S-45]", async () => {
  const before = bytes((index) => `line ${index}`, 400);
  const after = bytes((index) => (index % 2 === 0 ? `line ${index}` : `other ${index}`), 400);
  const { text, note } = await diffText("a.txt", before, after, new TextDiffBudget(clock));
  expect(note).toBeUndefined();
  expect(text?.match(/^\+other /gm)).toHaveLength(200);
  expect(text?.match(/^-line /gm)).toHaveLength(200);
});

test("yields to other work between two files [S-45]", async () => {
  const budget = new TextDiffBudget(clock);
  const one = bytes(() => "one", 1);
  const turns = await countTurns(async () => {
    for (let count = 0; count < 20; count += 1)
      await diffText(
        "a.txt",
        one,
        bytes(() => `${count}`, 2000),
        budget,
      );
  });
  expect(turns).toBeGreaterThanOrEqual(20);
});

test("reports a text with too many changed lines as too different [S-45]", async () => {
  const [before, after] = [bytes((index) => `a${index}`, 5000), bytes((index) => `b${index}`, 5000)];
  expect(await diffText("a.txt", before, after, new TextDiffBudget(clock))).toEqual({
    note: "too different",
  });
});

test("stops comparing texts that differ in every line before others wait long [S-45]", async () => {
  const [before, after] = [bytes((index) => `a${index}`, 600), bytes((index) => `b${index}`, 600)];
  const diff = diffText("a.txt", before, after, new TextDiffBudget(clock));
  expect(await diff).toEqual({ note: "too different" });
});
