import { hash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { GatewaySessions, type Principal } from "@skillhold/gateway";
import { grantSkill } from "@skillhold/registry/access";
import { editSkill } from "@skillhold/registry/release";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answerOf, ask, HOST, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";
import { openRunningGateway, putFiles, TestSession } from "./session.fixture.ts";
import { openPort } from "./socket.fixture.ts";

const root = { user: "root", role: "admin" } as const;
const ada = { user: "ada", role: "publisher" } as const;

let gateway: TestGateway;
let late = 0;
let started = Promise.withResolvers<void>();

beforeEach(async () => {
  late = 0;
  started = Promise.withResolvers();
  gateway = await openRunningGateway({
    clock: { now: () => new Date(Date.now() + late) },
    onStart: () => started.resolve(),
  });
});

afterEach(async () => {
  await gateway.close();
});

const principal = (token: string): Principal => ({
  role: "viewer",
  user: "vic",
  agent: undefined,
  token,
  kind: "api",
  issuedAt: "2000-01-01T00:00:00.000Z",
  expiresAt: "2099-01-01T00:00:00.000Z",
});

/** Stores tokens with these ids, because a missing token is invalid. */
async function keepTokens(...ids: readonly string[]): Promise<void> {
  await gateway.asRole("viewer", "vic");
  const { store } = gateway.registry;
  const [token] = await store.listTokens("api");
  if (token === undefined) throw new Error("there is no token");
  await store.transaction(async (tx) => {
    for (const id of ids) await tx.putToken({ ...token, id, hash: hash("sha256", id, "hex") });
  });
}

test("a session lists its tools and records its reads [S-24] [S-53] [S-62]", async () => {
  await putSkill(gateway, "mine", "ada");
  const session = await TestSession.open(gateway, await gateway.asRole("publisher", "ada"), { task: "try" });
  const tools = await session.tools();
  expect(tools.map(({ name }) => name)).toEqual([
    "list_skills",
    "search_skills",
    "read_skill",
    "read_skill_resource",
    "run_skill_script",
    "deactivate_skill",
    "publish_skill",
    "propose_skill_update",
    "propose_skill",
  ]);
  expect(tools[2]?.inputSchema).toMatchObject({ type: "object", required: ["skill_id"] });
  expect(await session.call("read_skill", { skill_id: "mine" })).toMatchObject({
    ok: true,
    text: expect.stringContaining("Do it."),
    data: { id: "mine", isRepeat: false },
  });
  expect(await session.call("skills.list", {})).toMatchObject({
    ok: true,
    data: { skills: [{ id: "mine" }] },
  });
  expect((await session.send("DELETE", "")).status).toBe(204);
  expect(await problemOf(await session.send("GET", "/tools"))).toMatchObject({ code: "SESSION_NOT_FOUND" });
  expect(await session.recorded()).toEqual(["session.opened", "skill.activated", "session.closed"]);
});

test("a session shows the context of its tool calls and judges them, and records a blocked one [S-31]", async () => {
  const text = "---\nname: careful\ndescription: Reads.\nallowed-tools: Read\n---\nDo it.\n";
  await putFiles(gateway, "careful", ada, { "SKILL.md": text });
  const headers = await gateway.asRole("publisher", "ada");
  const session = await TestSession.open(gateway, headers, { task: "try", runtime: "test" });
  const context = async () => await answerOf("getToolContext", await session.send("GET", "/context"));
  const judge = async (body: object) =>
    await answerOf("judgeTool", await session.send("POST", "/verdicts", { body }));
  expect(await context()).toMatchObject({ session: session.id, user: "ada", task: "try", activeSkills: [] });
  expect(await judge({ tool: "Write" })).toMatchObject({ verdict: { verdict: "allowed" } });
  await session.call("read_skill", { skill_id: "careful" });
  const active = [{ id: "careful", revision: 1, treeHash: expect.stringMatching(/^sha256:/) }];
  expect(await context()).toMatchObject({ activeSkills: active });
  expect(await judge({ tool: "Read", input: { path: "a" } })).toMatchObject({
    verdict: { verdict: "allowed" },
    context: { activeSkills: active },
  });
  expect(await judge({ tool: "Write", input: { path: "a" } })).toMatchObject({
    verdict: { verdict: "blocked", skill: "careful", allows: ["Read"] },
  });
  expect(await session.recorded()).toEqual(["session.opened", "skill.activated", "skill.denied"]);
  const other = await gateway.asRole("publisher", "bob");
  for (const [method, path] of [
    ["GET", "/context"],
    ["POST", "/verdicts"],
  ] as const) {
    const body = method === "POST" ? { body: { tool: "Read" } } : {};
    const refused = await session.send(method, path, { ...body, headers: other });
    expect(await problemOf(refused)).toMatchObject({ code: "SESSION_NOT_FOUND" });
  }
});

test("the skills that a session skips for their runtime are logged once [S-7]", async () => {
  const text = "---\nname: other\ndescription: For another runtime.\nruntime: [hermes]\n---\nDo it.\n";
  await putFiles(gateway, "other", ada, { "SKILL.md": text });
  const lines: string[] = [];
  const sessions = new GatewaySessions({
    ...gateway.context,
    log: ({ event, message = "" }) => event === "skill.skipped" && lines.push(message),
  });
  await keepTokens("t1");
  await gateway.context.library.list({ runtime: "test", user: "ada" });
  for (const runtime of ["test", "test", "hermes"])
    await sessions.open({ ...principal("t1"), user: "ada" }, { runtime });
  await sessions.closeAll();
  expect(lines).toEqual(["Skipping skill other: runtime=[hermes] not compatible with current=test"]);
});

const ownText = "---\nname: own\ndescription: Written by an agent.\n---\nDo it.\n";

test("an agent publishes the files of a skill, which is granted to it [S-24] [S-41]", async () => {
  const agent = await gateway.asRole("publisher", "ada", "writer");
  const session = await TestSession.open(gateway, agent);
  const files = [
    { path: "SKILL.md", content: ownText },
    { path: "scripts/run.sh", content: Buffer.from("#!/bin/sh\n").toString("base64"), encoding: "base64" },
  ];
  expect(await session.call("publish_skill", { files })).toMatchObject({
    ok: true,
    text: expect.stringContaining("It is granted to the agent writer."),
    data: { id: "own", revision: 1, granted: [{ kind: "agent", key: "writer" }] },
  });
  expect(await session.call("read_skill", { skill_id: "own" })).toMatchObject({
    ok: true,
    text: expect.stringContaining("scripts/run.sh"),
  });
  expect(await session.call("publish_skill", { files })).toMatchObject({ data: { status: "unchanged" } });
});

test("a session rejects hostile files, and the skills of others, and offers publishing only to publishers [S-24] [S-42]", async () => {
  await putSkill(gateway, "own", "bob");
  const agent = await TestSession.open(gateway, await gateway.asRole("publisher", "ada", "writer"));
  const skill = { path: "SKILL.md", content: ownText };
  for (const [files, code] of [
    [[skill], "CONFLICT"],
    [[{ path: "notes.md", content: "" }], "SKILL_INVALID"],
    [[skill, { path: "../escape.txt", content: "" }], "ARCHIVE_INVALID"],
    [[skill, { path: "/etc/passwd", content: "" }], "ARCHIVE_INVALID"],
    [[skill, { path: "a.txt", content: "" }, { path: "A.txt", content: "" }], "ARCHIVE_INVALID"],
    [[skill, { path: "inner/SKILL.md", content: ownText }], "USAGE"],
    [[skill, { path: "a.bin", content: "no*base64", encoding: "base64" }], "USAGE"],
    [[skill, { path: "a", content: "", mode: 511 }], "USAGE"],
  ] as const)
    expect(await agent.call("publish_skill", { files }), JSON.stringify(files)).toMatchObject({
      ok: false,
      error: { code },
    });
  for (const [role, key] of [["viewer"], ["agent", "writer"]] as const) {
    const session = await TestSession.open(gateway, await gateway.asRole(role, "ada", key));
    expect((await session.tools()).map(({ name }) => name)).not.toContain("publish_skill");
  }
});

test("a tool error is a result, and the same for hidden and missing skills [S-53]", async () => {
  await putSkill(gateway, "hidden", "ada");
  const session = await TestSession.open(gateway, await gateway.asRole("viewer", "vic"));
  const refusal = async (id: string) => {
    const answer = await session.call("read_skill", { skill_id: id });
    expect(answer).toMatchObject({ ok: false, error: { code: "SKILL_NOT_FOUND" } });
    return JSON.stringify(answer).replaceAll(id, "it");
  };
  expect(await refusal("hidden")).toBe(await refusal("nothing"));
  for (const [tool, input] of [
    ["read_skill", {}],
    ["read_skill", { skill_id: 3 }],
    ["no_such_tool", {}],
    ["__proto__", {}],
    ["hidden__tool", {}],
  ] as const)
    expect(await session.call(tool, input)).toMatchObject({ ok: false, error: { code: "USAGE" } });
});

test("a session exists only for the token that opened it [S-53]", async () => {
  const session = await TestSession.open(gateway, await gateway.asRole("publisher", "ada"));
  for (const headers of [
    await gateway.asRole("admin", "ada"),
    await gateway.asRole("viewer", "ada"),
    await gateway.asRole("publisher", "bob"),
    await gateway.asRole("agent", "ada", "bot"),
  ])
    for (const [method, path, body] of [
      ["GET", "/tools"],
      ["POST", "/tools/list_skills", {}],
      ["DELETE", ""],
    ] as const) {
      const given = body === undefined ? { headers } : { headers, body };
      const theirs = await problemOf(await session.send(method, path, given));
      const missing = `/v1/sessions/${crypto.randomUUID()}${path}`;
      expect(theirs).toEqual(await problemOf(await ask(gateway, method, missing, given)));
      expect(theirs.code).toBe("SESSION_NOT_FOUND");
    }
  expect((await session.tools()).length).toBeGreaterThan(0);
});

test("an agent's session sees its grants, and a revoked grant ends at once [S-53]", async () => {
  await putSkill(gateway, "mine", "ada");
  const headers = await gateway.asRole("agent", "bob", "bot");
  await grantSkill(
    "mine",
    { kind: "agent", key: "bot" },
    { by: { ...ada, role: "admin" } },
    gateway.registry,
  );
  const session = await TestSession.open(gateway, headers, { runtime: "another" });
  expect(await session.call("read_skill", { skill_id: "mine" })).toMatchObject({ ok: true });
  const changed = await ask(gateway, "PUT", "/v1/agents/bot", {
    headers: await gateway.asRole("admin"),
    body: { allow: [] },
  });
  await answerOf("changeAgent", changed);
  expect(await session.call("read_skill", { skill_id: "mine", again: true })).toMatchObject({ ok: false });
  const [opened] = await gateway.registry.store.eventsOfSession(session.id);
  expect(opened?.event).toMatchObject({ user: "bob", agent: "bot", runtime: "test" });
});

test("a viewer's session has no tools that run scripts [S-53]", async () => {
  await putFiles(gateway, "trusted", root, { "scripts/say.sh": "echo done" });
  await editSkill("trusted", { visibility: "public" }, { by: root }, gateway.registry);
  const input = { skill_id: "trusted", script: "scripts/say.sh" };
  const viewer = await TestSession.open(gateway, await gateway.asRole("viewer", "vic"));
  expect((await viewer.tools()).map(({ name }) => name)).not.toContain("run_skill_script");
  expect(await viewer.call("run_skill_script", input)).toMatchObject({ ok: false });
  expect(await viewer.recorded()).not.toContain("skill.script_executed");
  expect(await viewer.call("read_skill", { skill_id: "trusted" })).toMatchObject({ ok: true });
  const publisher = await TestSession.open(gateway, await gateway.asRole("publisher", "ada"));
  expect(await publisher.call("run_skill_script", input)).toMatchObject({ data: { stdout: "done\n" } });
});

test("a session ends with its token, also during a call and when the event was missed [S-53]", async () => {
  const sessions = new GatewaySessions(gateway.context);
  await gateway.asRole("viewer", "vic");
  const [token] = await gateway.registry.store.listTokens("api");
  if (token === undefined) throw new Error("there is no token");
  await keepTokens("a", "b");
  const soon = { ...principal("a"), expiresAt: new Date(Date.now() + 60_000).toISOString() };
  const expiring = await sessions.open(soon);
  const revoked = await sessions.open(principal(token.id));
  const other = await sessions.open(principal("b"));
  const work = Promise.withResolvers<void>();
  const using = sessions.use(expiring.id, soon, () => work.promise);
  await sessions.closeIdle();
  expect(sessions.get(expiring.id, soon)).toBe(expiring);
  expect(sessions.get(revoked.id, principal(token.id))).toBe(revoked);
  late = 61_000;
  await gateway.registry.store.transaction((tx) =>
    tx.putToken({ ...token, revokedAt: new Date().toISOString() }),
  );
  await sessions.closeIdle();
  expect(() => sessions.get(expiring.id, soon)).toThrow("no such session");
  expect(() => sessions.get(revoked.id, principal(token.id))).toThrow("no such session");
  expect(sessions.get(other.id, principal("b"))).toBe(other);
  work.resolve();
  await using;
  await sessions.closeAll();
});

test("limits a token to a hundred sessions, also for concurrent requests [S-53]", async () => {
  const headers = await gateway.asRole("viewer", "vic");
  const open = () => ask(gateway, "POST", "/v1/sessions", { headers, body: {} });
  const answers = await Promise.all(Array.from({ length: 105 }, open));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
  expect(await problemOf(await open())).toMatchObject({ code: "RATE_LIMITED" });
  await TestSession.open(gateway, await gateway.asRole("viewer", "val"));
  const [first] = answers.filter(({ status }) => status === 201);
  if (first === undefined) throw new Error("none was opened");
  const { session } = await answerOf("openSession", first);
  await ask(gateway, "DELETE", `/v1/sessions/${session}`, { headers });
  expect((await open()).status).toBe(201);
});

test("closes and records a session after half an hour without use [S-53]", async () => {
  await keepTokens("a");
  const sessions = new GatewaySessions(gateway.context);
  const [one, two, busy] = [
    await sessions.open(principal("a")),
    await sessions.open(principal("a")),
    await sessions.open(principal("a")),
  ];
  const work = Promise.withResolvers<void>();
  const using = sessions.use(busy.id, principal("a"), () => work.promise);
  late = 29 * 60_000;
  sessions.get(two.id, principal("a"));
  late = 31 * 60_000;
  await sessions.closeIdle();
  expect(() => sessions.get(one.id, principal("a"))).toThrow("no such session");
  expect(sessions.get(two.id, principal("a"))).toBe(two);
  expect(sessions.get(busy.id, principal("a"))).toBe(busy);
  const [, closed] = await gateway.registry.store.eventsOfSession(one.id);
  expect(closed?.event.type).toBe("session.closed");
  work.resolve();
  await using;
  await sessions.closeAll();
  await expect(sessions.open(principal("a"))).rejects.toThrow("shutting down");
});

test("limits the concurrent calls of a token over all sessions [S-53]", async () => {
  await keepTokens("a", "b");
  const sessions = new GatewaySessions(gateway.context, { callsPerToken: 2 });
  const [one, two] = [await sessions.open(principal("a")), await sessions.open(principal("a"))];
  const other = await sessions.open(principal("b"));
  const work = Promise.withResolvers<void>();
  const use = ({ id }: { readonly id: string }, token: string) =>
    sessions.use(id, principal(token), () => work.promise);
  const busy = [use(one, "a"), use(two, "a"), use(other, "b")];
  await expect(use(one, "a")).rejects.toThrow("2 running calls");
  work.resolve();
  await Promise.all(busy);
  await use(one, "a");
  await sessions.closeAll();
});

test("a session needs a record to open and to close [S-62]", async () => {
  await keepTokens("a");
  let isBroken = true;
  const audit = {
    record: async () => {
      if (isBroken) throw new Error("disk full");
    },
  };
  const log = vi.fn();
  const sessions = new GatewaySessions({ ...gateway.context, audit, log }, { perToken: 1 });
  await expect(sessions.open(principal("a"))).rejects.toThrow("disk full");
  isBroken = false;
  const session = await sessions.open(principal("a"));
  isBroken = true;
  await expect(sessions.close(session.id, principal("a"))).rejects.toThrow("disk full");
  expect(sessions.get(session.id, principal("a"))).toBe(session);
  await sessions.closeOf("a");
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ event: "session.close_failed" }));
  isBroken = false;
  await sessions.close(session.id, principal("a"));
  await sessions.open(principal("a"));
  await sessions.closeAll();
});

test("closing the gateway records the end of its sessions [S-53] [S-62]", async () => {
  const headers = await gateway.asRole("viewer", "vic");
  const session = await TestSession.open(gateway, headers);
  const { store } = gateway.registry;
  const ended = Promise.withResolvers<readonly string[]>();
  const stop = await store.onCommit(() => {
    session.recorded().then((types) => {
      if (types.includes("session.closed")) ended.resolve(types);
    }, ended.reject);
  });
  const other = await openRunningGateway();
  const closing = gateway.close();
  gateway = other;
  expect(await ended.promise).toEqual(["session.opened", "session.closed"]);
  await stop();
  await closing;
});

test("runs a script in the sandbox without disclosing the gateway's folders [S-53]", async () => {
  await putFiles(gateway, "tool", root, {
    "scripts/say.sh": 'echo "hello $1"; echo x > made.txt; exit 3',
  });
  const session = await TestSession.open(gateway, await gateway.asRole("admin", "root"));
  const input = { skill_id: "tool", script: "scripts/say.sh", args: ["you"] };
  const answer = await session.call("run_skill_script", input);
  expect(answer).toMatchObject({ ok: true, data: { exitCode: 3, stdout: "hello you\n", outcome: "exited" } });
  expect(answer).toMatchObject({
    data: { outputs: expect.stringMatching(/^[\w-]+$/), files: [{ path: "made.txt" }] },
  });
  expect(JSON.stringify(answer)).not.toContain(gateway.folder);
});

test("declared tools are listed and callable when their skill is active [S-24] [S-53]", async () => {
  const code =
    'export const greet = { description: "Greets.", run: ({ name }) => ({ said: `Hello ${name}` }) };';
  await putFiles(gateway, "polite", root, { "tools/greet.mjs": code });
  const session = await TestSession.open(gateway, await gateway.asRole("admin", "root"));
  expect(await session.call("polite__greet", { name: "Ada" })).toMatchObject({ ok: false });
  await session.call("read_skill", { skill_id: "polite" });
  const tool = (await session.tools()).find(({ owner }) => owner === "polite");
  expect(tool).toMatchObject({ name: "polite__greet", description: "Greets." });
  expect(await session.call("polite__greet", { name: "Ada" })).toMatchObject({
    ok: true,
    data: { skill: "polite", result: { said: "Hello Ada" } },
  });
});

test("cancels a run when its client disconnects [S-53]", async () => {
  await putFiles(gateway, "slow", root, { "scripts/wait.sh": "sleep 60" });
  const port = await openPort(gateway);
  const { authorization } = await gateway.asRole("admin", "root");
  const session = await TestSession.open(gateway, { authorization });
  const call = httpRequest({
    port: port.port,
    host: "127.0.0.1",
    method: "POST",
    path: `/v1/sessions/${session.id}/tools/run_skill_script`,
    headers: { host: HOST, authorization, "content-type": "application/json" },
  });
  call.on("error", () => {});
  call.end(JSON.stringify({ skill_id: "slow", script: "scripts/wait.sh" }));
  await started.promise;
  call.destroy();
  await vi.waitFor(async () => expect(await session.recorded()).toContain("skill.script_executed"), {
    timeout: 120_000,
  });
  const events = await gateway.registry.store.eventsOfSession(session.id);
  expect(events.at(-1)?.event).toMatchObject({ outcome: "aborted" });
  await port.close();
});
