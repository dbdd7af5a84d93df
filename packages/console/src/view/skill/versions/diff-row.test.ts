import { expect, test } from "vitest";
import { type DiffRow, rowsOf } from "./diff-row.ts";

const draw = (rows: readonly DiffRow[]) =>
  rows.map(({ left, right }) => [
    left === undefined ? "" : `${left.number}${left.isChanged ? "-" : " "}${left.text}`,
    right === undefined ? "" : `${right.number}${right.isChanged ? "+" : " "}${right.text}`,
  ]);

test("what went is beside what came in its place [S-59]", () => {
  const lines = [" a", "-b", "-c", "+B", " d", "+e"];
  expect(draw(rowsOf({ oldStart: 1, newStart: 1, lines }))).toEqual([
    ["1 a", "1 a"],
    ["2-b", "2+B"],
    ["3-c", ""],
    ["4 d", "3 d"],
    ["", "4+e"],
  ]);
});

test("lines are numbered from where the hunk begins, and notes are no lines [S-59]", () => {
  const lines = ["-x", "\\ No newline at end of file", "+y", "\\ No newline at end of file"];
  expect(draw(rowsOf({ oldStart: 10, newStart: 12, lines }))).toEqual([["10-x", "12+y"]]);
});

test("one change after another does not run into it [S-59]", () => {
  expect(draw(rowsOf({ oldStart: 1, newStart: 1, lines: ["-a", "+A", "-b", "+B"] }))).toEqual([
    ["1-a", "1+A"],
    ["2-b", "2+B"],
  ]);
});

test("an edited line has marks on the words that changed, and another line has none [S-59]", () => {
  const lines = [
    "-Write one page a week.",
    "+Write two pages a week.",
    "-gone",
    "+an altogether different text",
  ];
  const [edited, other] = rowsOf({ oldStart: 1, newStart: 1, lines });
  const marked = (words: readonly { text: string; isChanged: boolean }[] = []) =>
    words.filter(({ isChanged }) => isChanged).map(({ text }) => text);
  expect(marked(edited?.left?.words)).toEqual(["one", "page"]);
  expect(marked(edited?.right?.words)).toEqual(["two", "pages"]);
  expect(edited?.right?.words?.map(({ text }) => text).join("")).toBe("Write two pages a week.");
  expect([other?.left?.words, other?.right?.words]).toEqual([undefined, undefined]);
});
