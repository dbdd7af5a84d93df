import type { Asker } from "@skillhold/core/approval";
import { SkillError } from "@skillhold/protocol/error";
import { describe, expect, test, vi } from "vitest";
import { openHttp, openSkills, skill } from "./server.fixture.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;
const call = toRun("a.sh");

function toRun(script: string) {
  return { name: "run_skill_script", arguments: { skill_id: "demo", script } };
}

/** A run waits for an approval that the test gives. */
function start(options: Parameters<typeof openHttp>[1] = {}) {
  const asked: AbortSignal[] = [];
  const asker: Asker = {
    ask: (_request, signal) => {
      asked.push(signal);
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(new SkillError("INTERRUPTED", "It was called off.")));
      return promise;
    },
  };
  const files = { "scripts/a.sh": "echo ran", "scripts/b.sh": "echo ran" };
  const fixture = openSkills([skill("demo", { files })], { runs: {}, asker });
  return { ...fixture, asked, ...openHttp(fixture.skills, options) };
}

describe.each(revisions)("a caller of %s", (revision) => {
  test("that ends loses its calls and sessions, and others keep theirs [S-53] [S-57]", async () => {
    const { connect, handler, asked, who, events } = start();
    const [ended, other] = [await connect(revision), await connect(revision, {}, { ...who, key: "token-2" })];
    const failing = expect(ended.callTool(call, { timeout: 20_000 })).rejects.toThrow();
    await vi.waitFor(() => expect(asked).toHaveLength(1), 120_000);
    await handler.closeOf("token-1");
    expect(asked[0]?.aborted).toBe(true);
    expect(events.filter(({ type }) => type === "session.closed")).toHaveLength(1);
    expect((await other.listTools()).tools.length).toBeGreaterThan(0);
    await Promise.all([ended.close(), other.close()]);
    await handler.close();
    await failing;
    expect(events.some(({ type }) => type === "skill.script_executed")).toBe(false);
  });

  test("has a limit of concurrent calls over all of its sessions [S-53] [S-57]", async () => {
    const { connect, handler, asked } = start({ maxCallsOfCaller: 2 });
    const clients = [await connect(revision), await connect(revision), await connect(revision)];
    // Equal requests wait for the same question.
    const waiting = ["a.sh", "b.sh"].map((script, at) =>
      expect(clients[at]?.callTool(toRun(script))).rejects.toThrow(),
    );
    await vi.waitFor(() => expect(asked).toHaveLength(2), 120_000);
    const ref = { type: "ref/resource", uri: "skill://{+path}" } as const;
    const argument = { name: "path", value: "d" };
    for (const more of [() => clients[2]?.callTool(call), () => clients[2]?.complete({ ref, argument })])
      await expect(more()).rejects.toThrow("This caller has 2 running calls");
    await handler.closeOf("token-1");
    for (const client of clients) await client.close();
    await handler.close();
    await Promise.all(waiting);
  });
});

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

function post(body: unknown, more: Readonly<Record<string, string>> = {}): Request {
  return new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  });
}

function listen(): Request {
  const params = {
    notifications: { toolsListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const body = { jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params };
  return post(body, { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" });
}

/** Opens a session of the older revision, and the stream that tells it of changes. */
async function openStream({ handler, who }: ReturnType<typeof start>): Promise<Response> {
  const opened = await handler.fetch(post(initialize), who);
  await opened.text();
  const session = opened.headers.get("mcp-session-id") ?? "";
  const more = { accept: "text/event-stream", "mcp-session-id": session };
  return await handler.fetch(new Request("http://127.0.0.1/mcp", { headers: more }), who);
}

test("counts each message of a batch and rejects a batch above the limit [S-53] [S-57]", async () => {
  const { handler, who } = start();
  const taken: number[] = [];
  const take = (more: number) => {
    taken.push(more);
    throw new SkillError("RATE_LIMITED", "Too many requests.", { details: { retryAfter: 3 } });
  };
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const refused = await handler.fetch(post([ping, ping, ping]), { ...who, take });
  expect([refused.status, refused.headers.get("retry-after"), taken]).toEqual([429, "3", [2]]);
  expect((await handler.fetch(post(initialize), { ...who, take })).status).toBe(200);
  await handler.close();
});

test("limits the change streams of a caller, and a closed stream frees its slot [S-53] [S-57]", async () => {
  const { handler, who } = start({ maxStreamsOfCaller: 2 });
  const [one, two] = [await handler.fetch(listen(), who), await handler.fetch(listen(), who)];
  expect([one.status, two.status]).toEqual([200, 200]);
  expect((await handler.fetch(listen(), who)).status).toBe(429);
  expect((await handler.fetch(listen(), { ...who, key: "token-2" })).status).toBe(200);
  await one.body?.cancel();
  expect((await handler.fetch(listen(), who)).status).toBe(200);
  await handler.close();
});

test.each(["closeOf", "stop"] as const)("streams of both revisions end at %s [S-53] [S-57]", async (verb) => {
  const scene = start();
  const { handler, who } = scene;
  const streams = [await openStream(scene), await handler.fetch(listen(), who)];
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  await handler[verb](who.key);
  for (const stream of streams) await stream.text();
  if (verb === "stop") expect((await handler.fetch(listen(), who)).status).toBe(503);
  await handler.close();
});

test("ending streams does not abort running calls [S-53]", async () => {
  const { connect, handler, asked } = start();
  const client = await connect("2026-07-28");
  const waiting = expect(client.callTool(call)).rejects.toThrow();
  await vi.waitFor(() => expect(asked).toHaveLength(1), 120_000);
  handler.stop();
  expect(asked[0]?.aborted).toBe(false);
  await client.close();
  await handler.close();
  await waiting;
});
