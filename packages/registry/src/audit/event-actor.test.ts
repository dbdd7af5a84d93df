import { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import type { AuditRow } from "../record/registry-store.ts";
import { ActorCheck } from "./event-actor.ts";

const at = "2026-01-01T00:00:00.000Z";
const opened = (user: string) =>
  SkillEvent.parse({ type: "session.opened", at, session: "s", runtime: "test", user });
const closed = SkillEvent.parse({ type: "session.closed", at, session: "s" });

/** The numbers of the entries that are reported, for events with these person columns. */
function wrongOf(...entries: readonly (readonly [SkillEvent | "pruned", string?])[]): readonly number[] {
  const check = new ActorCheck();
  const wrong = entries.flatMap(([event, person], index) => {
    if (event === "pruned") {
      check.skip();
      return [];
    }
    const names = { skill: undefined, session: "s", ...(person === undefined ? {} : { person }) };
    const row: AuditRow = { seq: index + 1, at, type: event.type, ...names, body: "", hash: "" };
    return check.isTrue(row, event) ? [] : [row.seq];
  });
  return [...wrong, ...check.unresolved()];
}

test("an entry of a session has the actor that opened it, and no other [S-62]", () => {
  expect(wrongOf([opened("ann"), "ann"], [closed, "ann"])).toEqual([]);
  expect(wrongOf([opened("ann"), "eve"])).toEqual([1]);
  expect(wrongOf([opened("ann"), "ann"], [closed, "eve"])).toEqual([2]);
  expect(wrongOf([opened("ann"), "ann"], [closed])).toEqual([2]);
});

test("an entry before the opening has no actor, or the one that opened the session in its batch [S-62]", () => {
  expect(wrongOf([closed], [opened("ann"), "ann"], [closed])).toEqual([]);
  expect(wrongOf([closed, "ann"], [opened("ann"), "ann"], [closed, "ann"])).toEqual([]);
  expect(wrongOf([closed, "eve"], [opened("ann"), "ann"])).toEqual([1]);
  expect(wrongOf([closed, "eve"])).toEqual([1]);
});

test("a pruned entry may have opened a session [S-62]", () => {
  expect(wrongOf(["pruned"], [closed, "ann"], [closed, "ann"])).toEqual([]);
  expect(wrongOf(["pruned"], [opened("ann"), "ann"], [closed, "eve"])).toEqual([3]);
});
