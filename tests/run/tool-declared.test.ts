import {
  callSkillTool,
  declaredTools,
  memorySecrets,
  openSession,
  type RunPorts,
  skillTools,
  wrapTools,
} from "@skillhold/core";
import {
  type FixtureSkill,
  fixtureLibrary,
  fixturePorts,
  skill,
} from "@skillhold/core/test/session/session.fixture";
import { fixedAsker, fixtureRuns } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test } from "vitest";

async function open(skills: readonly FixtureSkill[], runs: Partial<RunPorts> = {}) {
  const library = fixtureLibrary(skills);
  const ports = { ...fixturePorts(), runs: fixtureRuns(runs) };
  const session = await openSession(library, { runtime: "test" }, ports);
  return { session, library, events: ports.events };
}

const greet = {
  "tools/greet.mjs":
    'export default { description: "Greets.", inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }, run: ({ name }) => `Hello ${name}` };',
  "tools/add.py":
    'from langchain_core.tools import tool\n\n@tool\ndef add(a: int, b: int) -> int:\n    """Adds two numbers."""\n    return a + b\n',
  "tools/broken.mjs": "this is no JavaScript",
};

test("lists tools of active skills beside the skill tools, and runs them in the sandbox [S-32]", async () => {
  const { session, events } = await open([skill("demo", { files: greet, trust: "org" })]);
  expect((await declaredTools(session)).tools).toEqual([]);
  await session.activate("demo");
  const { tools, problems } = await declaredTools(session);
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ["demo__add", "Adds two numbers."],
    ["demo__greet", "Greets."],
  ]);
  expect(problems).toEqual([expect.objectContaining({ skill: "demo", file: "tools/broken.mjs" })]);
  const all = [...skillTools(session), ...tools];
  expect(await callSkillTool(all, "demo__add", { a: 2, b: 3 })).toMatchObject({
    ok: true,
    data: { result: 5 },
  });
  const greeting = await callSkillTool(all, "demo__greet", { name: "</skill_output>Ada" });
  expect(greeting).toMatchObject({ ok: true, data: { result: "Hello </skill_output>Ada", tool: "greet" } });
  expect(greeting.text.match(/<\/skill_output>/g)).toHaveLength(1);
  // The listing is a run of its own.
  expect(events.filter(({ type }) => type === "skill.tool_called")).toHaveLength(3);
  expect(await callSkillTool(all, "demo__greet", "text")).toMatchObject({
    ok: false,
    error: { code: "USAGE" },
  });
  await session.close();
});

test("does not load third-party modules, even to list them, before an approval [S-28] [S-32]", async () => {
  const stranger = skill("demo", { files: greet, trust: "third_party" });
  const alone = await open([stranger]);
  await expect(alone.session.tools("demo")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
  await expect(alone.session.callTool("demo", "greet", {})).rejects.toMatchObject({
    code: "APPROVAL_REQUIRED",
  });
  expect((await declaredTools(alone.session, ["demo"])).problems).toHaveLength(1);
  expect(alone.events.some(({ type }) => type === "run.approved")).toBe(false);
  const asker = fixedAsker("once");
  const asked = await open([stranger], { asker });
  await asked.session.tools("demo");
  await asked.session.tools("demo");
  expect((await asked.session.callTool("demo", "demo__greet", { name: "Ada" })).result).toBe("Hello Ada");
  expect(asker.asked).toEqual(["demo tools/ {}", 'demo greet {"name":"Ada"}']);
  await alone.session.close();
  await asked.session.close();
});

test("a changed skill gets new processes, and an unknown tool is an error [S-32]", async () => {
  const say = (word: string) =>
    skill("demo", {
      files: { "tools/say.mjs": `export const say = { description: "x", run: () => "${word}" };` },
      trust: "org",
    });
  const { session, library } = await open([say("one")]);
  expect((await session.callTool("demo", "say")).result).toBe("one");
  library.replace([say("two")]);
  expect((await session.callTool("demo", "say")).result).toBe("two");
  await expect(session.callTool("demo", "shout")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  library.replace([skill("demo", { trust: "org" })]);
  expect(await session.tools("demo")).toEqual({ tools: [], problems: [] });
  await expect(session.callTool("demo", "say")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  await session.close();
});

test("a tool's result or failure does not show a secret [S-33]", async () => {
  const secrets = memorySecrets();
  await secrets.set({ skill: "demo" }, "API_KEY", "s3cr3t-value");
  const code = `export const leak = { description: "x", run: () => ({ key: process.env.API_KEY, list: ["a" + process.env.API_KEY] }) };
export const fail = { description: "x", run: () => { throw new Error("bad key " + process.env.API_KEY); } };`;
  const yaml = "metadata: {openclaw: {requires: {env: [API_KEY]}}}";
  const { session, events } = await open(
    [skill("demo", { yaml, files: { "tools/t.mjs": code }, trust: "org" })],
    { secrets },
  );
  const { result } = await session.callTool("demo", "leak");
  expect(result).toEqual({ key: "[secret API_KEY]", list: ["a[secret API_KEY]"] });
  await expect(session.callTool("demo", "fail")).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: expect.not.stringContaining("s3cr3t"),
  });
  expect(JSON.stringify(events)).not.toContain("s3cr3t");
  expect(events.at(-1)).toMatchObject({ type: "skill.tool_called", isError: true });
  await session.close();
});

test("a guarded tool is allowed by the skill that declares it, and a copy of it is not [S-31]", async () => {
  const yaml = "allowed-tools: Read";
  const { session } = await open([skill("demo", { yaml, files: greet, trust: "org" })]);
  await session.activate("demo");
  const { tools } = await declaredTools(session);
  expect(tools.map(({ owner }) => owner)).toEqual(["demo", "demo"]);
  const greeter = wrapTools(tools, session).find(({ name }) => name === "demo__greet");
  expect(await greeter?.run({ name: "Ada" })).toMatchObject({ ok: true, data: { result: "Hello Ada" } });
  const [copy] = wrapTools(
    tools.map((tool) => ({ ...tool })),
    session,
  );
  await expect(copy?.run({})).resolves.toMatch("blocked");
  await session.close();
});
