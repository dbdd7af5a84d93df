import type { SkillRow } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { lackingRows, lacksOf } from "./lack.ts";

// Only the fields that the code under test reads.
const row = (id: string, missing?: readonly string[], state = "ready") =>
  ({
    entry: { id, readiness: { state, reasons: [] } },
    ...(missing === undefined ? {} : { registry: { missing } }),
  }) as unknown as SkillRow;

test("groups a dependency that several skills lack by its installer [S-59]", () => {
  const rows = [
    row("b", ["qpdf", "npm:sharp"]),
    row("a", ["pip:pypdf", "npm:sharp"]),
    row("c", []),
    row("folder"),
  ];
  expect(lacksOf(rows)).toEqual([
    { need: "pip:pypdf", manager: "pip", name: "pypdf", skills: ["a"] },
    { need: "npm:sharp", manager: "npm", name: "sharp", skills: ["b", "a"] },
    { need: "qpdf", manager: "system", name: "qpdf", skills: ["b"] },
  ]);
});

test("a skill lacks something when items are missing or it is not ready [S-59]", () => {
  const rows = [row("well", []), row("missing", ["qpdf"]), row("folder", undefined, "blocked")];
  expect(lackingRows(rows).map(({ entry }) => entry.id)).toEqual(["missing", "folder"]);
});
