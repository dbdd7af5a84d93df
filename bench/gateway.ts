import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { type GatewayProcess, publishSkill, startGateway } from "../tests/soak/gateway-process.ts";
import type { RecordedAnswer } from "./hello-process.ts";

const CONNECTIONS = 64;
const SECONDS = 3;
const WARM_SECONDS = 2;
const SKILLS = 1000;
const CLIENTS = [1000, 10_000];
/** A token has at most so many sockets. */
const CLIENTS_A_TOKEN = 100;

/**
 * What the gateway costs beyond a server that says hello, in the same run; and how long a publish takes to reach all. Sizes
 * are numbers of sockets, and measure only those.
 */
export async function benchGateway(sizes: readonly number[]): Promise<void> {
  const gateway = await startGateway(SKILLS, CONNECTIONS * 4);
  try {
    if (sizes.length === 0) await benchRoutes(gateway);
    for (const count of sizes.length > 0 ? sizes : CLIENTS) await benchSockets(gateway, count);
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

/** Measures what connected clients cost, and how long one publish takes to reach all of them. */
async function benchSockets(gateway: GatewayProcess, count: number): Promise<void> {
  const { tokens, registry, folder, pid } = gateway;
  const before = memoryOf(pid);
  const clients = await openClients(gateway, tokens.slice(0, Math.ceil(count / CLIENTS_A_TOKEN)), count);
  try {
    const open = memoryOf(pid);
    const cpu = cpuOf(pid);
    const started = Date.now();
    await publishSkill("skill-0001", `${count}`, folder, registry);
    const published = Date.now();
    const { last } = await clients.told();
    const cpuMs = cpuOf(pid) - cpu;
    const health = await timed(() => fetch(`${gateway.url}/healthz`));
    console.log(
      `gateway ${count} sockets: open in ${(clients.openMs / 1000).toFixed(1)} s, ${((open - before) / count).toFixed(1)} kB a socket (${(open / 1024).toFixed(0)} MB in all); ` +
        `one publish (${published - started} ms) reached the last after ${last - published} ms, ` +
        `${cpuMs.toFixed(0)} ms of processor time, ${((cpuMs * 1000) / count).toFixed(0)} µs a socket; ` +
        `/healthz ${health.value.status} in ${health.ms.toFixed(0)} ms`,
    );
  } finally {
    await clients.close();
  }
}

/** The clients are in a process of their own, so that their work and their open files are not the gateway's. */
async function openClients({ url }: GatewayProcess, tokens: readonly string[], count: number) {
  const script = fileURLToPath(new URL("socket-process.ts", import.meta.url));
  const child = spawn(process.execPath, [script, url, String(count)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("The clients failed.");
    return JSON.parse(value);
  };
  child.stdin.write(`${JSON.stringify(tokens)}\n`);
  const { openMs }: { openMs: number } = await next();
  return {
    openMs,
    told: next as () => Promise<{ readonly last: number }>,
    close: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}

/** Resident memory in kB as Linux reports it; 0 on other systems. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readProcess(pid, "status"))?.[1] ?? 0);
}

/** Processor time in milliseconds as Linux reports it, in ticks of 10 ms; 0 on other systems. */
function cpuOf(pid: number): number {
  const [user = 0, system = 0] =
    readProcess(pid, "stat").split(") ").at(-1)?.split(" ").slice(11, 13).map(Number) ?? [];
  return (user + system) * 10;
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
