import { expect, test } from "vitest";
import { changeOf, textOf } from "./agent-text.ts";

const at = "2026-11-16T10:00:00.000Z";
const agent = {
  ...{ uid: "1", key: "writer", displayName: "writer", runtime: "demo", owner: "ann" },
  ...{
    allow: ["pdf", "report"],
    pins: { pdf: 1 },
    manifest: "skills: [pdf]\n",
    createdAt: at,
    updatedAt: at,
  },
};
const before = textOf(agent);

test("sends only changed fields, in any order [S-59]", () => {
  expect(changeOf(before, before, "writer")).toEqual({});
  expect(changeOf(before, { ...before, allow: ["report", "pdf"] }, "writer")).toEqual({});
  expect(changeOf(before, { ...before, runtime: " other ", pins: {} }, "writer")).toEqual({
    runtime: "other",
    pins: {},
  });
});

test("distinguishes all skills from no skills, and removes emptied fields [S-59]", () => {
  expect(changeOf(before, { ...before, allow: undefined }, "writer")).toEqual({ allow: null });
  expect(changeOf(before, { ...before, allow: [] }, "writer")).toEqual({ allow: [] });
  expect(changeOf(before, { ...before, manifest: " " }, "writer")).toEqual({ manifest: null });
  const named = { ...before, displayName: "The writer" };
  expect(changeOf(named, { ...named, displayName: "" }, "writer")).toEqual({ displayName: "writer" });
});
