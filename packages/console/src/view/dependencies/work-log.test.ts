import { DependencyEvent } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { type LogLine, withEvent } from "./work-log.ts";

const at = "2026-11-16T10:00:00.000Z";
const failed = {
  type: "skill.dep.item.installed",
  slug: "pdf",
  dep: "pip:a",
  ok: false,
  error: "No network.",
} as const;

test("shows the newest line first and marks failures [S-59]", () => {
  const first = withEvent([], { type: "skill.deps.checking", slug: "pdf" }, at);
  const [line, before] = withEvent(first, failed, at);
  expect(line).toMatchObject({ tone: "bad", text: "pdf: pip:a failed. No network." });
  expect(before?.text).toBe("pdf: checking dependencies");
  expect(line?.key).not.toBe(before?.key);
});

test("limits the log [S-59]", () => {
  let log: readonly LogLine[] = [];
  for (let number = 0; number < 500; number += 1) log = withEvent(log, failed, at);
  expect(log).toHaveLength(200);
  expect(new Set(log.map(({ key }) => key)).size).toBe(200);
});

test("every kind of event has a line [S-59]", () => {
  const all = {
    slug: "a",
    dep: "b",
    ok: true,
    missing: [],
    deps: ["x"],
    system: [],
    pip: [],
    npm: [],
    errors: [],
  };
  for (const { shape } of DependencyEvent.options) {
    const event = DependencyEvent.parse({ ...all, type: shape.type.value });
    expect(withEvent([], event, at)[0]?.text).toMatch(/\w/);
  }
});
