import { expect, test } from "vitest";
import { commandElsewhere } from "./library-choice.ts";

test.each([
  [{}, {}, "skillhold fsck"],
  [{}, { SKILLHOLD_DATA: "/srv/skills" }, "SKILLHOLD_DATA=/srv/skills skillhold fsck"],
  [{}, { SKILLHOLD_DATA: "/srv/it's $x" }, "SKILLHOLD_DATA='/srv/it'\\''s $x' skillhold fsck"],
  [{ store: "sqlite:a.db" }, {}, "skillhold fsck --store sqlite:a.db"],
  [{ store: "postgres://u:secret@h/d" }, {}, "skillhold fsck --store <url>"],
])("a command for another terminal names the store of %j and %j [S-60]", (options, env, expected) => {
  expect(commandElsewhere("fsck", options, { env, command: () => "skillhold" })).toBe(expected);
});
