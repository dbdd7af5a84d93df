import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { describe, expect, test, vi } from "vitest";
import { openHttp, openSkills, skill } from "./server.fixture.ts";

const body = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const initialize = body("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "tester", version: "1" },
});
const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

function start(options: Parameters<typeof openHttp>[1] = {}) {
  const fixture = openSkills([skill("pdf")]);
  const http = openHttp(fixture.skills, options);
  const send = (init: RequestInit & { readonly session?: string; readonly key?: string } = {}) => {
    const { session, key = "token-1", ...rest } = init;
    const more = session === undefined ? {} : { "mcp-session-id": session };
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      ...rest,
      headers: { ...headers, ...rest.headers, ...more },
    });
    return http.handler.fetch(request, { ...http.who, key });
  };
  const open = async (key = "token-1") => {
    const response = await send({ body: initialize, key });
    await response.text();
    return { status: response.status, id: response.headers.get("mcp-session-id") ?? "" };
  };
  return { ...fixture, ...http, send, open };
}

describe("a session over HTTP", () => {
  test("exists only for its caller [S-57]", async () => {
    const { send, open, handler, events } = start();
    const { id } = await open();
    const list = body("tools/list");
    expect((await send({ body: list, session: id })).status).toBe(200);
    for (const method of ["POST", "GET", "DELETE"]) {
      const stolen = { method, session: id, key: "token-2", ...(method === "POST" ? { body: list } : {}) };
      expect((await send(stolen)).status, method).toBe(404);
    }
    expect((await send({ body: list, session: "made-up" })).status).toBe(404);
    expect((await send({ method: "DELETE", session: id })).status).toBe(200);
    expect((await send({ body: list, session: id })).status).toBe(404);
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain("session.closed"), 120_000);
    await handler.close();
  });

  test("ends when its caller's view changes [S-43]", async () => {
    const { open, handler, who } = start();
    const { id } = await open();
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { ...headers, "mcp-session-id": id },
      body: body("tools/list"),
    });
    const other = { ...who, viewer: { ...who.viewer, allow: [] } };
    expect((await handler.fetch(request, other)).status).toBe(404);
    await handler.close();
  });

  test("is closed and recorded when it is idle [S-57] [S-62]", async () => {
    const timers = new ManualTimers();
    const { send, open, events, handler } = start({ idleMs: 60_000, timers });
    const { id } = await open();
    timers.advance(50_000);
    expect((await send({ body: body("tools/list"), session: id })).status).toBe(200);
    timers.advance(50_000);
    expect((await send({ body: body("tools/list"), session: id })).status).toBe(200);
    timers.advance(90_000);
    expect((await send({ body: body("tools/list"), session: id })).status).toBe(404);
    await expect.poll(() => events.at(-1)).toMatchObject({ type: "session.closed" });
    await handler.close();
  });

  test("closes the caller's oldest session when the table is full, and none of another caller [S-57]", async () => {
    const { send, open, handler } = start({ maxSessionsOfCaller: 2, maxSessions: 3 });
    const others = await open("token-2");
    const [first, second] = [await open(), await open()];
    await open();
    const statusOf = async (session: string, key?: string) =>
      (await send({ body: body("ping"), session, ...(key === undefined ? {} : { key }) })).status;
    expect(await statusOf(first.id)).toBe(404);
    expect(await statusOf(second.id)).toBe(200);
    expect(await statusOf(others.id, "token-2")).toBe(200);
    expect((await open("token-3")).status).toBe(429);
    await handler.close();
  });

  test("is started only by `initialize` [S-57]", async () => {
    const { send, events, handler } = start();
    expect((await send({ body: body("tools/list") })).status).toBe(400);
    expect((await send({ method: "GET" })).status).toBe(400);
    expect((await send({ method: "DELETE" })).status).toBe(400);
    expect((await send({ method: "PUT", body: "{}" })).status).toBe(405);
    expect(events).toEqual([]);
    await handler.close();
  });
});

describe("a request that cannot be served", () => {
  test("is rejected before a session is opened [S-57]", async () => {
    const { send, events, handler } = start({ maxRequestBytes: 1000 });
    expect((await send({ body: "{" })).status).toBe(400);
    expect((await send({ body: "x".repeat(2000) })).status).toBe(413);
    expect((await send({ body: "{}", headers: { "content-type": "text/plain" } })).status).toBe(415);
    expect(events).toEqual([]);
    await handler.close();
    expect((await send({ body: initialize })).status).toBe(503);
  });

  test("has the status of the host's error [S-57]", async () => {
    const { SkillError } = await import("@skillhold/protocol/error");
    const { open, handler } = start({
      open: () => {
        throw new SkillError("STORE_FAILED", "The store is away.");
      },
    });
    expect((await open()).status).toBe(503);
    await handler.close();
  });
});

describe("requests without a session", () => {
  test("share one recorded session per caller, and one per viewer [S-57] [S-62]", async () => {
    const { connect, events, handler, who } = start();
    const [one, two] = await Promise.all([connect("2026-07-28"), connect("2026-07-28")]);
    await Promise.all([one.listTools(), two.listTools(), one.listPrompts(), two.listPrompts()]);
    const opened = () => events.filter(({ type }) => type === "session.opened").length;
    expect(opened()).toBe(1);
    const other = await connect("2026-07-28", {}, { ...who, key: "token-2" });
    await other.listTools();
    expect(opened()).toBe(2);
    for (const client of [one, two, other]) await client.close();
    await handler.close();
    expect(events.filter(({ type }) => type === "session.closed")).toHaveLength(2);
  });
});

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of %s", (revision) => {
  test("is notified once per list when skills change [S-18] [S-57]", async () => {
    const { connect, library, handler } = start();
    const told: string[] = [];
    const note = (name: string) => ({
      autoRefresh: false,
      debounceMs: 0,
      onChanged: () => void told.push(name),
    });
    const client = await connect(revision, {
      listChanged: { tools: note("tools"), prompts: note("prompts"), resources: note("resources") },
    });
    // The stream on which it hears of changes may be on its way.
    await vi.waitFor(
      async () => {
        library.replace([skill("pdf"), skill(`mail-${told.length}-${Math.random().toString(36).slice(2)}`)]);
        await vi.waitFor(
          () => expect(new Set(told)).toEqual(new Set(["tools", "prompts", "resources"])),
          300,
        );
      },
      { timeout: 120_000 },
    );
    told.length = 0;
    library.replace([skill("pdf")]);
    await vi.waitFor(() => expect(told.toSorted()).toEqual(["prompts", "resources", "tools"]), 120_000);
    await client.close();
    await handler.close();
  });
});
