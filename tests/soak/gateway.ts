import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { routeTable } from "@skillhold/protocol/http";
import { type GatewayProcess, publishSkill, startGateway } from "./gateway-process.ts";

export interface GatewaySoak {
  readonly seconds: number;
  readonly say: (text: string) => void;
}

const SKILLS = 200;
const READERS = 16;
const SOCKETS = 20;
const SAMPLE_MS = 5000;
/** The share of samples that the warm-up takes; memory growth in it is ignored. */
const WARM_UP = 0.3;
/** Between the first and the last third of the time after that; more than this is growth. */
const ALLOWED_GROWTH = 1.15;

const paths = [
  "/v1/skills?limit=50",
  "/v1/skills/search?q=table",
  "/v1/catalogue",
  "/v1/skills/skill-0001",
  "/v1/skills/skill-0002/files/references/guide.md",
  "/v1/skills/skill-0003/versions",
  "/v1/skills/none",
  "/v1/me",
];

/**
 * Runs readers, sockets that come and go, sessions and a publisher for the given time. Memory and open files must not
 * grow, and no request may fail. Returns the failures.
 */
export async function soakGateway({ seconds, say }: GatewaySoak): Promise<readonly string[]> {
  const gateway = await startGateway(SKILLS, READERS + SOCKETS);
  const problems: string[] = [];
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= end;
  const counts = { requests: 0, sockets: 0, events: 0, published: 0 };
  const samples: Sample[] = [];
  try {
    await Promise.all([
      ...Array.from({ length: READERS }, (_, at) => read(gateway, at, isOver, counts, problems)),
      ...Array.from({ length: SOCKETS }, (_, at) => listen(gateway, READERS + at, isOver, counts, problems)),
      publish(gateway, isOver, counts),
      sample(gateway, isOver, samples, say),
    ]);
  } finally {
    await gateway.close();
  }
  const { requests, sockets, events, published } = counts;
  say(
    `gateway: ${seconds} s, ${requests} requests, ${sockets} sockets, ${events} events, ${published} releases\n`,
  );
  return [...new Set(problems), ...findGrowth(samples, say)];
}

type Counts = { requests: number; sockets: number; events: number; published: number };

async function read(
  { url, tokens }: GatewayProcess,
  at: number,
  isOver: () => boolean,
  counts: Counts,
  problems: string[],
): Promise<void> {
  const headers = { authorization: `Bearer ${tokens[at]}`, "content-type": "application/json" };
  for (let turn = at; !isOver(); turn += 1) {
    const path = paths[turn % paths.length] ?? "/v1/me";
    const response = await fetch(`${url}${path}`, { headers });
    await response.arrayBuffer();
    counts.requests += 1;
    const isGood = response.ok || (path.endsWith("/none") && response.status === 404);
    if (!isGood) problems.push(`${path}: ${response.status}`);
    if (turn % 50 === 0) await useSession(url, headers, problems);
    // A token may ask only so often a minute.
    await sleep(8);
  }
}

async function useSession(url: string, headers: Record<string, string>, problems: string[]): Promise<void> {
  const opened = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body: "{}" });
  if (!opened.ok) return void problems.push(`session: ${opened.status}`);
  const { session } = routeTable.openSession.answer.parse(await opened.json());
  const place = `${url}/v1/sessions/${session}`;
  const body = JSON.stringify({ skill_id: "skill-0005" });
  const called = await fetch(`${place}/tools/read_skill`, { method: "POST", headers, body });
  const { ok } = routeTable.callTool.answer.parse(await called.json());
  if (!ok) problems.push("read_skill was refused");
  await fetch(place, { method: "DELETE", headers });
}

/** A client that goes away in the middle, and comes back from where it was. */
async function listen(
  { url, tokens }: GatewayProcess,
  at: number,
  isOver: () => boolean,
  counts: Counts,
  problems: string[],
): Promise<void> {
  let last: number | undefined;
  while (!isOver()) {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    counts.sockets += 1;
    socket.onopen = () => {
      socket.send(JSON.stringify({ id: 0, method: "hello", params: { token: tokens[at] } }));
      const params = last === undefined ? {} : { after: last };
      socket.send(JSON.stringify({ id: 1, method: "events.subscribe", params }));
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.error !== undefined) problems.push(`socket: ${message.error.code}`);
      if (message.seq !== undefined) last = message.seq;
      if (message.event !== undefined) counts.events += 1;
    };
    await sleep(1000 + ((at * 137) % 2000));
    socket.close();
  }
}

async function publish(
  { registry, folder }: GatewayProcess,
  isOver: () => boolean,
  counts: Counts,
): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    await publishSkill(`skill-${String(turn % 20).padStart(4, "0")}`, `turn ${turn}`, folder, registry);
    counts.published += 1;
    await sleep(500);
  }
}

interface Sample {
  readonly kB: number;
  readonly files: number;
}

async function sample(
  { pid }: GatewayProcess,
  isOver: () => boolean,
  samples: Sample[],
  say: (text: string) => void,
): Promise<void> {
  while (!isOver()) {
    await sleep(SAMPLE_MS);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    const files = Number(/FDSize:\s+(\d+)/.exec(status)?.[1]);
    samples.push({ kB, files });
    if (samples.length % 12 === 0) say(`gateway: ${(kB / 1024).toFixed(0)} MB\n`);
  }
}

/** Garbage makes single samples jump, so the minimum of each third measures the retained memory. */
function findGrowth(samples: readonly Sample[], say: (text: string) => void): readonly string[] {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP));
  const third = Math.max(1, Math.floor(warm.length / 3));
  const least = (part: readonly Sample[]) => Math.min(...part.map(({ kB }) => kB));
  const first = least(warm.slice(0, third));
  const last = least(warm.slice(-third));
  const files = warm.at(-1)?.files ?? 0;
  say(
    `gateway: ${(first / 1024).toFixed(0)} MB, and ${(last / 1024).toFixed(0)} MB at the end; room for ${files} files\n`,
  );
  return last <= first * ALLOWED_GROWTH ? [] : [`memory grew from ${first} kB to ${last} kB`];
}
