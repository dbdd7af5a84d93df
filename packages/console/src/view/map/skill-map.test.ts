import { expect, test } from "vitest";
import { mapOf, relations, textOf } from "./skill-map.ts";

const answer = {
  days: 90,
  skills: ["docx", "pdf", "xlsx"],
  agents: [
    { key: "reader", displayName: "Reader", may: [0, 1], used: [[1, 3]] },
    { key: "writer", displayName: "Writer", may: [1], used: [[2, 1]] },
  ] as { key: string; displayName: string; may: number[]; used: [number, number][] }[],
};
const rowsFor = (filter: object) =>
  mapOf(answer, { words: "", agent: "", relation: "all", ...filter }).rows.map(({ skill }) => skill);

test("the map has a row per skill and a cell per agent [S-59]", () => {
  const { agents, rows } = mapOf(answer, { words: "", agent: "", relation: "all" });
  expect(agents.map(({ key }) => key)).toEqual(["reader", "writer"]);
  expect(rows[1]?.cells.map(textOf)).toEqual(["may use it, used 3 times", "may use it, not used"]);
  expect(rows[2]?.cells.map(textOf)).toEqual(["no access", "no access now, used 1 time"]);
});

test("a filter keeps the skills with a matching pair [S-59]", () => {
  expect(Object.keys(relations).map((relation) => rowsFor({ relation }))).toEqual([
    ["docx", "pdf", "xlsx"],
    ["pdf", "xlsx"],
    ["docx", "pdf"],
    ["xlsx"],
  ]);
  expect(rowsFor({ relation: "unused", agent: "writer" })).toEqual(["pdf"]);
  expect(rowsFor({ words: " DOC" })).toEqual(["docx"]);
});
