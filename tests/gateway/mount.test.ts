import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { type Mount, openGateway } from "@skillhold/gateway";
import { mcpMount } from "@skillhold/host/test/gateway/mcp-mount";
import { everyone } from "@skillhold/protocol/http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, openTestGateway, putSkill, type TestGateway } from "./gateway.fixture.ts";

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openTestGateway({ options: { rate: { token: 50, address: 50 } } });
});
afterEach(() => gateway.close());

const accept = "application/json, text/event-stream";
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

test("a mount's response has the common headers and its own [S-53]", async () => {
  const mount: Mount = {
    path: "/else",
    roles: everyone,
    handle: async () =>
      new Response("there", { status: 202, headers: { "x-own": "1", "cache-control": "no-store" } }),
  };
  const mounting = openGateway({ ...gateway.context, mounts: [mount] });
  const response = await ask(mounting, "GET", "/else", { headers: await gateway.asRole("viewer") });
  expect([response.status, await response.text()]).toEqual([202, "there"]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "x-own": "1",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
    "x-request-id": expect.stringMatching(/./),
  });
  await mounting.close();
});

test("a part that fails to close does not stop the others, and the error is thrown [S-53]", async () => {
  const closed: string[] = [];
  const mount = (path: `/${string}`, close: () => Promise<void>): Mount => ({
    path,
    roles: everyone,
    handle: async () => new Response(),
    close,
  });
  const mounts = [
    mount("/a", () => Promise.reject(new Error("lost"))),
    mount("/b", async () => void closed.push("b")),
  ];
  await expect(openGateway({ ...gateway.context, mounts }).close()).rejects.toThrow("lost");
  expect(closed).toEqual(["b"]);
});

test("counts each message of a batch at /mcp toward the token's rate [S-53] [S-57]", async () => {
  const mounting = openGateway({ ...gateway.context, mounts: [mcpMount(gateway.context)] });
  const headers = { ...(await gateway.asRole("viewer")), accept };
  const body = Array.from({ length: 60 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  const refused = await ask(mounting, "POST", "/mcp", { headers, body });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const opened = await ask(mounting, "POST", "/mcp", { headers, body: initialize });
  expect(opened.status).toBe(200);
  await mounting.close();
});

const PARENT = "0af7651916cd43dd8448eb211c80319c";

test("a tool call over MCP is a span below the client's span [S-63]", async () => {
  await putSkill(gateway, "pdf", "ann");
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  const mounting = openGateway({ ...gateway.context, mounts: [mcpMount(gateway.context)] });
  try {
    const headers = { ...(await gateway.asRole("viewer", "ann")), accept };
    const opened = await ask(mounting, "POST", "/mcp", { headers, body: initialize });
    await opened.text();
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    for (const skill_id of ["pdf", "none"]) {
      const _meta = skill_id === "pdf" ? { traceparent: `00-${PARENT}-b7ad6b7169203331-01` } : {};
      const params = { name: "read_skill", arguments: { skill_id }, _meta };
      const body = { jsonrpc: "2.0", id: 2, method: "tools/call", params };
      const called = await ask(mounting, "POST", "/mcp", { headers: { ...headers, ...session }, body });
      await called.text();
    }
    const spans = exporter.getFinishedSpans().filter(({ name }) => name === "execute_tool read_skill");
    expect(spans.map(({ attributes }) => attributes)).toMatchObject([
      {
        "gen_ai.tool.name": "read_skill",
        "gen_ai.tool.call.id": "2",
        "gen_ai.skill.id": "pdf",
        "mcp.method.name": "tools/call",
      },
      { "gen_ai.skill.name": "none", "error.type": "SKILL_NOT_FOUND" },
    ]);
    const requests = exporter.getFinishedSpans().filter(({ name }) => name === "POST mount");
    const [, named, other] = requests.map((request) => request.spanContext());
    const [below, bare] = spans;
    expect(below?.spanContext().traceId).toBe(PARENT);
    expect(below?.links.map((link) => link.context.spanId)).toEqual([named?.spanId]);
    expect(bare?.parentSpanContext?.spanId).toBe(other?.spanId);
  } finally {
    await mounting.close();
    await provider.shutdown();
    trace.disable();
  }
});
