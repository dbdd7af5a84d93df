import { readdirSync } from "node:fs";
import { skill } from "@skillhold/core/test/session/session.fixture";
import { stageRoot } from "@skillhold/sandbox/test/backend/stage";
import { fixedAsker } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test } from "vitest";
import { openRunning, org } from "./session-run.fixture.ts";

const counting = "let n = 0; export const next = { description: 'x', run: () => ++n };";
const stranger = (code: string) => skill("demo", { files: { "tools/t.mjs": code }, trust: "third_party" });

test("a yes to the listing does not cover a tool of any name [S-28] [S-32]", async () => {
  const asker = fixedAsker("content");
  const { session } = await openRunning(
    [stranger("export const tools = { description: 'x', run: () => 'ran' };")],
    { asker },
  );
  await session.tools("demo");
  await session.callTool("demo", "tools");
  expect(asker.asked).toEqual(["demo tools/ {}", "demo tools {}"]);
  await expect(session.callTool("demo", "tools/")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  await session.close();
});

test("a call allowed once leaves no process, and one allowed for the content does [S-28]", async () => {
  const results = async (scope: "once" | "content") => {
    const { session } = await openRunning([stranger(counting)], { asker: fixedAsker(scope) });
    const calls = [await session.callTool("demo", "next"), await session.callTool("demo", "next")];
    await session.close();
    return calls.map(({ result }) => result);
  };
  expect(await results("once")).toEqual([1, 1]);
  expect(await results("content")).toEqual([1, 2]);
});

test("calls at the same time share a process [S-32]", async () => {
  const { session } = await openRunning([org({ "tools/t.mjs": counting })]);
  const calls = await Promise.all([session.callTool("demo", "next"), session.callTool("demo", "next")]);
  expect(calls.map(({ result }) => result).sort()).toEqual([1, 2]);
  await session.close();
});

test("closing a session during a tool call leaves nothing behind [S-32]", async () => {
  const ours = async () =>
    readdirSync(await stageRoot()).filter((name) => name.startsWith(`run-${process.pid}-`));
  const before = await ours();
  const { session } = await openRunning([org({ "tools/t.mjs": counting })]);
  const call = session.callTool("demo", "next");
  await session.close();
  await expect(call).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect((await ours()).filter((name) => !before.includes(name))).toEqual([]);
});

test("rejects arguments that are not JSON or too long before it asks [S-32]", async () => {
  const asker = fixedAsker("content");
  const { session } = await openRunning([stranger(counting)], { asker });
  await expect(session.callTool("demo", "next", { n: 1n })).rejects.toMatchObject({ code: "USAGE" });
  await expect(session.callTool("demo", "next", { text: "x".repeat(200_000) })).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
  });
  expect(asker.asked).toEqual([]);
  await session.close();
});
