import { describe, expect, test } from "vitest";
import { commandTable } from "../command-table.ts";
import { localizeHints, storeCommands } from "./hint.ts";

const npx = () => "npx skillhold";

describe("a command in a hint", () => {
  test.each([
    [{}, "Run `skillhold fsck`.", "Run `npx skillhold fsck`."],
    [
      {},
      "`skillhold list --root a` and `skillhold doctor`",
      "`npx skillhold list --root a` and `npx skillhold doctor`",
    ],
    [
      {},
      "skillhold is a program, and `skillhold` is its name",
      "skillhold is a program, and `skillhold` is its name",
    ],
    [{ store: "sqlite:a.db" }, "`skillhold fsck`", "`npx skillhold fsck --store sqlite:a.db`"],
    [
      { store: "sqlite:a b.db" },
      "`skillhold audit verify`",
      '`npx skillhold audit verify --store "sqlite:a b.db"`',
    ],
    [{ store: "postgres://u:secret@h/d" }, "`skillhold fsck`", "`npx skillhold fsck --store <url>`"],
    [
      { store: "sqlite:a.db" },
      "`skillhold fsck --store sqlite:a.db`",
      "`npx skillhold fsck --store sqlite:a.db`",
    ],
    [{ store: "sqlite:a.db" }, "`skillhold list --root x`", "`npx skillhold list --root x`"],
    [{ store: "sqlite:a.db" }, "`skillhold validate x`", "`npx skillhold validate x`"],
    [{ store: false }, "`skillhold publish x`", "`npx skillhold publish x`"],
    [{ data: "/srv/it's" }, "`skillhold fsck`", "`SKILLHOLD_DATA='/srv/it'\\''s' npx skillhold fsck`"],
  ])("with the options %j, %s becomes %s [S-60]", (options, text, expected) => {
    expect(localizeHints(text, { command: npx, options })).toBe(expected);
  });

  test("names the store for exactly the commands that take one [S-60]", async () => {
    const modules = await Promise.all(
      commandTable.map(async ({ name, load }) => ({ name, options: (await load()).command.options })),
    );
    const taking = modules.filter(({ options }) => options.some(({ flags }) => /--store\b/.test(flags)));
    expect([...storeCommands].sort()).toEqual(taking.map(({ name }) => name).sort());
  });
});
