import { expect, test } from "vitest";
import type { OnboardingFacts } from "./onboarding.ts";
import { stepsFor } from "./onboarding.ts";

const at = "2026-01-01T00:00:00.000Z";
const agent = {
  ...{ uid: "u", key: "writer", displayName: "Writer", runtime: "x", pins: {}, owner: "ann" },
  ...{ createdAt: at, updatedAt: at },
};
const token = {
  id: "t",
  kind: "api",
  name: "n",
  role: "agent",
  user: "agent:writer",
  agent: "writer",
  createdBy: "ann",
  createdAt: at,
  expiresAt: at,
} as const;

const done = (facts: Partial<OnboardingFacts>) =>
  stepsFor({ hasSkill: false, agents: [], tokens: [], ...facts }).map(({ isDone }) => isDone);

test("the gateway's data alone completes each step of the first visit [S-59]", () => {
  expect(done({})).toEqual([false, false, false, false]);
  expect(done({ hasSkill: true, agents: [agent] })).toEqual([true, true, false, false]);
  expect(done({ tokens: [token] })).toEqual([false, false, true, false]);
  expect(done({ tokens: [{ ...token, lastUsedAt: at }] })).toEqual([false, false, true, true]);
  const { agent: _, ...own } = token;
  expect(done({ tokens: [{ ...own, role: "admin", lastUsedAt: at }] })).toEqual([false, false, false, false]);
});
