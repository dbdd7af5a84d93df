import type { SkillRow } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { fitting, type PaletteItem, skillItems } from "./palette-item.ts";

const item = (group: PaletteItem["group"], name: string, note = ""): PaletteItem => ({
  ...{ id: `${group} ${name}`, group, name, note },
  run: () => undefined,
});
// Only the fields that the palette shows.
const row = (id: string) => ({ entry: { id, description: `About ${id}.` } }) as SkillRow;
const namesOf = (items: readonly PaletteItem[]) => items.map(({ group, name }) => `${group}: ${name}`);

test("lists recent skills first, each once, without deleted ones [S-59]", () => {
  const skills = skillItems(["a", "b", "c"].map(row), ["c", "gone"], () => undefined);
  expect(namesOf(fitting([item("Views", "Tokens"), ...skills], ""))).toEqual([
    "Recent: c",
    "Views: Tokens",
    "Skills: a",
    "Skills: b",
  ]);
});

test("ranks names that start with the words first [S-59]", () => {
  const items = [
    item("Actions", "New token"),
    item("Views", "Tokens"),
    item("Skills", "pdf", "Counts tokens."),
    item("Skills", "other"),
  ];
  expect(namesOf(fitting(items, " Token"))).toEqual(["Views: Tokens", "Actions: New token", "Skills: pdf"]);
});
