import { once } from "node:events";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { ask, HOST, openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { openPort, type TestPort } from "./socket.fixture.ts";

type Headers = Readonly<Record<string, string>>;
let gateway: TestGateway;
let port: TestPort;

beforeEach(async () => {
  gateway = await openTestGateway();
  port = await openPort(gateway);
});
afterEach(async () => {
  await port.close();
  await gateway.close();
});

const agentOf = (key: string, user = "ann") => gateway.asRole("agent", user, key);
const post = (path: string, body: object, headers: Headers) => ask(gateway, "POST", path, { headers, body });
const card = (name: string, ...skills: readonly string[]) => ({
  name,
  description: `The ${name}`,
  skills: skills.map((id) => ({ id, name: id, description: `About ${id}`, tags: [] })),
});

async function connect(headers: Headers) {
  const ws = new WebSocket(`ws://127.0.0.1:${port.port}/ws`, { headers: { host: HOST, ...headers } });
  const messages: unknown[] = [];
  const closed = once(ws, "close").then(([code]: unknown[]) => code);
  ws.on("error", () => {});
  ws.on("message", (data) => messages.push(JSON.parse(String(data))));
  onTestFinished(() => ws.terminate());
  await once(ws, "open");
  return { ws, messages, closed };
}

/** Connects a workspace and waits until it gets its own events. */
async function enter(id: string, token: Headers) {
  const socket = await connect({ "x-workspace-id": id, ...token });
  let beat = 0;
  await expect
    .poll(async () => {
      beat += 1;
      await post("/registry/heartbeat", { workspace_id: id, current_task: `Start ${beat}` }, token);
      return socket.messages.length;
    })
    .toBeGreaterThan(0);
  await post("/registry/heartbeat", { workspace_id: id, current_task: "Idle" }, token);
  await expect.poll(() => JSON.stringify(socket.messages.at(-1))).toContain("Idle");
  socket.messages.length = 0;
  return socket;
}

test("a workspace gets the events of its peers in Molecule's envelope [S-56]", async () => {
  const [seo, writer, stranger] = [
    await agentOf("seo"),
    await agentOf("writer"),
    await agentOf("spy", "bob"),
  ];
  for (const [id, token] of Object.entries({ seo, writer, spy: stranger }))
    await post("/registry/register", { id, agent_card: card(id) }, token);
  const [peer, other] = [await enter("writer", writer), await enter("spy", stranger)];
  const next = card("SEO", "audit");
  await post("/registry/update-card", { workspace_id: "seo", agent_card: next }, seo);
  await post("/registry/heartbeat", { workspace_id: "seo", current_task: "Audit", active_tasks: 1 }, seo);
  await post("/registry/heartbeat", { workspace_id: "seo", error_rate: 0.9 }, seo);
  const admin = await gateway.asRole("admin", "root");
  await ask(gateway, "PUT", "/v1/workspaces/seo", { headers: admin, body: { parent: "writer" } });
  await ask(gateway, "DELETE", "/v1/agents/seo", { headers: { ...admin, "if-match": "*" } });
  await expect.poll(() => peer.messages.length).toBe(5);
  const of = (event: string, payload: object, id = "seo") => ({
    event,
    workspace_id: id,
    timestamp: expect.any(String) as string,
    payload,
  });
  expect(peer.messages).toEqual([
    of("AGENT_CARD_UPDATED", { agent_card: next }),
    of("TASK_UPDATED", { current_task: "Audit", active_tasks: 1 }),
    of("WORKSPACE_DEGRADED", { url: "", parent_id: null, error_rate: 0.9, agent_card: next }),
    of("WORKSPACE_EXPANDED", { children: [{ id: "seo", name: "SEO" }] }, "writer"),
    of("WORKSPACE_REMOVED", {}),
  ]);
  await post("/registry/heartbeat", { workspace_id: "spy", current_task: "Watch" }, stranger);
  await expect.poll(() => other.messages).toMatchObject([{ event: "TASK_UPDATED", workspace_id: "spy" }]);
});

test("a peer that was removed leaves the list of peers, and its former peers are notified [S-56]", async () => {
  const [seo, writer] = [await agentOf("seo"), await agentOf("writer")];
  await post("/registry/register", { id: "seo", agent_card: card("SEO") }, seo);
  await post("/registry/register", { id: "writer", agent_card: card("Writer") }, writer);
  const peer = await enter("writer", writer);
  const admin = await gateway.asRole("admin", "root");
  await ask(gateway, "DELETE", "/v1/agents/seo", { headers: { ...admin, "if-match": "*" } });
  await expect.poll(() => peer.messages).toMatchObject([{ event: "WORKSPACE_REMOVED", workspace_id: "seo" }]);
  const peers = await ask(gateway, "GET", "/registry/writer/peers", { headers: writer });
  expect(await peers.json()).toEqual([]);
});

test("a workspace socket needs the token of the workspace [S-56]", async () => {
  const [seo, stranger] = [await agentOf("seo"), await agentOf("spy", "bob")];
  await post("/registry/register", { id: "seo", agent_card: card("SEO") }, seo);
  const refused = async (headers: Headers) => {
    const { messages, closed } = await connect({ "x-workspace-id": "seo", ...headers });
    const code = await closed;
    return [code, (messages[0] as { readonly error: { readonly code: string } }).error.code];
  };
  expect(await refused({})).toEqual([1008, "UNAUTHENTICATED"]);
  expect(await refused({ authorization: "Bearer wrong" })).toEqual([1008, "UNAUTHENTICATED"]);
  expect(await refused(stranger)).toEqual([1008, "AGENT_NOT_FOUND"]);
  expect(await refused({ ...seo, "x-workspace-id": "../seo" })).toEqual([1008, "AGENT_NOT_FOUND"]);
});
