import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { type GatewayProcess, publishSkill, startGateway } from "../tests/soak/gateway-process.ts";
import type { RecordedAnswer } from "./hello-process.ts";

const CONNECTIONS = 64;
const SECONDS = 3;
const WARM_SECONDS = 2;
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

type Route = readonly [name: string, path: string, headers: Readonly<Record<string, string>>];

async function benchRoutes(gateway: GatewayProcess): Promise<void> {
  const { url, tokens } = gateway;
  const hello = spawn(process.execPath, [fileURLToPath(new URL("hello-process.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [port] = await once(hello.stdout, "data");
    const bare = `http://127.0.0.1:${String(port).trim()}/`;
    const routes = await listRoutes(gateway);
    // The warm-up finishes the first-use work of the gateway and of the compiler.
    for (const [, path, headers] of routes) await load(`${url}${path}`, tokens, headers, WARM_SECONDS);
    await load(bare, [], {}, WARM_SECONDS);
    for (const route of routes) await benchRoute(route, bare, gateway);
  } finally {
    hello.kill();
  }
}

async function listRoutes({ url, tokens }: GatewayProcess): Promise<readonly Route[]> {
  const etag = (await answerAt(`${url}/v1/skills/skill-0001`, tokens[0], {})).headers["etag"] ?? "";
  return [
    ["who asks", "/v1/me", {}],
    ["catalogue, cached", "/v1/catalogue", {}],
    ["list of 100, cached", "/v1/skills?limit=100", {}],
    ["search, cached", "/v1/skills/search?q=table%20report", {}],
    ["read a skill", "/v1/skills/skill-0001", {}],
    ["read a skill, 304", "/v1/skills/skill-0001", { "if-none-match": etag }],
    ["file of 3 kB", "/v1/skills/skill-0001/files/references/guide.md", {}],
  ];
}

/** Compares a route with a server that says hello, and with a server that replays the recorded response. */
async function benchRoute(
  [name, path, headers]: Route,
  bare: string,
  gateway: GatewayProcess,
): Promise<void> {
  const { url, tokens } = gateway;
  const answer = await answerAt(`${url}${path}`, tokens[0], headers);
  await fetch(`${bare}same`, { method: "PUT", body: JSON.stringify(answer) });
  const same = () => load(`${bare}same`, [], headers);
  // Each beside runs of the others, so that a slow moment of the machine falls on all.
  const before = [await load(bare, [], {}), await same()] as const;
  const own = await load(`${url}${path}`, tokens, headers);
  const after = [await same(), await load(bare, [], {})] as const;
  const least = (before[0].requests.average + after[1].requests.average) / 2;
  const idle = (before[1].requests.average + after[0].requests.average) / 2;
  const rate = own.requests.average;
  console.log(
    `gateway ${name}: ${rate.toFixed(0)} requests/s, p99 ${own.latency.p99} ms, ` +
      `${(rate / least).toFixed(2)} x hello world (${least.toFixed(0)}), ` +
      `${(rate / idle).toFixed(2)} x the same answer without work (${idle.toFixed(0)}), ${own.non2xx} not 2xx`,
  );
}

async function load(
  url: string,
  tokens: readonly string[],
  headers: Readonly<Record<string, string>>,
  duration = SECONDS,
) {
  let next = 0;
  return await autocannon({
    url,
    connections: CONNECTIONS,
    duration,
    headers: { ...headers },
    setupClient: (client) => {
      const token = tokens[next % Math.max(1, tokens.length)];
      next += 1;
      if (token !== undefined) client.setHeaders({ ...headers, authorization: `Bearer ${token}` });
    },
  });
}

/** Headers of one connection; each server sets its own. */
const ofTheConnection = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);

async function answerAt(
  url: string,
  token: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<RecordedAnswer> {
  const response = await fetch(url, { headers: { ...headers, authorization: `Bearer ${token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status >= 400) throw new Error(bytes.toString());
  const sent = [...response.headers].filter(([name]) => !ofTheConnection.has(name));
  const body = bytes.length === 0 ? null : bytes.toString("base64");
  return { status: response.status, headers: Object.fromEntries(sent), body };
}

/** Measures how long one publish takes to reach all sockets. */
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

/** Resident memory in kB as Linux reports it; 0 on other systems. */
function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
