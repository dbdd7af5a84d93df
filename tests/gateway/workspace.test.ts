import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { SkillEvent } from "@skillhold/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";

type Headers = Readonly<Record<string, string>>;
let gateway: TestGateway;
let now = new Date("2026-05-01T10:00:00.000Z");
const timers = new ManualTimers();

beforeEach(async () => {
  now = new Date("2026-05-01T10:00:00.000Z");
  gateway = await openTestGateway({ clock: { now: () => now }, timers });
});
afterEach(() => gateway.close());

const agentOf = (key: string, user = "ann") => gateway.asRole("agent", user, key);
const post = (path: string, body: object, headers: Headers) => ask(gateway, "POST", path, { headers, body });
const card = (name: string, ...skills: readonly string[]) => ({
  name,
  description: `The ${name}`,
  skills: skills.map((id) => ({ id, name: id, description: `About ${id}`, tags: [] })),
});
const peersOf = async (key: string, headers: Headers, query = "") =>
  await answerOf("listPeers", await ask(gateway, "GET", `/registry/${key}/peers${query}`, { headers }));
const eventsOf = async (): Promise<readonly SkillEvent[]> =>
  (await gateway.registry.store.eventsAfter(0, 1000))
    .map(({ event }) => event)
    .filter(({ type }) => type.startsWith("workspace."));
const viewOf = async (key: string) =>
  await answerOf(
    "getWorkspace",
    await ask(gateway, "GET", `/v1/workspaces/${key}`, { headers: await gateway.asRole("admin", "root") }),
  );
const place = async (key: string, parent: string | null) =>
  await ask(gateway, "PUT", `/v1/workspaces/${key}`, {
    headers: await gateway.asRole("publisher", "ann"),
    body: { parent },
  });

test("a registered workspace is online, and its peers see its card [S-56]", async () => {
  const [seo, writer] = [await agentOf("seo"), await agentOf("writer")];
  await answerOf(
    "registerWorkspace",
    await post(
      "/registry/register",
      { id: "seo", url: "http://10.0.0.1:8000", agent_card: card("SEO", "audit") },
      seo,
    ),
  );
  await post("/registry/register", { id: "writer" }, writer);
  expect(await peersOf("writer", writer)).toEqual([
    {
      id: "seo",
      name: "SEO",
      role: "",
      tier: 1,
      status: "online",
      url: "http://10.0.0.1:8000",
      parent_id: null,
      active_tasks: 0,
      agent_card: card("SEO", "audit"),
    },
  ]);
  expect(await peersOf("writer", writer, "?q=se")).toHaveLength(1);
  expect(await peersOf("writer", writer, "?q=other")).toEqual([]);
  expect((await viewOf("seo")).skills).toEqual([{ id: "audit", name: "audit", description: "About audit" }]);
});

test("an equal card sends no event, and a changed card sends one [S-56]", async () => {
  const seo = await agentOf("seo");
  const push = (body: object) =>
    post("/registry/update-card", { workspace_id: "seo", agent_card: body }, seo);
  await answerOf("updateWorkspaceCard", await push(card("SEO", "audit")));
  const { skills, ...rest } = card("SEO", "audit");
  await answerOf("updateWorkspaceCard", await push({ skills, ...rest }));
  await answerOf("updateWorkspaceCard", await push(card("SEO", "audit", "write")));
  const updates = (await eventsOf()).filter(({ type }) => type === "workspace.card_updated");
  expect(updates).toMatchObject([{ skills: ["audit"] }, { skills: ["audit", "write"] }]);
});

test("heartbeats set the status and the task, and silence sets offline [S-56]", async () => {
  const seo = await agentOf("seo");
  const beat = async (body: object) =>
    await answerOf("sendHeartbeat", await post("/registry/heartbeat", { workspace_id: "seo", ...body }, seo));
  await beat({ error_rate: 0.5, current_task: "Skill promotion: reports" });
  expect(await viewOf("seo")).toMatchObject({ status: "degraded", task: "Skill promotion: reports" });
  await beat({ error_rate: 0.2 });
  expect(await viewOf("seo")).toMatchObject({ status: "degraded", task: "Skill promotion: reports" });
  await beat({ error_rate: 0.05, current_task: "" });
  expect(await viewOf("seo")).toMatchObject({ status: "online", task: "" });
  now = new Date(now.getTime() + 59_000);
  timers.advance(10_000);
  await gateway.registry.store.lastEvent();
  expect(await viewOf("seo")).toMatchObject({ status: "online" });
  now = new Date(now.getTime() + 2000);
  await expect
    .poll(async () => {
      timers.advance(10_000);
      return (await viewOf("seo")).status;
    })
    .toBe("offline");
  await beat({});
  const told = (await eventsOf()).flatMap((event) => {
    if (event.type === "workspace.status_changed") return [event.status];
    return event.type === "workspace.task_changed" ? [event.task] : [];
  });
  expect(told).toEqual(["degraded", "Skill promotion: reports", "online", "", "offline", "online"]);
});

test("an unchanged heartbeat is not stored again within 15 seconds [S-56]", async () => {
  const seo = await agentOf("seo");
  const beat = () => post("/registry/heartbeat", { workspace_id: "seo", uptime_seconds: 1 }, seo);
  await beat();
  const first = (await viewOf("seo")).heartbeatAt;
  now = new Date(now.getTime() + 14_000);
  await beat();
  expect((await viewOf("seo")).heartbeatAt).toBe(first);
  now = new Date(now.getTime() + 2000);
  await beat();
  expect((await viewOf("seo")).heartbeatAt).toBe(now.toISOString());
});

test("a workspace acts only for itself [S-56]", async () => {
  await agentOf("seo");
  const [writer, bob, vic] = [
    await agentOf("writer"),
    await gateway.asRole("publisher", "bob"),
    await gateway.asRole("viewer", "ann"),
  ];
  const calls = [
    ["/registry/register", { id: "seo" }],
    ["/registry/update-card", { workspace_id: "seo", agent_card: {} }],
    ["/registry/heartbeat", { workspace_id: "seo" }],
    ["/workspaces/seo/activity", { activity_type: "note" }],
  ] as const;
  for (const [path, body] of calls) {
    for (const headers of [writer, bob])
      expect(await problemOf(await post(path, body, headers))).toMatchObject({ code: "AGENT_NOT_FOUND" });
    expect(await problemOf(await post(path, body, vic))).toMatchObject({ code: "FORBIDDEN" });
    expect((await post(path, body, {})).status).toBe(401);
  }
  expect(
    await problemOf(await ask(gateway, "GET", "/registry/seo/peers", { headers: writer })),
  ).toMatchObject({
    code: "AGENT_NOT_FOUND",
  });
  expect(await eventsOf()).toEqual([]);
});

test("siblings, the parent and the children are peers, and roots of another owner are not [S-56]", async () => {
  for (const [key, user] of [
    ["lead", "ann"],
    ["a", "ann"],
    ["b", "ann"],
    ["a1", "ann"],
    ["far", "bob"],
  ] as const)
    await post("/registry/register", { id: key }, await agentOf(key, user));
  for (const [key, parent] of [
    ["a", "lead"],
    ["b", "lead"],
    ["a1", "a"],
  ] as const)
    await answerOf("placeWorkspace", await place(key, parent));
  const idsFor = async (key: string, user = "ann") =>
    (await peersOf(key, await agentOf(key, user))).map(({ id }) => id);
  expect(await idsFor("lead")).toEqual(["a", "b"]);
  expect(await idsFor("a")).toEqual(["a1", "b", "lead"]);
  expect(await idsFor("a1")).toEqual(["a"]);
  expect(await idsFor("far", "bob")).toEqual([]);
  expect(await problemOf(await place("lead", "a1"))).toMatchObject({ code: "CONFLICT" });
  expect(await problemOf(await place("a", "far"))).toMatchObject({ code: "AGENT_NOT_FOUND" });
});

test("an activity is recorded with its body [S-56]", async () => {
  const seo = await agentOf("seo");
  const body = { activity_type: "skill_note", summary: "Reports", metadata: { source: "memory-curation" } };
  const { id } = await answerOf("addActivity", await post("/workspaces/seo/activity", body, seo));
  expect(await eventsOf()).toMatchObject([
    {
      type: "workspace.activity",
      activity: id,
      agent: "seo",
      kind: "skill_note",
      summary: "Reports",
      body: JSON.stringify({ metadata: body.metadata }),
    },
  ]);
});

test("lists the activities of a workspace, newest first, to its agent and its managers [S-56]", async () => {
  const [seo, writer] = [await agentOf("seo"), await agentOf("writer")];
  const note = { activity_type: "note", summary: "Read", request_body: { page: 1 }, duration_ms: 5 };
  const first = await answerOf("addActivity", await post("/workspaces/seo/activity", note, seo));
  await post("/workspaces/writer/activity", { activity_type: "note" }, writer);
  await post("/workspaces/seo/activity", { activity_type: "error", error_detail: "No page" }, seo);
  const list = (query: string, headers: Headers) =>
    ask(gateway, "GET", `/workspaces/seo/activity${query}`, { headers });
  const all = await answerOf("listActivities", await list("", seo));
  expect(all).toMatchObject([{ activity_type: "error", error_detail: "No page" }, { id: first.id }]);
  expect(await answerOf("listActivities", await list("?type=note", seo))).toEqual([
    {
      id: first.id,
      workspace_id: "seo",
      activity_type: "note",
      summary: "Read",
      source_id: null,
      target_id: null,
      method: null,
      status: "ok",
      duration_ms: 5,
      error_detail: null,
      request_body: { page: 1 },
      created_at: now.toISOString(),
    },
  ]);
  expect(await answerOf("listActivities", await list("?limit=1", seo))).toHaveLength(1);
  expect(await problemOf(await list("", writer))).toMatchObject({ code: "AGENT_NOT_FOUND" });
  expect((await list("?limit=0", seo)).status).toBe(400);
});

test("rejects a card of 10 MB and a large activity, and keeps the last card [S-56]", async () => {
  const seo = await agentOf("seo");
  const push = (body: object) =>
    post("/registry/update-card", { workspace_id: "seo", agent_card: body }, seo);
  await push(card("SEO", "audit"));
  const admin = await gateway.asRole("admin", "root");
  for (const size of [300_000, 10_000_000])
    expect(
      await problemOf(
        await post(
          "/registry/update-card",
          { workspace_id: "seo", agent_card: { name: "x".repeat(size) } },
          admin,
        ),
      ),
    ).toMatchObject({ code: "LIMIT_EXCEEDED" });
  const note = { activity_type: "note", request_body: "x".repeat(70_000) };
  expect(await problemOf(await post("/workspaces/seo/activity", note, admin))).toMatchObject({
    code: "LIMIT_EXCEEDED",
  });
  expect((await viewOf("seo")).skills).toHaveLength(1);
});
