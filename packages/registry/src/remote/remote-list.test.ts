import { entry } from "@skillhold/core/test/catalogue/entry.fixture";
import type { SkillEntry } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { changeBetween, RemoteView } from "./remote-list.ts";

function listOf(...entries: readonly SkillEntry[]): RemoteView {
  return new RemoteView(entries, undefined);
}

test("reports changes by id and ignores modification times [S-18]", () => {
  const before = listOf(entry("a"), entry("b"), entry("d"));
  const touched = entry("d", { lastModified: "2026-02-02T00:00:00Z" });
  const other = entry("b", { description: "Another." });
  expect(changeBetween(before, listOf(other, entry("c"), touched))).toEqual({
    added: ["c"],
    changed: ["b"],
    removed: ["a"],
    broken: [],
  });
  expect(changeBetween(before, listOf(entry("a"), entry("b"), touched))).toBeUndefined();
});
