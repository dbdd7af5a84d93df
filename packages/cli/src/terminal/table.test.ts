import { expect, test } from "vitest";
import { cutToWidth, formatTable, textWidth } from "./table.ts";

const columns = [{ title: "ID", most: 6 }, { title: "KIND" }, { title: "TEXT" }];
const rows = [
  ["a", "same", "short"],
  ["longer-than-six", "same", "a text that goes on for a while, further than fits"],
];
const format = (width: number | undefined) =>
  formatTable(columns, rows, { width, paintTitle: (text) => text });

test("cells are not cut without a terminal [S-60]", () => {
  expect(format(undefined)).toBe(
    "ID               KIND  TEXT\n" +
      "a                same  short\n" +
      "longer-than-six  same  a text that goes on for a while, further than fits\n",
  );
});

test("on a terminal no line reaches the last column [S-60]", () => {
  expect(format(60).split("\n")[2]).toBe("longe…  same  a text that goes on for a while, further tha…");
});

test("a narrow terminal drops a column with equal cells [S-60]", () => {
  expect(format(40).split("\n")[0]).toBe("ID      TEXT");
});

test.each([
  ["abc", 3],
  ["日本", 4],
  ["e\u0301", 1],
  ["😀", 2],
])("%s is %i columns wide [S-60]", (text, width) => expect(textWidth(text)).toBe(width));

test("a cut never splits a wide character [S-60]", () => {
  expect([cutToWidth("日本語", 4), cutToWidth("abc", 3), cutToWidth("abc", 2), cutToWidth("abc", 0)]).toEqual(
    ["日…", "abc", "a…", ""],
  );
});
