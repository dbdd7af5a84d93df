import { type ApprovalRequest, type Asker, requestKey, type Sandbox, skillTools } from "@skillhold/core";
import { skill } from "@skillhold/core/test/session/session.fixture";
import { fixedAsker, sandbox } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test } from "vitest";
import { openRunning, org, typesOf } from "./session-run.fixture.ts";

const mine = (code = "echo hi $1; cat") => skill("demo", { files: { "scripts/a.sh": code } });
const tools = {
  "tools/count.mjs": `
export default {
  name: "count",
  description: "Counts.",
  inputSchema: { type: "object" },
  run: (input) => Object.keys(input).length,
};`,
};

/** The real sandbox, with the number of programs that it started. */
function countingSandbox(): Sandbox & { readonly started: () => number } {
  let count = 0;
  return {
    id: sandbox.id,
    probe: () => sandbox.probe(),
    start: (spec) => {
      count += 1;
      return sandbox.start(spec);
    },
    started: () => count,
  };
}

test("clearance lists the needs of a run, without a record or a process [S-28]", async () => {
  const counting = countingSandbox();
  const asker = fixedAsker("content");
  const { session, events } = await openRunning([mine()], { sandbox: counting, asker });
  const clearance = await session.clearance("demo", { script: "a.sh" }, { args: ["x"], stdin: "in" });
  expect(clearance).toMatchObject({
    verdict: "ask",
    key: expect.stringMatching(/^sha256:/),
    request: { skill: "demo", target: "scripts/a.sh", args: ["x"], network: "none", stdin: { bytes: 2 } },
  });
  expect(asker.asked).toEqual([]);
  expect(typesOf(events)).toEqual(["session.opened"]);
  expect(counting.started()).toBe(0);
  await session.close();
});

test("clearance allows runs that the policy or a stored approval allows, and denies others [S-28]", async () => {
  const { session, events } = await openRunning(
    [mine(), skill("ours", { trust: "org", files: { "scripts/b.sh": "true" } })],
    { asker: fixedAsker("content") },
  );
  expect(await session.clearance("ours", { script: "b.sh" })).toEqual({
    verdict: "allow",
    rule: "run-trusted",
  });
  await session.run("demo", "a.sh");
  const before = events.length;
  expect(await session.clearance("demo", { script: "a.sh" })).toMatchObject({
    verdict: "allow",
    rule: "run-user",
    approval: { scope: "content", by: "ada" },
  });
  for (const [id, script, code] of [
    ["demo", "none.sh", "PATH_NOT_FOUND"],
    ["nowhere", "a.sh", "SKILL_NOT_FOUND"],
  ] as const)
    expect(await session.clearance(id, { script })).toMatchObject({ verdict: "deny", error: { code } });
  expect(events).toHaveLength(before);
  await session.close();
});

test("clearance denies a run that an active skill does not allow, without a record [S-28] [S-30]", async () => {
  const strict = skill("strict", { yaml: "allowed-tools: Read" });
  const { session, events } = await openRunning([strict, mine()]);
  await session.activate("strict");
  const before = events.length;
  expect(await session.clearance("demo", { script: "a.sh" })).toMatchObject({
    verdict: "deny",
    error: { code: "TOOL_BLOCKED" },
  });
  expect(events).toHaveLength(before);
  await session.close();
});

test("clearance of declared tools runs no module; a known list needs none [S-28]", async () => {
  const counting = countingSandbox();
  const { session } = await openRunning([skill("demo", { files: tools })], { sandbox: counting });
  const asked = await session.clearance("demo", { tool: "count" }, { a: 1 });
  expect(asked).toMatchObject({ verdict: "ask", request: { act: "call_tool", target: "count" } });
  expect(await session.clearance("demo", { list: "tools" })).toMatchObject({
    verdict: "ask",
    request: { target: "tools/" },
  });
  expect(counting.started()).toBe(0);
  await session.tools("demo", { asker: fixedAsker("once") });
  expect(await session.clearance("demo", { list: "tools" })).toMatchObject({ verdict: "allow" });
  await session.close();
});

test("a run starts with the approval that its caller obtained for exactly this request [S-28]", async () => {
  const { session, events } = await openRunning([mine()]);
  const input = { args: ["x"], stdin: "in" };
  const asked = await session.clearance("demo", { script: "a.sh" }, input);
  if (asked.verdict !== "ask") throw new Error("A question was expected.");
  const approval = { key: asked.key, by: "ada" };
  const run = await session.run("demo", "a.sh", { ...input, approval });
  expect(run.stdout).toBe("hi x\nin");
  expect(typesOf(events)).toEqual([
    "session.opened",
    "run.requested",
    "approval.granted",
    "run.approved",
    "skill.script_executed",
  ]);
  expect(events[2]).toMatchObject({ by: "ada", scope: "once" });
  for (const other of [{ args: ["y"], stdin: "in" }, { args: ["x"], stdin: "out" }, { args: ["x"] }])
    await expect(session.run("demo", "a.sh", { ...other, approval })).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message: expect.stringContaining("for another request"),
    });
  await session.close();
});

test("a call's own asker replaces the session's [S-28]", async () => {
  const general = fixedAsker("deny");
  const own: ApprovalRequest[] = [];
  const asker: Asker = {
    ask: async (request) => {
      own.push(request);
      return { answer: "approve", scope: "once", by: "eve" };
    },
  };
  const { session } = await openRunning([mine(), skill("tooled", { files: tools })], { asker: general });
  await session.run("demo", "a.sh", { asker });
  expect(await session.callTool("tooled", "count", { a: 1 }, { asker })).toMatchObject({ result: 1 });
  const run = skillTools(session).find(({ name }) => name === "run_skill_script");
  expect(await run?.run({ skill_id: "demo", script: "a.sh" }, { asker })).toMatchObject({ ok: true });
  expect(own.map(({ target }) => target)).toEqual(["scripts/a.sh", "count", "scripts/a.sh"]);
  expect(general.asked).toEqual([]);
  await expect(session.run("demo", "a.sh")).rejects.toMatchObject({ code: "APPROVAL_DENIED" });
  await session.close();
});

test("a tool that needs approval answers with the request and its key, which approve the next call [S-28]", async () => {
  const { session } = await openRunning([mine()]);
  const run = skillTools(session).find(({ name }) => name === "run_skill_script");
  if (run === undefined) throw new Error("There is no tool for scripts.");
  const input = { skill_id: "demo", script: "a.sh", args: ["x"] };
  const first = await run.run(input);
  if (first.ok) throw new Error("A question was expected.");
  const { request, key } = first.error.details as {
    readonly request: ApprovalRequest;
    readonly key: ReturnType<typeof requestKey>;
  };
  expect(first.error.code).toBe("APPROVAL_REQUIRED");
  expect(request).toMatchObject({ skill: "demo", args: ["x"], decision: { rule: "run-user" } });
  expect(key).toBe(requestKey(request));
  expect(first.text).not.toContain(key);
  expect(await run.run(input, { approval: { key, by: "ada" } })).toMatchObject({ ok: true });
  await session.close();
});

test("an approval that arrives after the skill changed starts no program [S-28]", async () => {
  const { session, library } = await openRunning([mine("echo one")]);
  const asked = await session.clearance("demo", { script: "a.sh" });
  if (asked.verdict !== "ask") throw new Error("A question was expected.");
  library.replace([mine("echo two")]);
  const approval = { key: asked.key, by: "ada" };
  await expect(session.run("demo", "a.sh", { approval })).rejects.toMatchObject({
    code: "APPROVAL_REQUIRED",
  });
  await session.close();
});

test("a session without a sandbox denies by clearance [S-28]", async () => {
  const { session } = await openRunning([org({ "scripts/a.sh": "true" })], {
    sandbox: {
      ...countingSandbox(),
      probe: async () => ({
        ...(await sandbox.probe()),
        isAvailable: false,
        problem: { message: "m", hint: "h" },
      }),
    },
  });
  expect(await session.clearance("demo", { script: "a.sh" })).toMatchObject({
    verdict: "deny",
    error: { code: "SANDBOX_UNAVAILABLE" },
  });
  await session.close();
});
