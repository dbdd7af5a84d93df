import { expect, test } from "vitest";
import { changeTags, readTags } from "./skill-tag.ts";

test("tags are read from a list with commas, and added or removed once [S-59]", () => {
  const tags = readTags(" a, b ,,a ");
  expect(tags).toEqual(["a", "b"]);
  const own = ["b", "c"];
  expect(changeTags(own, tags, "add")).toEqual(["b", "c", "a"]);
  expect(changeTags(own, tags, "remove")).toEqual(["c"]);
  expect(changeTags(own, ["b"], "add")).toBe(own);
});
