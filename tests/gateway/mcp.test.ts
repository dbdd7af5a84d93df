import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { routeTable } from "@skillhold/protocol/http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { get, type RunningGateway, ServeScene, tokenOf, writeSkill } from "./serve.fixture.ts";

type Headers = Readonly<Record<string, string>>;
const versions = ["2025-11-25", "2026-07-28"] as const;
const scene = new ServeScene();
let gateway: RunningGateway;
let admin: Headers;

beforeAll(async () => {
  gateway = await scene.serve(["--no-seed"]);
  admin = await tokenOf(gateway);
  const folder = writeSkill(scene.folder(), "hello", { "scripts/hi.py": 'print("hi from here")\n' });
  const store = `sqlite:${gateway.data}/registry.db`;
  for (const args of [
    ["publish", folder, "--store", store],
    ["edit", "hello", "--visibility", "public", "--role", "admin", "--store", store],
    ["agent", "add", "writer", "--runtime", "test", "--store", store],
  ])
    expect(await scene.start(args).ended).toEqual({ code: 0, signal: null });
});
afterAll(() => scene.close());

async function tokenFor(body: object): Promise<Headers> {
  const headers = { ...admin, "content-type": "application/json" };
  const response = await fetch(`${gateway.url}/v1/tokens`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const { secret } = routeTable.issueToken.answer.parse(await response.json());
  return { authorization: `Bearer ${secret}` };
}

async function connect(headers: Headers, pin: (typeof versions)[number]): Promise<Client> {
  const options = pin === "2025-11-25" ? {} : { versionNegotiation: { mode: { pin } } };
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

test.each(versions)(
  "an agent's client of %s finds and loads skills at /mcp, which is recorded [S-57]",
  async (pin) => {
    const client = await connect(await tokenFor({ name: pin, role: "agent", agent: "writer" }), pin);
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("read_skill");
      const result = await client.callTool({ name: "read_skill", arguments: { skill_id: "hello" } });
      expect(JSON.stringify(result.content)).toContain("Do it.");
    } finally {
      await client.close();
    }
    const query = "type=skill.activated&skill=hello&order=newest&limit=1";
    const { events } = await get(`${gateway.url}/v1/audit?${query}`, routeTable.listEvents, admin);
    expect(events).toMatchObject([{ event: { skill: "hello", invoker: "model" } }]);
  },
);

test("a viewer's client gets no tools that run scripts [S-53] [S-57]", async () => {
  const namesFor = async (body: object) => {
    const client = await connect(await tokenFor(body), "2026-07-28");
    try {
      const { tools } = await client.listTools();
      return tools.map(({ name }) => name);
    } finally {
      await client.close();
    }
  };
  expect(await namesFor({ name: "looker", role: "viewer" })).not.toContain("run_skill_script");
  expect(await namesFor({ name: "writer", role: "agent", agent: "writer" })).toContain("run_skill_script");
});

test("/mcp rejects requests without a token or with a revoked one [S-57] [S-53]", async () => {
  const ask = (headers: Headers) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    return fetch(`${gateway.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  };
  expect((await ask({})).status).toBe(401);
  expect((await ask({ authorization: "Bearer skh_nothing" })).status).toBe(401);
  expect((await ask({ ...admin, origin: "http://elsewhere.example" })).status).toBe(403);
});

test("approvals are requested from people at the gateway, and the calling client cannot answer [S-28] [S-57]", async () => {
  const agent = await tokenFor({ name: "runner", role: "agent", agent: "writer" });
  const client = await connect(agent, "2026-07-28");
  try {
    const call = { name: "run_skill_script", arguments: { skill_id: "hello", script: "scripts/hi.py" } };
    const heard: (string | undefined)[] = [];
    const running = client.callTool(call, { onprogress: ({ message }) => heard.push(message) });
    const question = await vi.waitFor(
      async () => {
        const { questions } = await get(`${gateway.url}/v1/approvals`, routeTable.listQuestions, admin);
        expect(questions).toHaveLength(1);
        return questions[0];
      },
      { timeout: 120_000 },
    );
    expect(question).toMatchObject({ skill: "hello", target: "scripts/hi.py" });
    const answer = (headers: Headers) =>
      fetch(`${gateway.url}/v1/approvals/${question?.id}`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ answer: "approve", scope: "once" }),
      });
    expect((await answer(agent)).status).toBe(403);
    expect((await answer(admin)).status).toBe(200);
    expect(JSON.stringify(await running)).toContain("hi from here");
    expect(heard[0]).toBe("Waiting for an approval.");
  } finally {
    await client.close();
  }
});

test.each(versions)(
  "revoking the token ends a %s call that waits for an approval and withdraws the request [S-53] [S-57]",
  async (pin) => {
    const agent = await tokenFor({ name: `ended-${pin}`, role: "agent", agent: "writer" });
    const client = await connect(agent, pin);
    const listQuestions = async () =>
      (await get(`${gateway.url}/v1/approvals`, routeTable.listQuestions, admin)).questions;
    const call = { name: "run_skill_script", arguments: { skill_id: "hello", script: "scripts/hi.py" } };
    const ended = expect(client.callTool(call)).rejects.toThrow();
    try {
      await vi.waitFor(async () => expect(await listQuestions()).toHaveLength(1), { timeout: 120_000 });
      const { tokens } = await get(`${gateway.url}/v1/tokens`, routeTable.listTokens, admin);
      const id = tokens.find(({ name }) => name === `ended-${pin}`)?.id;
      await fetch(`${gateway.url}/v1/tokens/${id}`, { method: "DELETE", headers: admin });
      await vi.waitFor(async () => expect(await listQuestions()).toEqual([]), { timeout: 120_000 });
    } finally {
      await client.close();
    }
    await ended;
  },
);

test.each(versions)("a publisher's client of %s publishes files at /mcp [S-24] [S-57]", async (pin) => {
  const role = { name: `publish ${pin}`, role: "publisher", agent: "writer" };
  const client = await connect(await tokenFor(role), pin);
  const id = `own-${pin}`;
  const text = `---\nname: ${id}\ndescription: Written over MCP.\n---\nDo it.\n`;
  try {
    const result = await client.callTool({
      name: "publish_skill",
      arguments: { files: [{ path: "SKILL.md", content: text }] },
    });
    expect(JSON.stringify(result.content)).toContain("It is granted to the agent writer.");
    const read = () => client.callTool({ name: "read_skill", arguments: { skill_id: id } });
    await vi.waitFor(async () => expect(JSON.stringify((await read()).content)).toContain("Do it."), 120_000);
  } finally {
    await client.close();
  }
});

test("rejects deeply nested and overfull JSON at /mcp before it is parsed, and keeps serving [S-53] [S-57]", async () => {
  const headers = { ...(await tokenFor({ name: "deep", role: "agent", agent: "writer" })), ...jsonHeaders };
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  const bodies = [
    deep("[", "]", 200_000),
    deep('{"a":', "}", 1000).replace("}", "1}"),
    call(deep("[", "]", 33)),
    call(`[${"1,".repeat(150_000)}1]`),
  ];
  const post = (body: string) => fetch(`${gateway.url}/mcp`, { method: "POST", headers, body });
  for (const body of bodies) {
    const answer = await post(body);
    // JSON that is parsed gets an answer of the protocol, which is no problem response.
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect([400, 413]).toContain(answer.status);
  }
  const client = await connect(headers, "2025-11-25");
  const [listed, ...refused] = await Promise.all([client.listTools(), ...bodies.map(post)]);
  expect(listed.tools.map(({ name }) => name)).toContain("read_skill");
  for (const { status } of refused) expect([400, 413]).toContain(status);
  await client.close();
});

const jsonHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;
