import { expect, test } from "vitest";
import { type DiffRow, rowsOf } from "./diff-row.ts";

const draw = (rows: readonly DiffRow[]) =>
  rows.map(({ left, right }) => [
    left === undefined ? "" : `${left.number}${left.isChanged ? "-" : " "}${left.text}`,
    right === undefined ? "" : `${right.number}${right.isChanged ? "+" : " "}${right.text}`,
  ]);

test("shows removed lines beside their replacements [S-59]", () => {
  const lines = [" a", "-b", "-c", "+B", " d", "+e"];
  expect(draw(rowsOf({ oldStart: 1, newStart: 1, lines }))).toEqual([
    ["1 a", "1 a"],
    ["2-b", "2+B"],
    ["3-c", ""],
    ["4 d", "3 d"],
    ["", "4+e"],
  ]);
});

test("numbers lines from the start of the hunk, without notes [S-59]", () => {
  const lines = ["-x", "\\ No newline at end of file", "+y", "\\ No newline at end of file"];
  expect(draw(rowsOf({ oldStart: 10, newStart: 12, lines }))).toEqual([["10-x", "12+y"]]);
});

test("keeps consecutive changes separate [S-59]", () => {
  expect(draw(rowsOf({ oldStart: 1, newStart: 1, lines: ["-a", "+A", "-b", "+B"] }))).toEqual([
    ["1-a", "1+A"],
    ["2-b", "2+B"],
  ]);
});

test("marks changed words in an edited line only [S-59]", () => {
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
