import { expect, test } from "vitest";
import { dataFolder } from "./data-folder.ts";

test.each([
  [{ HOME: "/h" }, "linux", "/h/.local/share/skillhold"],
  [{ HOME: "/h", XDG_DATA_HOME: "/d" }, "linux", "/d/skillhold"],
  [{ HOME: "/h" }, "darwin", "/h/Library/Application Support/skillhold"],
  [{ LOCALAPPDATA: "/l", HOME: "/h" }, "win32", "/l/skillhold"],
])("with %j on %s, the data folder is %s [S-33] [S-67]", (env, platform, expected) => {
  expect(dataFolder(env, platform)).toBe(expected);
});

test("fails without a user folder [S-29]", () => {
  expect(() => dataFolder({}, "linux")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
