import { grantSkill, revokeSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";
import { put } from "./skill.fixture.ts";

type Headers = Readonly<Record<string, string>>;
let gateway: TestGateway;
let ann: Headers;
let bob: Headers;
let admin: Headers;
beforeEach(async () => {
  gateway = await openTestGateway();
  ann = await gateway.asRole("publisher", "ann");
  bob = await gateway.asRole("publisher", "bob");
  admin = await gateway.asRole("admin", "root");
});
afterEach(() => gateway.close());

const add = (headers: Headers, body: object) => ask(gateway, "POST", "/v1/agents", { headers, body });
const listedFor = async (headers: Headers) => {
  const { agents } = await answerOf("listAgents", await ask(gateway, "GET", "/v1/agents", { headers }));
  return agents.map(({ key }) => key);
};

test("people manage their own agents, and administrators see all [S-53]", async () => {
  const body = { key: "helper", runtime: "claude-code", allow: ["pdf"], pins: { pdf: 1, constructor: 2 } };
  const agent = await answerOf("addAgent", await add(ann, body));
  expect(agent).toMatchObject({ ...body, owner: "ann", displayName: "helper" });
  await answerOf("addAgent", await add(bob, { key: "other", runtime: "test" }));
  expect([await listedFor(ann), await listedFor(bob), await listedFor(admin)]).toEqual([
    ["helper"],
    ["other"],
    ["helper", "other"],
  ]);
  for (const key of ["helper", agent.uid])
    expect(
      await answerOf("getAgent", await ask(gateway, "GET", `/v1/agents/${key}`, { headers: ann })),
    ).toEqual(agent);
  expect(await problemOf(await add(bob, { key: "helper", runtime: "test" }))).toMatchObject({
    code: "CONFLICT",
  });
});

test("changes the given fields, and rejects a stale ETag [S-53]", async () => {
  await add(ann, { key: "helper", runtime: "test", allow: [], manifest: "id: helper\nruntime: test\n" });
  const get = (more: Headers = {}) =>
    ask(gateway, "GET", "/v1/agents/helper", { headers: { ...ann, ...more } });
  const etag = (await get()).headers.get("etag") ?? "";
  expect((await get({ "if-none-match": etag })).status).toBe(304);
  const change = (body: object, more: Headers = {}) =>
    ask(gateway, "PUT", "/v1/agents/helper", { headers: { ...ann, ...more }, body });
  const changed = await change({ allow: null, runtime: "other" }, { "if-match": etag });
  const next = changed.headers.get("etag");
  const agent = await answerOf("changeAgent", changed);
  expect(agent).toMatchObject({ runtime: "other", manifest: "id: helper\nruntime: test\n" });
  expect(agent).not.toHaveProperty("allow");
  expect(next).not.toBe(etag);
  expect(await problemOf(await change({ runtime: "third" }, { "if-match": etag }))).toMatchObject({
    code: "PRECONDITION_FAILED",
  });
  const removal = { headers: { ...ann, "if-match": etag } };
  expect((await ask(gateway, "DELETE", "/v1/agents/helper", removal)).status).toBe(412);
  expect((await get()).headers.get("etag")).toBe(next);
  for (const body of [
    { owner: "bob" },
    { key: "x" },
    { uid: "x" },
    { allow: ["../x"] },
    { pins: { pdf: 0 } },
  ])
    expect([body, (await problemOf(await change(body))).code]).toEqual([body, "USAGE"]);
});

test("of two concurrent changes with one ETag, one succeeds [S-53]", async () => {
  await add(ann, { key: "helper", runtime: "test", allow: [] });
  const seen = await ask(gateway, "GET", "/v1/agents/helper", { headers: ann });
  const headers = { ...ann, "if-match": seen.headers.get("etag") ?? "" };
  const change = (allow: readonly string[]) =>
    ask(gateway, "PUT", "/v1/agents/helper", { headers, body: { allow } });
  const answers = await Promise.all([change(["one"]), change(["two"])]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  const late = await Promise.all([
    ask(gateway, "PUT", "/v1/agents/helper", { headers: ann, body: { allow: null } }),
    ask(gateway, "DELETE", "/v1/agents/helper", { headers }),
  ]);
  expect(late.map(({ status }) => status)).toEqual([200, 412]);
});

test("a removed agent loses its grants and tokens [S-53]", async () => {
  await putSkill(gateway, "pdf", "ann");
  const agent = await gateway.asRole("agent", "ann", "helper");
  const by = { user: "ann", role: "publisher" } as const;
  await grantSkill("pdf", { kind: "agent", key: "helper" }, { by }, gateway.registry);
  expect((await ask(gateway, "GET", "/v1/me", { headers: agent })).status).toBe(200);
  const removed = await ask(gateway, "DELETE", "/v1/agents/helper", { headers: ann });
  expect(await answerOf("removeAgent", removed)).toEqual({ key: "helper", revoked: ["pdf"] });
  expect((await ask(gateway, "GET", "/v1/me", { headers: agent })).status).toBe(401);
  expect(await problemOf(await ask(gateway, "GET", "/v1/agents/helper", { headers: ann }))).toMatchObject({
    code: "AGENT_NOT_FOUND",
  });
  expect(await problemOf(await add(ann, { key: "helper", runtime: "test" }))).toMatchObject({
    code: "CONFLICT",
  });
});

test("another owner's agent gives the error of a missing one [S-53]", async () => {
  const { uid } = await answerOf("addAgent", await add(ann, { key: "helper", runtime: "test" }));
  const none = "00000000-0000-4000-8000-000000000000";
  const wordsFor = async (method: string, key: string, body?: object) => {
    const response = await ask(gateway, method, `/v1/agents/${key}`, { headers: bob, ...(body && { body }) });
    return JSON.stringify(await problemOf(response)).replaceAll(key, "KEY");
  };
  for (const [method, body] of [["GET"], ["PUT", { runtime: "mine" }], ["DELETE"]] as const) {
    expect(await wordsFor(method, "helper", body)).toBe(await wordsFor(method, "gone", body));
    expect(await wordsFor(method, uid, body)).toBe(await wordsFor(method, none, body));
  }
  const lookAs = async (key: string) => {
    const response = await ask(gateway, "GET", `/v1/explain?agent=${key}`, { headers: bob });
    return JSON.stringify(await problemOf(response)).replaceAll(key, "KEY");
  };
  expect(await lookAs("helper")).toBe(await lookAs("gone"));
  expect(await lookAs(uid)).toBe(await lookAs(none));
  expect(await listedFor(admin)).toEqual(["helper"]);
});

test("people cannot create agents for others, and agents cannot manage agents [S-53]", async () => {
  const body = { key: "helper", runtime: "test", owner: "ann" };
  expect(await problemOf(await add(bob, body))).toMatchObject({ code: "POLICY_DENIED" });
  expect(await answerOf("addAgent", await add(admin, body))).toMatchObject({ owner: "ann" });
  await add(ann, { key: "second", runtime: "test" });
  const acting = await gateway.asRole("publisher", "ann", "helper");
  expect(await listedFor(acting)).toEqual(["helper"]);
  expect((await ask(gateway, "GET", "/v1/agents/second", { headers: acting })).status).toBe(404);
  expect(await problemOf(await add(acting, { key: "third", runtime: "test" }))).toMatchObject({
    code: "POLICY_DENIED",
  });
  const widened = { headers: acting, body: { allow: null } };
  expect(await problemOf(await ask(gateway, "PUT", "/v1/agents/helper", widened))).toMatchObject({
    code: "POLICY_DENIED",
  });
});

test("pins of an agent do not give its owner revisions that were not granted [S-43] [S-65]", async () => {
  const by = { user: "ann", role: "publisher" } as const;
  for (const text of ["First.", "Second.", "Third."]) await put(gateway, "pinned", { by, body: text });
  await add(bob, { key: "bobs", runtime: "test", pins: { pinned: 3 } });
  const get = (path: string) => ask(gateway, "GET", `/v1/skills/pinned${path}`, { headers: bob });
  for (const grantee of [
    { kind: "user", key: "bob" },
    { kind: "agent", key: "bobs" },
  ] as const) {
    await grantSkill("pinned", grantee, { by: { ...by, role: "admin" }, pin: 1 }, gateway.registry);
    const { body } = await answerOf("getSkill", await get("?agent=bobs"));
    expect([grantee.kind, body.trim()]).toEqual([grantee.kind, "First."]);
    expect((await get("/files?agent=bobs&revision=3")).status).toBe(404);
    await revokeSkill("pinned", grantee, { by }, gateway.registry);
  }
});

test("a manifest with an unknown skill is rejected; its skills and pins apply to sessions and the catalogue [S-23]", async () => {
  for (const id of ["alpha", "beta"]) await putSkill(gateway, id, "ann");
  const manifest = "id: helper\nruntime: test\nuses_skills: [alpha]\npins: [beta]\ninstructions: Be brief.\n";
  const unknown = { key: "helper", runtime: "test", manifest: manifest.replace("alpha", "gamma") };
  expect(await problemOf(await add(ann, unknown))).toMatchObject({ code: "SKILL_NOT_FOUND" });
  // A private skill of another user does not exist for the caller.
  expect(await problemOf(await add(bob, { ...unknown, manifest }))).toMatchObject({
    code: "SKILL_NOT_FOUND",
  });
  const agent = await answerOf("addAgent", await add(ann, { key: "helper", runtime: "test", manifest }));
  const path = `/v1/agents/${agent.uid}`;
  const changed = await ask(gateway, "PUT", path, { headers: ann, body: { manifest: unknown.manifest } });
  expect(await problemOf(changed)).toMatchObject({ code: "SKILL_NOT_FOUND" });
  const headers = await gateway.asRole("agent", "ann", "helper");
  const opened = await answerOf(
    "openSession",
    await ask(gateway, "POST", "/v1/sessions", { headers, body: {} }),
  );
  expect(opened.instructions).toMatch(/alpha[\s\S]*Be brief\.$/);
  const events = await gateway.registry.store.eventsOfSession(opened.session);
  expect(events.map(({ event }) => event.type)).toEqual(["session.opened", "skill.activated"]);
  const catalogue = await ask(gateway, "GET", "/v1/catalogue", { headers });
  expect((await answerOf("getCatalogue", catalogue)).inline).toEqual(["beta", "alpha"]);
});
