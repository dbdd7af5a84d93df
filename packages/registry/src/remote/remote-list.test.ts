import { entry } from "@skillhold/core/test/catalogue/entry.fixture";
import type { SkillEntry } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { KnownSkills, mergeChanges } from "./remote-list.ts";

function listOf(...entries: readonly SkillEntry[]): ReadonlyMap<string, SkillEntry> {
  return new Map(entries.map((each) => [each.id, each]));
}

const nothing = { added: [], changed: [], removed: [], broken: [] };
const other = entry("b", { description: "Another." });

test("reports changes by id and ignores modification times [S-18]", () => {
  const known = new KnownSkills();
  const before = listOf(entry("a"), entry("b"), entry("d"));
  known.meet(before);
  const touched = entry("d", { lastModified: "2026-02-02T00:00:00Z" });
  const change = known.learn(before, listOf(other, entry("c"), touched));
  expect(change).toEqual({ added: ["c"], changed: ["b"], removed: ["a"], broken: [] });
});

test("reports a change once if two viewers see it one after the other [S-18]", () => {
  const known = new KnownSkills();
  const before = listOf(entry("a"), entry("b"));
  const after = listOf(other, entry("c"));
  known.meet(before);
  known.meet(before);
  expect(known.learn(before, after)).toEqual({ added: ["c"], changed: ["b"], removed: ["a"], broken: [] });
  expect(known.learn(before, after)).toBeUndefined();
});

test("reports a skill that one viewer lost, and its return [S-43]", () => {
  const known = new KnownSkills();
  const [all, less] = [listOf(entry("a"), entry("b")), listOf(entry("a"))];
  known.meet(all);
  expect(known.learn(all, less)).toEqual({ ...nothing, removed: ["b"] });
  expect(known.learn(less, all)).toEqual({ ...nothing, added: ["b"] });
});

test("several changes are told as one: what came for one and went for another has changed [S-18]", () => {
  expect(mergeChanges([])).toBeUndefined();
  const one = { ...nothing, added: ["x", "b"], removed: ["y"] };
  const two = { ...nothing, added: ["x"], changed: ["z"], removed: ["b"] };
  expect(mergeChanges([one, two])).toEqual({ added: ["x"], changed: ["b", "z"], removed: ["y"], broken: [] });
});
