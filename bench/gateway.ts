import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { type GatewayProcess, publishSkill, startGateway } from "../tests/soak/gateway-process.ts";

const CONNECTIONS = 64;
const SECONDS = 3;
const SKILLS = 1000;
const CLIENTS = 1000;
/** A token has at most so many sockets. */
const CLIENTS_A_TOKEN = 100;

/** What the gateway costs beyond a server that says hello, in the same run; and how long a publish takes to reach all. */
export async function benchGateway(): Promise<void> {
  const gateway = await startGateway(SKILLS, CONNECTIONS * 4);
  try {
    await benchRoutes(gateway);
    await benchSockets(gateway);
  } finally {
    await gateway.close();
  }
}

async function benchRoutes({ url, tokens }: GatewayProcess): Promise<void> {
  const hello = spawn(process.execPath, [fileURLToPath(new URL("hello-process.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(hello.stdout, "data");
  const bare = `http://127.0.0.1:${String(port).trim()}/`;
  const etag = await tagOf(`${url}/v1/skills/skill-0001`, tokens[0] ?? "");
  const routes: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ["health", "/healthz", {}],
    ["catalogue, cached", "/v1/catalogue", {}],
    ["list of 100, cached", "/v1/skills?limit=100", {}],
    ["search, cached", "/v1/skills/search?q=table%20report", {}],
    ["read a skill", "/v1/skills/skill-0001", {}],
    ["read a skill, 304", "/v1/skills/skill-0001", { "if-none-match": etag }],
    ["file of 3 kB", "/v1/skills/skill-0001/files/references/guide.md", {}],
  ];
  try {
    await load(bare, [], {});
    for (const [name, path, headers] of routes) {
      // Each beside a run of the other, so that a slow moment of the machine falls on both.
      const before = await load(bare, [], {});
      const own = await load(`${url}${path}`, tokens, headers);
      const after = await load(bare, [], {});
      const least = (before.requests.average + after.requests.average) / 2;
      const ratio = own.requests.average / least;
      console.log(
        `gateway ${name}: ${own.requests.average.toFixed(0)} requests/s, p99 ${own.latency.p99} ms, ` +
          `${ratio.toFixed(2)} x hello world (${least.toFixed(0)}), ${own.non2xx} not 2xx`,
      );
    }
  } finally {
    hello.kill();
  }
}

async function load(url: string, tokens: readonly string[], headers: Readonly<Record<string, string>>) {
  let next = 0;
  return await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { ...headers },
    setupClient: (client) => {
      const token = tokens[next % Math.max(1, tokens.length)];
      next += 1;
      if (token !== undefined) client.setHeaders({ ...headers, authorization: `Bearer ${token}` });
    },
  });
}

async function tagOf(url: string, token: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(await response.text());
  return response.headers.get("etag") ?? "";
}

/** One publish, told to all who listen. */
async function benchSockets({ url, tokens, registry, folder, pid }: GatewayProcess): Promise<void> {
  const before = memoryOf(pid);
  const sockets = await Promise.all(
    Array.from({ length: CLIENTS }, (_, at) => listenTo(url, tokens[Math.floor(at / CLIENTS_A_TOKEN)] ?? "")),
  );
  const open = memoryOf(pid);
  const told = Promise.all(sockets.map(({ heard }) => heard));
  const started = performance.now();
  await publishSkill("skill-0001", "2", folder, registry);
  const published = performance.now();
  await told;
  const ended = performance.now();
  console.log(
    `gateway ${CLIENTS} sockets: one publish (${(published - started).toFixed(0)} ms) reached the last after ` +
      `${(ended - published).toFixed(0)} ms, ${((open - before) / CLIENTS).toFixed(1)} kB a socket`,
  );
  for (const { socket } of sockets) socket.close();
}

interface Listener {
  readonly socket: WebSocket;
  readonly heard: Promise<void>;
}

async function listenTo(url: string, token: string): Promise<Listener> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const heard = Promise.withResolvers<void>();
  const subscribed = Promise.withResolvers<void>();
  socket.onopen = () => {
    socket.send(JSON.stringify({ id: 0, method: "hello", params: { token } }));
    socket.send(JSON.stringify({ id: 1, method: "events.subscribe", params: {} }));
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.id === 1) subscribed.resolve();
    if (message.event?.type === "skill.published") heard.resolve();
  };
  socket.onclose = ({ code, reason }) => {
    const failure = new Error(`closed: ${code} ${reason}`);
    subscribed.reject(failure);
    heard.reject(failure);
  };
  await subscribed.promise;
  return { socket, heard: heard.promise };
}

/** In kB, as Linux tells it; elsewhere 0. */
function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
