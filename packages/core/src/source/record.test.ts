import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "./node-host.ts";
import { openSkill } from "./open-skill.ts";
import { readAllowedTools, recordSkill } from "./record.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-record-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function record(yaml: string) {
  mkdirSync(join(root, "demo"), { recursive: true });
  writeFileSync(join(root, "demo/SKILL.md"), `---\n${yaml}\n---\nbody\n`);
  return recordSkill(openSkill(join(root, "demo")), "context", defaultLimits);
}

test("the index keeps the fields for a catalogue, a gate and a search, but not the body [S-16]", () => {
  const found = record(`name: demo
description: Does things.
when_to_use: When asked.
license: MIT
compatibility: Needs git.
version: 1.10
tags: a, b
author: Someone
argument-hint: a file
requires: [other]
runtime: [hermes]
metadata:
  openclaw: { emoji: "🔍", homepage: https://example.com, requires: { bins: [git] } }`);
  expect(found).toMatchObject({
    name: "demo",
    description: "Does things. When asked.",
    license: "MIT",
    compatibility: "Needs git.",
    version: "1.10",
    tags: ["a", "b"],
    author: "Someone",
    emoji: "🔍",
    homepage: "https://example.com",
    argumentHint: "a file",
    requiresSkills: ["other"],
    runtime: ["hermes"],
    requires: { bins: ["git"] },
    isValid: true,
    skillHash: expect.stringMatching(/^sha256:/),
  });
  expect(JSON.stringify(found)).not.toContain("body\\n");
});

test("a missing or non-text name falls back to the folder or id [S-4]", () => {
  expect(record("description: x").name).toBe("demo");
  expect(record("name: 12306\ndescription: x").name).toBe("12306");
});

test.each([
  ["disable-model-invocation: true", { model: false, user: true }],
  ["disable-model-invocation: Yes", { model: false, user: true }],
  ["user-invocable: off", { model: true, user: false }],
  ["user-invocable: 0", { model: true, user: false }],
  ["disable-model-invocation: perhaps", { model: true, user: true }],
])("%s says who may start it [S-27]", (yaml, invocation) => {
  expect(record(`description: x\n${yaml}`).invocation).toEqual(invocation);
});

test.each([
  ["Read Write", ["Read", "Write"]],
  ["Read, Bash(git log:*), Write", ["Read", "Bash(git log:*)", "Write"]],
  ["Bash(git:*) mcp__srv__tool", ["Bash(git:*)", "mcp__srv__tool"]],
])("splits the tools of %j outside parentheses [S-16]", (text, tools) => {
  expect(readAllowedTools({ "allowed-tools": text })).toEqual(tools);
  expect(readAllowedTools({ "allowed-tools": tools })).toEqual(tools);
});

describe("the host", () => {
  test("finds programs on the path, variables in the environment, and files in place [S-8]", () => {
    writeFileSync(join(root, "tool"), "");
    writeFileSync(join(root, "data"), "");
    chmodSync(join(root, "tool"), 0o755);
    const host = nodeHost({
      env: { PATH: `/nowhere:${root}`, SET: "1", EMPTY: "", HOME: root },
      platform: "linux",
      cwd: root,
    });
    expect([
      host.hasBin("tool"),
      host.hasBin("data"),
      host.hasBin("absent"),
      host.hasBin("../tool"),
      host.hasBin(""),
    ]).toEqual([true, false, false, false, false]);
    const set = ["SET", "EMPTY", "ABSENT"].map((name) => host.hasEnv(name, "demo"));
    expect(set).toEqual([true, false, false]);
    expect([host.hasConfig("data"), host.hasConfig("~/data"), host.hasConfig("absent")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
