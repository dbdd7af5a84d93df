import type { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { lineOf, namesIn } from "./event-line.ts";

const at = "2026-11-16T10:00:00.000Z";
const session = "s1";
// Only the fields that the lines use.
const event = (fields: object) => ({ at, ...fields }) as SkillEvent;
const opened = event({ type: "session.opened", session, runtime: "demo", agent: "writer" });
const loaded = event({ type: "skill.activated", session, skill: "pdf", revision: 1 });

test("names the session's agent or user if known [S-59]", () => {
  expect(lineOf(loaded, namesIn([{ event: opened }]))).toMatchObject({
    who: "writer",
    text: "loaded pdf r1",
  });
  expect(lineOf(loaded, new Map())).toMatchObject({ who: undefined, text: "Loaded pdf r1" });
});

test("a sentence with another subject stays unchanged [S-59]", () => {
  const archived = event({
    type: "skill.status_changed",
    skill: "pdf",
    status: "archived",
    missing: [],
    by: { user: "ann", role: "admin" },
  });
  expect(lineOf(archived, new Map())).toMatchObject({ who: undefined, text: "pdf is archived", by: "ann" });
});
