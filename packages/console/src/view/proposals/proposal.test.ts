import { expect, test } from "vitest";
import { nameOf, readBox } from "./proposal.ts";

test("an author is named as a person, an agent, or an agent of a person [S-59]", () => {
  expect(nameOf({ user: "ann", role: "publisher" })).toBe("ann");
  expect(nameOf({ user: "agent:bot", role: "agent", agent: "bot" })).toBe("bot");
  expect(nameOf({ user: "ann", role: "agent", agent: "bot" })).toBe("bot for ann");
});

test("an unknown list in the address shows pending proposals [S-59]", () => {
  expect([readBox("open"), readBox("closed"), readBox("x"), readBox("")]).toEqual([
    ...["open", "closed", "waiting", "waiting"],
  ]);
});
