import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { writeArchive } from "@skillhold/core/archive";
import { scanDependencies } from "@skillhold/deps/scan";
import { openSignedStore } from "@skillhold/host/store";
import { defaultLimits } from "@skillhold/protocol";
import { issueToken } from "@skillhold/registry/token";
import type { WebSocket as Socket } from "ws";
import { putSkills } from "../tests/registry-library/put-skills.ts";
import type { LoopBlock } from "./event-loop.ts";
import { makeSkill, makeSkills, word } from "./generated-skill.ts";
import type { Point } from "./measure.ts";
import { batches } from "./registry-bare.ts";

const bin = fileURLToPath(new URL("../packages/skillhold/bin/skillhold.js", import.meta.url));
const { WebSocket } = createRequire(new URL("../packages/gateway/package.json", import.meta.url))("ws");
const by = { user: "bench", role: "admin" } as const;
const CALLS = 200;
const PUBLISHES = 40;
/** Fewer calls than the rate limit of a token allows. */
const TOKENS = 20;

/** Two gateways on one PostgreSQL, over HTTP, as users start them. Returns times that may grow with the size. */
export async function benchGateways(
  url: string,
  size: number,
  folder: string,
): Promise<Readonly<Record<string, Point>>> {
  const say = (text: string) => console.log(`scale: two gateways: ${size} skills: ${text}`);
  const tokens = await fill(url, size, folder);
  const first = await startGateway("a", url, folder, tokens);
  try {
    say(`A: start ${first.startMs.toFixed(0)} ms, ${first.memory()}`);
    const list = await measureReads("A", first, say);
    const second = await startGateway("b", url, folder, tokens);
    try {
      say(`B: start ${second.startMs.toFixed(0)} ms, ${second.memory()}`);
      await measureReads("B", second, say);
      await measurePublishes(first, second, size, say);
      say(`publishes: A ${await first.state()}, B ${await second.state()}`);
    } finally {
      await second.close();
    }
    return Object.fromEntries(Object.entries(list).map(([step, ms]) => [step, { size, ms }]));
  } finally {
    await first.close();
  }
}

async function fill(url: string, size: number, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const store = await openSignedStore(url, { env: environment("fill", folder), cwd: folder });
  try {
    for (const batch of batches(makeSkills(size), 500)) await putSkills(batch, store, { hasOneEvent: true });
    const registry = {
      ...{ store, limits: defaultLimits, scan: scanDependencies },
      clock: { now: () => new Date() },
      ids: { next: () => randomUUID() },
    };
    const tokens: string[] = [];
    for (let at = 0; at < TOKENS; at += 1) {
      const spec = { kind: "api", name: `bench ${at}`, role: "publisher", user: "bench" } as const;
      tokens.push((await issueToken(spec, { by }, registry)).secret);
    }
    return tokens;
  } finally {
    await store.close();
  }
}

/** Each gateway has its own data folder, as on a machine of its own, and the same key. */
function environment(name: string, folder: string): Record<string, string> {
  const home = join(folder, name);
  return { HOME: home, SKILLHOLD_DATA: join(home, "data"), SKILLHOLD_AUDIT_KEY: join(folder, "audit.key") };
}

interface Gateway {
  readonly startMs: number;
  readonly url: string;
  /** The headers of the next token. */
  headers(): Record<string, string>;
  memory(): string;
  /** The memory, and the longest block of the event loop since the last call or the start. */
  state(): Promise<string>;
  close(): Promise<void>;
}

async function startGateway(
  name: string,
  store: string,
  folder: string,
  tokens: readonly string[],
): Promise<Gateway> {
  const started = performance.now();
  const env = { PATH: process.env["PATH"], ...environment(name, folder), SKILLHOLD_STORE: store };
  mkdirSync(join(folder, name), { recursive: true });
  const report = fileURLToPath(new URL("event-loop-report.ts", import.meta.url));
  const args = ["--import", report, bin, "serve", "--port", "0", "--no-seed", "--json"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore", "ipc"] });
  const url = await addressOf(child);
  const { status } = await fetch(`${url}/readyz`);
  if (status !== 200) throw new Error(`The gateway is not ready: ${status}.`);
  const memory = () => memoryOf(child.pid ?? 0);
  const askBlock = async () => {
    child.send("report");
    const [block]: unknown[] = await once(child, "message");
    return block as LoopBlock;
  };
  const startMs = performance.now() - started;
  // A start loads its modules before it accepts requests.
  await askBlock();
  let next = 0;
  return {
    startMs,
    url,
    headers: () => ({ authorization: `Bearer ${tokens[next++ % tokens.length]}` }),
    memory,
    state: async () => {
      const { blockMs, blockCpuMs } = await askBlock();
      const blocked = `${blockMs.toFixed(0)} ms (${blockCpuMs.toFixed(0)} ms of processor time)`;
      return `${memory()}, event loop blocked for at most ${blocked}`;
    },
    close: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("The gateway has no output.");
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line).data.url;
  throw new Error("The gateway ended before it was ready.");
}

/** The resident memory now and at most, as Linux reports it. */
function memoryOf(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mb = (key: string) =>
    (Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1000).toFixed(0);
  return `${mb("VmRSS")} MB resident (${mb("VmHWM")} MB at most)`;
}

async function measureReads(
  name: string,
  gateway: Gateway,
  say: (text: string) => void,
): Promise<{ readonly list: number; readonly search: number; readonly catalogue: number }> {
  const get = (path: string) => timed(() => call(gateway, path));
  const firstPage = await get("/v1/skills?limit=100");
  let cursor: string | undefined = firstPage.value.nextCursor;
  const pages: number[] = [];
  while (pages.length < CALLS && cursor !== undefined) {
    const { ms, value } = await get(`/v1/skills?limit=100&cursor=${encodeURIComponent(cursor)}`);
    pages.push(ms);
    cursor = value.nextCursor;
  }
  say(`${name}: first page ${firstPage.ms.toFixed(0)} ms, later ${shown(pages)}, ${await gateway.state()}`);
  const catalogue = await get("/v1/catalogue");
  const first = await get("/v1/skills/search?q=first");
  say(
    `${name}: catalogue ${catalogue.ms.toFixed(0)} ms; first search ${first.ms.toFixed(0)} ms, ${await gateway.state()}`,
  );
  const searches: number[] = [];
  for (let at = 0; at < CALLS; at += 1) {
    const words = [at + 1, at * 7 + 3, at * 31 + 11].map(word).join("%20");
    searches.push((await get(`/v1/skills/search?q=${words}`)).ms);
  }
  say(
    `${name}: later searches ${shown(searches)} (aim: p99 of at most 10 at 10,000), ${await gateway.state()}`,
  );
  return { list: percentile(pages, 0.5), search: percentile(searches, 0.5), catalogue: catalogue.ms };
}

/** Publishes on A; times until A responds, until B returns the skill, and until a socket of B reports it. */
async function measurePublishes(
  a: Gateway,
  b: Gateway,
  size: number,
  say: (text: string) => void,
): Promise<void> {
  const socket = await openSocket(b);
  const [published, readable, told]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < PUBLISHES; at += 1) {
    const skill = makeSkill(size + at);
    const files = Object.entries(skill.files).map(([path, text]) => ({
      ...{ path: `${skill.folder}/${path}`, content: Buffer.from(text), executable: false },
    }));
    const body = Buffer.from(await writeArchive("zip", files));
    const event = socket.next(skill.folder);
    const started = performance.now();
    const response = await fetch(`${a.url}/v1/skills/upload`, {
      ...{ method: "POST", headers: { ...a.headers(), "content-type": "application/zip" }, body },
    });
    if (!response.ok) throw new Error(await response.text());
    const end = performance.now();
    published.push(end - started);
    await call(b, `/v1/skills/${skill.folder}`);
    readable.push(performance.now() - end);
    told.push((await event) - end);
  }
  socket.close();
  say(`publish on A ${shown(published)}`);
  say(`then read on B ${shown(readable)} (aim: p99 of at most 200); a socket of B reports it ${shown(told)}`);
}

async function openSocket({ url, headers }: Gateway) {
  const socket: Socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const waiting = new Map<string, (at: number) => void>();
  const ready = Promise.withResolvers<void>();
  socket.on("open", () => {
    const token = headers()["authorization"]?.slice("Bearer ".length);
    socket.send(JSON.stringify({ id: 0, method: "hello", params: { token } }));
    socket.send(JSON.stringify({ id: 1, method: "events.subscribe", params: {} }));
  });
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.id === 1) ready.resolve();
    if (message.event?.type === "skill.published") waiting.get(message.event.skill)?.(performance.now());
  });
  socket.on("error", ready.reject);
  await ready.promise;
  return {
    next: (skill: string) => new Promise<number>((resolve) => void waiting.set(skill, resolve)),
    close: () => socket.close(),
  };
}

async function call(gateway: Gateway, path: string): Promise<{ readonly nextCursor?: string }> {
  const response = await fetch(`${gateway.url}${path}`, { headers: gateway.headers() });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return JSON.parse(await response.text());
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}

function shown(times: readonly number[]): string {
  return `p50 ${percentile(times, 0.5).toFixed(1)} p99 ${percentile(times, 0.99).toFixed(1)} ms`;
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((x, y) => x - y)[Math.floor((times.length - 1) * share)] ?? Number.NaN;
}
