import { describe, expect, test } from "vitest";
import { entry as makeEntry } from "../catalogue/entry.fixture.ts";
import { decideAccess, isOpenTo, type SkillDecision } from "./access.ts";
import { type Disclosure, discloseSkill, mayKnow } from "./disclosure.ts";
import type { GrantFacts, Ownership } from "./ownership.ts";
import type { Viewer } from "./viewer.ts";

const skill = makeEntry("a", { runtime: ["*"], revision: 5 });

const grantTo = (kind: "agent" | "user", key: string, pin?: number): GrantFacts => ({
  grantee: { kind, key },
  pin,
});

const owned = (fields: Partial<Ownership> = {}): Ownership => ({
  owner: "ada",
  visibility: "private",
  isSystem: false,
  grants: [],
  isPinned: false,
  revision: (number) => (number < 9 ? makeEntry("a", { revision: number }) : undefined),
  ...fields,
});

const ownerships: readonly (Ownership | undefined)[] = [
  undefined,
  owned(),
  owned({ visibility: "internal" }),
  owned({ visibility: "public" }),
  owned({ isSystem: true }),
  owned({ grants: [grantTo("user", "bob")] }),
  owned({ grants: [grantTo("agent", "helper", 2)] }),
  owned({ grants: [grantTo("user", "bob", 9)] }),
];

const states: readonly Omit<SkillDecision, "ownership">[] = [
  { isEnabled: true, status: "active", reason: undefined },
  { isEnabled: false, status: "active", reason: undefined },
  { isEnabled: true, status: "archived", reason: "deps" },
  { isEnabled: true, status: "archived", reason: "out of date" },
];

const standings: readonly (SkillDecision | undefined)[] = [
  undefined,
  ...states.flatMap((state) =>
    ownerships.map((ownership) => (ownership === undefined ? state : { ...state, ownership })),
  ),
];

const viewers: readonly Viewer[] = [
  { runtime: "test" },
  { runtime: "test", user: "ada" },
  { runtime: "test", user: "bob" },
  { runtime: "test", user: "bob", agent: "helper" },
  { runtime: "test", user: "ada", allow: [] },
  { runtime: "test", user: "ada", allow: ["a"] },
  { runtime: "test", user: "ada", allow: ["b"] },
  { runtime: "test", user: "ada", pins: { a: 9 } },
];

const cases = standings.flatMap((standing) => viewers.map((viewer) => ({ standing, viewer })));

describe("the disclosure contract", () => {
  test("a viewer knows of every skill that the gate shows it [S-43]", () => {
    for (const { standing, viewer } of cases) {
      const { isVisible } = decideAccess(skill, viewer, {}, standing);
      if (isVisible) expect(mayKnow({ id: skill.id, standing }, viewer)).toBe(true);
    }
  });

  test("a viewer never knows of a skill outside its allow list [S-43]", () => {
    for (const { standing, viewer } of cases)
      if (viewer.allow?.includes(skill.id) === false)
        expect(mayKnow({ id: skill.id, standing }, viewer)).toBe(false);
  });

  test("switching a skill off or archiving it does not change who knows of it [S-43]", () => {
    for (const ownership of ownerships)
      for (const viewer of viewers) {
        const known = states.map((state) => {
          const standing = ownership === undefined ? state : { ...state, ownership };
          return mayKnow({ id: skill.id, standing }, viewer);
        });
        expect(new Set(known).size).toBe(1);
      }
  });

  test("a skill that is open to a viewer is known to it, unless the allow list leaves it out [S-43]", () => {
    for (const { standing, viewer } of cases)
      if (isOpenTo(skill, viewer, standing) && viewer.allow?.includes(skill.id) !== false)
        expect(mayKnow({ id: skill.id, standing }, viewer)).toBe(true);
  });

  test("the gate gives the same answer as if the skill were on [S-43]", () => {
    for (const { standing, viewer } of cases) {
      const on = standing && { ...standing, isEnabled: true, status: "active" as const, reason: undefined };
      const { reason } = decideAccess(skill, viewer, {}, on);
      const isKnown = reason !== "no-grant" && reason !== "not-allowed";
      expect(mayKnow({ id: skill.id, standing }, viewer)).toBe(isKnown);
    }
  });

  test("details are for visible skills and overseers, existence for viewers with a right to the skill [S-43]", () => {
    for (const { standing, viewer } of cases) {
      const disclosed = (isVisible: boolean, isOverseer: boolean): Disclosure =>
        discloseSkill({ id: skill.id, standing }, { viewer, isVisible, isOverseer });
      expect(disclosed(true, false)).toBe("details");
      expect(disclosed(false, true)).toBe("details");
      const isKnown = mayKnow({ id: skill.id, standing }, viewer);
      expect(disclosed(false, false)).toBe(isKnown ? "existence" : "none");
    }
  });
});
