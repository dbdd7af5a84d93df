import { SkillEvent } from "@skillhold/protocol";
import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { type EventGroup, eventGroups, isEventGroup, typesOf } from "./event-group.ts";

// The keys are the groups.
const groups = Object.keys(eventGroups) as EventGroup[];

test("every type of event is in one group that can be requested [S-59]", () => {
  const asked = groups.flatMap((group) => routeTable.listEvents.query.parse({ type: typesOf(group) }).type);
  const types = SkillEvent.options.flatMap(({ shape }) => [...shape.type.values]);
  expect(asked.toSorted()).toEqual(types.toSorted());
});

test("an unknown group in the address shows everything [S-59]", () => {
  expect(isEventGroup("runs")).toBe(true);
  expect(isEventGroup("toString")).toBe(false);
  expect(isEventGroup("")).toBe(false);
});
