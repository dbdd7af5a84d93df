import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { openSession } from "@skillhold/core/session";
import { Problem, routeTable } from "@skillhold/protocol/http";
import { grantSkill } from "@skillhold/registry/access";
import { editSkill, publishFolder } from "@skillhold/registry/release";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openTestGateway, type TestGateway } from "./gateway.fixture.ts";

const by = { user: "ann", role: "publisher" } as const;
const base = "http://gateway.test:7878";
let gateway: TestGateway;

beforeEach(async () => {
  gateway = await openTestGateway();
  for (const id of ["pdf", "hidden"]) {
    const folder = join(gateway.folder, id);
    await mkdir(folder);
    await writeFile(join(folder, "SKILL.md"), `---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`);
    await publishFolder(folder, { by }, gateway.registry);
  }
  await editSkill("pdf", { visibility: "public" }, { by }, gateway.registry);
});
afterEach(() => gateway.close());

async function use(id: string): Promise<string> {
  const { registry, context } = gateway;
  const ports = { clock: registry.clock, ids: registry.ids, audit: context.audit };
  const session = await openSession(context.library, { runtime: "skillhold", user: "ann" }, ports);
  await session.activate(id);
  await session.close();
  return session.id;
}

async function get(path: string, role: "admin" | "viewer" | "publisher", user = "ann"): Promise<Response> {
  return await gateway.app.request(`${base}${path}`, { headers: await gateway.asRole(role, user) });
}

test("counts usage from the log, and callers see only their own skills [S-63]", async () => {
  await use("pdf");
  await use("hidden");
  const last = await gateway.registry.store.lastEvent();
  await vi.waitFor(async () => {
    const { upTo } = routeTable.listMetrics.answer.parse(await (await get("/v1/metrics", "admin")).json());
    expect(upTo).toBe(last);
  }, 120_000);
  const idsFor = async (role: "admin" | "viewer", user: string) => {
    const answer = await (await get("/v1/metrics", role, user)).json();
    return routeTable.listMetrics.answer.parse(answer).skills.map(({ skill }) => skill);
  };
  expect(await idsFor("admin", "root")).toEqual(["hidden", "pdf"]);
  expect(await idsFor("viewer", "ann")).toEqual(["hidden", "pdf"]);
  expect(await idsFor("viewer", "bob")).toEqual(["pdf"]);
  const one = routeTable.getMetrics.answer.parse(
    await (await get("/v1/skills/pdf/metrics", "viewer", "bob")).json(),
  );
  expect(one).toMatchObject({ total: { activations: 1 }, revisions: [{ revision: 1, activations: 1 }] });
  expect((await get("/v1/skills/hidden/metrics", "viewer", "bob")).status).toBe(404);
  const daysFor = async (role: "admin" | "viewer", user: string) => {
    const answer = await (await get("/v1/metrics/days", role, user)).json();
    return routeTable.listDays.answer.parse(answer).days.map(({ activations }) => activations);
  };
  expect(await daysFor("admin", "root")).toEqual([2]);
  expect(await daysFor("viewer", "bob")).toEqual([1]);
});

test("Prometheus counters name only public skills [S-63]", async () => {
  await use("pdf");
  await use("hidden");
  await vi.waitFor(async () => {
    const text = await (await get("/metrics", "admin", "root")).text();
    for (const skill of ["pdf", "other"])
      expect(text).toContain(
        `skillhold_skill_activations_total{skill="${skill}",source="registry",outcome="ok"} 1`,
      );
    expect(text).toContain('skillhold_http_request_duration_seconds_count{route="/metrics",method="GET"');
    expect(text).toContain('skillhold_catalog_skills{status="active",enabled="true"} 2');
    expect(text).toMatch(/^skillhold_catalog_tokens [1-9]\d*$/m);
    expect(text).not.toContain("hidden");
  }, 120_000);
});

test("lists audit events in both orders by skill, session and type [S-62] [S-53]", async () => {
  const session = await use("pdf");
  const read = async (query: string) => {
    const answer = await (await get(`/v1/audit?${query}`, "admin")).json();
    return routeTable.listEvents.answer.parse(answer).events;
  };
  expect((await read("order=newest&limit=1"))[0]?.event.type).toBe("session.closed");
  expect((await read("skill=hidden")).map(({ event }) => event.type)).toEqual(["skill.published"]);
  expect(await read("type=skill.activated")).toHaveLength(1);
  expect((await read("type=session.opened,session.closed")).map(({ event }) => event.type)).toEqual([
    "session.opened",
    "session.closed",
  ]);
  expect(await read("type=skill.activated%00,")).toEqual([]);
  const ofSession = await read(`session=${session}`);
  expect(ofSession.map(({ event }) => event.type)).toEqual([
    "session.opened",
    "skill.activated",
    "session.closed",
  ]);
  const first = ofSession[0]?.seq ?? 0;
  expect(await read(`session=${session}&after=${first}`)).toEqual(ofSession.slice(1));
  expect(await read(`session=${session}&order=newest&after=${first + 1}`)).toEqual(ofSession.slice(0, 1));
  expect((await get("/v1/audit", "viewer")).status).toBe(403);
});

test("replays a session, and a missing one is not found [S-62]", async () => {
  const session = await use("pdf");
  const replay = await (await get(`/v1/audit/sessions/${session}`, "admin")).json();
  expect(routeTable.replaySession.answer.parse(replay)).toMatchObject({
    session,
    steps: [
      {
        kind: "activation",
        skill: "pdf",
        text: { isAvailable: true, text: expect.stringContaining("Do it.") },
      },
    ],
    drift: [],
  });
  const missing = await get("/v1/audit/sessions/none", "admin");
  expect(await missing.json()).toMatchObject({ status: 404, code: "SESSION_NOT_FOUND" });
});

test("the log is verified on request [S-62]", async () => {
  const report = await (await get("/v1/audit/verify", "admin")).json();
  expect(routeTable.verifyAudit.answer.parse(report)).toMatchObject({ ok: true, problems: [] });
});

test("serves the routes as OpenAPI and as a page without scripts [S-53]", async () => {
  const response = await get("/openapi.json", "viewer");
  expect(await response.json()).toMatchObject({ openapi: "3.1.0" });
  const headers = {
    ...(await gateway.asRole("viewer")),
    "if-none-match": response.headers.get("etag") ?? "",
  };
  expect((await gateway.app.request(`${base}/openapi.json`, { headers })).status).toBe(304);
  const page = await get("/reference", "viewer");
  const html = await page.text();
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(html).toContain("/v1/skills/{id}/toggle");
  expect(html).not.toContain("<script");
});

test("a request is a span below the caller's span, and a tool call has its own [S-63]", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  try {
    const parent = "0af7651916cd43dd8448eb211c80319c";
    const who = { ...(await gateway.asRole("viewer", "ann")), "content-type": "application/json" };
    const headers = { ...who, traceparent: `00-${parent}-b7ad6b7169203331-01` };
    await gateway.app.request(`${base}/v1/metrics`, { headers });
    const spans = () => exporter.getFinishedSpans();
    const span = spans().find(({ name }) => name === "GET /v1/metrics");
    expect(span?.spanContext().traceId).toBe(parent);
    expect(span?.attributes).toMatchObject({
      "http.route": "/v1/metrics",
      "http.response.status_code": 200,
    });
    const post = (path: string, body: object) =>
      gateway.app.request(`${base}${path}`, { method: "POST", headers: who, body: JSON.stringify(body) });
    const opened = await post("/v1/sessions", {});
    const { session } = routeTable.openSession.answer.parse(await opened.json());
    await post(`/v1/sessions/${session}/tools/read_skill`, { skill_id: "pdf" });
    await post(`/v1/sessions/${session}/tools/read_skill`, { skill_id: "none" });
    const called = spans().filter(({ name }) => name === "execute_tool read_skill");
    expect(called.map(({ attributes }) => attributes)).toMatchObject([
      {
        "gen_ai.tool.name": "read_skill",
        "gen_ai.skill.name": "pdf",
        "gen_ai.skill.id": "pdf",
        "gen_ai.skill.version": "1",
        "gen_ai.skill.source.uri": "registry:pdf@1",
        "skillhold.skill.tree_hash": expect.stringMatching(/^sha256:/),
      },
      { "gen_ai.skill.name": "none", "error.type": "SKILL_NOT_FOUND" },
    ]);
    const requests = spans().filter(({ name }) => name.startsWith("POST /v1/sessions/{session}/tools"));
    expect(called.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      requests.map((request) => request.spanContext().spanId),
    );
    expect(called.map(({ attributes }) => attributes["gen_ai.tool.call.id"])).toEqual(
      requests.map(({ attributes }) => attributes["skillhold.request.id"]),
    );
  } finally {
    await provider.shutdown();
    trace.disable();
  }
});

test("a pinned caller sees only the usage of the pinned revision [S-43] [S-63]", async () => {
  await use("hidden");
  const folder = join(gateway.folder, "hidden");
  await writeFile(join(folder, "SKILL.md"), "---\nname: hidden\ndescription: Other.\n---\nDo it.\n");
  await publishFolder(folder, { by }, gateway.registry);
  await use("hidden");
  await grantSkill("hidden", { kind: "user", key: "pia" }, { by, pin: 1 }, gateway.registry);
  const revisionsFor = async (user: string) => {
    const one = routeTable.getMetrics.answer.parse(
      await (await get("/v1/skills/hidden/metrics", "viewer", user)).json(),
    );
    const all = routeTable.listMetrics.answer.parse(
      await (await get("/v1/metrics?by=revision", "viewer", user)).json(),
    );
    return [one.revisions, all.skills].map((list) => list.map(({ revision }) => revision).sort());
  };
  await vi.waitFor(
    async () =>
      expect(await revisionsFor("ann")).toEqual([
        [1, 2],
        [1, 2],
      ]),
    120_000,
  );
  expect(await revisionsFor("pia")).toEqual([[1], [1]]);
});

test("a missing skill gives the usual error and hint [S-60] [S-63]", async () => {
  const { code, hint } = Problem.parse(await (await get("/v1/skills/none/metrics", "viewer")).json());
  expect([code, hint]).toEqual(["SKILL_NOT_FOUND", expect.stringContaining("GET /v1/skills lists")]);
});

test("skills that are used come first among their likes, in searches and sessions [S-61]", async () => {
  for (const id of ["sort-alpha", "sort-bravo"]) {
    const folder = join(gateway.folder, id);
    await mkdir(folder);
    await writeFile(join(folder, "SKILL.md"), `---\nname: ${id}\ndescription: Sorts mail.\n---\nDo it.\n`);
    await publishFolder(folder, { by }, gateway.registry);
  }
  const found = async () => {
    const { hits } = routeTable.searchSkills.answer.parse(
      await (await get("/v1/skills/search?q=sorts%20mail", "publisher")).json(),
    );
    return hits.map(({ row }) => row.entry.id);
  };
  expect(await found()).toEqual(["sort-alpha", "sort-bravo"]);
  await use("sort-bravo");
  const last = await gateway.registry.store.lastEvent();
  await vi.waitFor(async () => {
    const { upTo } = routeTable.listMetrics.answer.parse(await (await get("/v1/metrics", "admin")).json());
    expect(upTo).toBe(last);
  }, 120_000);
  // Another query, because answers are kept until a skill changes.
  const again = await get("/v1/skills/search?q=sorts%20the%20mail", "publisher");
  const { hits } = routeTable.searchSkills.answer.parse(await again.json());
  expect(hits.map(({ row }) => row.entry.id)).toEqual(["sort-bravo", "sort-alpha"]);
  const { registry, context } = gateway;
  const ports = { clock: registry.clock, ids: registry.ids, audit: context.audit };
  const uses = async () => new Map([["sort-bravo", { count: 3, lastUsedAt: "2026-01-01T00:00:00.000Z" }]]);
  const session = await openSession(context.library, { runtime: "x", user: "ann" }, { ...ports, uses });
  expect((await session.search("sorts mail")).map(({ entry }) => entry.id)).toEqual([
    "sort-bravo",
    "sort-alpha",
  ]);
  await session.close();
});
