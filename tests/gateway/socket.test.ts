import { removeAgent } from "@skillhold/registry/access";
import { issueToken, revokeToken } from "@skillhold/registry/token";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  answerOf,
  ask,
  HOST,
  openTestGateway,
  problemOf,
  putSkill,
  type TestGateway,
} from "./gateway.fixture.ts";
import { openPort, type TestPort, TestSocket } from "./socket.fixture.ts";

const root = { user: "root", role: "admin" } as const;

let gateway: TestGateway;
let port: TestPort;
let now = 0;

beforeEach(async () => {
  now = 0;
  gateway = await openTestGateway({
    clock: { now: () => new Date(Date.now() + now) },
    socketLimits: { perToken: 2, lookMs: 20 },
  });
  port = await openPort(gateway);
});

afterEach(async () => {
  await gateway.close();
  await port.close();
});

test("authenticates by the first message and returns the principal [S-54]", async () => {
  const socket = await TestSocket.connect(port);
  const { authorization } = await gateway.asRole("publisher", "ada");
  const token = authorization.replace("Bearer ", "");
  expect(await socket.ask("hello", { token })).toMatchObject({ role: "publisher", user: "ada" });
  expect(await socket.answer("hello", { token })).toMatchObject({ error: { code: "USAGE" } });
});

test("delivers events with their numbers until the client unsubscribes [S-54]", async () => {
  const socket = await TestSocket.open(port, await gateway.asRole("admin"));
  await socket.subscribe();
  await putSkill(gateway, "made", "ada");
  const seq = await gateway.registry.store.lastEvent();
  expect(await socket.event(seq)).toMatchObject({ type: "skill.published", skill: "made" });
  await socket.ask("events.unsubscribe", {});
  await putSkill(gateway, "more", "ada");
  await socket.subscribe({ after: seq + 1 });
  expect(socket.events.map((message) => message.seq)).toEqual([seq]);
});

test("filters events by type [S-54]", async () => {
  await putSkill(gateway, "made", "ada", "public");
  const socket = await TestSocket.open(port, await gateway.asRole("admin"));
  await socket.subscribe({ after: 0, types: ["skill.edited"] });
  await putSkill(gateway, "more", "ada", "public");
  await socket.event(await gateway.registry.store.lastEvent());
  expect(socket.events.map(({ event }) => event.type)).toEqual(["skill.edited", "skill.edited"]);
});

test("skills.list, get and update return the results of their routes [S-54]", async () => {
  await putSkill(gateway, "mine", "ada");
  const headers = await gateway.asRole("publisher", "ada");
  const socket = await TestSocket.open(port, headers);
  const listed = await (await ask(gateway, "GET", "/v1/skills?view=all", { headers })).json();
  expect(await socket.ask("skills.list", { view: "all" })).toEqual(listed);
  const response = await ask(gateway, "GET", "/v1/skills/mine", { headers });
  const got = await socket.answer("skills.get", { id: "mine" });
  expect(got).toMatchObject({ result: await response.json() });
  const etag = "etag" in got ? got.etag : undefined;
  expect(`"${etag}"`).toBe(response.headers.get("etag"));
  const change = { description: "Other words." };
  const update = (ifMatch: unknown) => socket.answer("skills.update", { id: "mine", change, ifMatch });
  expect(await update("another")).toMatchObject({ error: { code: "PRECONDITION_FAILED" } });
  expect(await update(etag)).toMatchObject({ result: { row: { entry: change }, status: "edited" } });
});

test("applies the roles and errors of the routes [S-53] [S-54]", async () => {
  await putSkill(gateway, "hidden", "ada");
  const headers = await gateway.asRole("viewer", "vic");
  const socket = await TestSocket.open(port, headers);
  const problem = await problemOf(await ask(gateway, "GET", "/v1/skills/hidden", { headers }));
  expect(await socket.answer("skills.get", { id: "hidden" })).toMatchObject({ error: problem });
  const refused = { error: { code: "FORBIDDEN" } };
  expect(await socket.answer("skills.update", { id: "hidden", change: {} })).toMatchObject(refused);
  expect(await socket.answer("approvals.answer", { question: "q", answer: "deny" })).toMatchObject(refused);
  for (const id of ["..", ".", "", "a/b", "%2e%2e"])
    expect(await socket.answer("skills.get", { id })).toMatchObject({ error: { status: 400 } });
});

test("rejects unknown methods and invalid messages with their id [S-54]", async () => {
  const socket = await TestSocket.open(port, await gateway.asRole("admin"));
  expect(await socket.answer("skills.purge", {})).toMatchObject({ error: { code: "USAGE" } });
  expect(await socket.answer("skills.get", {})).toMatchObject({ error: { code: "USAGE" } });
  const faults = () => socket.messages.filter((message) => "error" in message && message.id === undefined);
  for (const text of ["not json", "[]", "null", '"hello"', '{"id":-0.5,"method":"skills.list"}'])
    socket.send(text);
  await vi.waitFor(() => expect(faults()).toHaveLength(5), 120_000);
  expect(await socket.ask("skills.list", {})).toMatchObject({ total: 0 });
});

test("notifies clients of changes [S-55]", async () => {
  const viewer = await TestSocket.open(port, await gateway.asRole("viewer", "vic"));
  const socket = await TestSocket.open(port, await gateway.asRole("admin", "root"));
  await putSkill(gateway, "made", "ada", "public");
  for (const each of [socket, viewer])
    await each.find((message) => ("changed" in message ? true : undefined));
  expect(await viewer.ask("skills.list", {})).toMatchObject({ skills: [{ entry: { id: "made" } }] });
});

test("sends dependency progress only to publishers who see the skill and administrators [S-39]", async () => {
  await putSkill(gateway, "of-ada", "ada");
  const headers = [
    await gateway.asRole("admin"),
    await gateway.asRole("publisher", "ada"),
    await gateway.asRole("publisher", "bob"),
    await gateway.asRole("viewer", "ada"),
  ];
  const sockets = await Promise.all(headers.map((each) => TestSocket.open(port, each)));
  const { progress } = gateway.context;
  progress.publish({ type: "skill.deps.checking", slug: "of-ada" });
  progress.publish({ type: "skill.deps.checked", slug: "of-ada", ok: false, missing: ["pip:x"] });
  progress.publish({ type: "skill.deps.installing", deps: ["pip:x"] });
  const heard = () =>
    sockets.map(({ messages }) =>
      messages.flatMap((message) => ("progress" in message ? [message.progress.type] : [])),
    );
  const checks = ["skill.deps.checking", "skill.deps.checked"];
  await vi.waitFor(
    () => expect(heard()).toEqual([[...checks, "skill.deps.installing"], checks, [], []]),
    120_000,
  );
});

test("revoking a token closes its sockets and sessions, and no others [S-53] [S-54]", async () => {
  const make = (name: string) =>
    issueToken({ name, role: "viewer", user: "vic" }, { by: root }, gateway.registry);
  const [one, other] = [await make("one"), await make("other")];
  const open = (secret: string) => TestSocket.open(port, { authorization: `Bearer ${secret}` });
  const [ended, kept] = [await open(one.secret), await open(other.secret)];
  const headers = { authorization: `Bearer ${one.secret}` };
  const opened = await ask(gateway, "POST", "/v1/sessions", { headers, body: {} });
  const { session } = await answerOf("openSession", opened);
  await revokeToken(one.token.id, { by: root }, gateway.registry);
  expect(await ended.closed).toEqual({ code: 1008, reason: "The token was revoked." });
  expect(await kept.ask("skills.list", {})).toMatchObject({ total: 0 });
  await vi.waitFor(async () => {
    const types = (await gateway.registry.store.eventsOfSession(session)).map(({ event }) => event.type);
    expect(types).toEqual(["session.opened", "session.closed"]);
  }, 120_000);
});

test("closes a socket when its token expires or its agent is removed [S-53]", async () => {
  const bot = await TestSocket.open(port, await gateway.asRole("agent", "bob", "bot"));
  await removeAgent("bot", { by: root }, gateway.registry);
  expect(await bot.closed).toMatchObject({ code: 1008 });
  const socket = await TestSocket.open(port, await gateway.asRole("viewer", "vic"));
  now = 2 * 86_400_000;
  expect(await socket.closed).toEqual({ code: 1008, reason: "The token expired." });
});

test("limits the connections of a token [S-53]", async () => {
  const headers = await gateway.asRole("viewer", "vic");
  const first = await TestSocket.open(port, headers);
  await TestSocket.open(port, headers);
  await expect(TestSocket.open(port, headers)).rejects.toThrow("RATE_LIMITED");
  await TestSocket.open(port, await gateway.asRole("viewer", "val"));
  await first.close();
  await vi.waitFor(() => TestSocket.open(port, headers), 120_000);
});

test("accepts the session cookie with its CSRF token from the gateway's own page only [S-53]", async () => {
  const spec = { kind: "sign-in", name: "sign in", role: "admin", user: "root" } as const;
  const { secret: code } = await issueToken(spec, { by: root }, gateway.registry);
  const response = await ask(gateway, "POST", "/v1/sign-in", { body: { code } });
  const { csrf } = await answerOf("signIn", response);
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  const origin = `http://${HOST}`;
  const page = await TestSocket.connect(port, { cookie, origin });
  expect(await page.ask("hello", { csrf })).toMatchObject({ user: "root" });
  expect(await page.ask("skills.list", {})).toMatchObject({ total: 0 });
  for (const [headers, params] of [
    [{ cookie, origin }, {}],
    [{ cookie, origin }, { csrf: "x" }],
    [{ cookie }, { csrf }],
    [{ origin }, { csrf }],
    [{ cookie, origin }, { csrf: "a\r\nx: y" }],
  ] as const) {
    const other = await TestSocket.connect(port, headers);
    expect(await other.answer("hello", params)).toMatchObject({ error: { code: "UNAUTHENTICATED" } });
    expect(await other.closed).toMatchObject({ code: 1008 });
  }
});

test("closes all sockets with a reason when the gateway stops [S-54]", async () => {
  const socket = await TestSocket.open(port, await gateway.asRole("viewer", "vic"));
  const stranger = await TestSocket.connect(port);
  const other = await openTestGateway();
  await gateway.close();
  gateway = other;
  expect((await socket.closed).code).toBe(1001);
  expect((await stranger.closed).code).toBe(1001);
});
