import { spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { installPorts, removeFolders } from "@skillhold/deps/test/environment/environment.fixture";
import { installDependencies } from "@skillhold/deps/test/environment/installer";
import { defaultLimits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { routeTable } from "@skillhold/protocol/http";
import type { RegistryContext } from "@skillhold/registry/record";
import { deleteSkill, publishFolder, purgeSkill, sweepStore } from "@skillhold/registry/release";
import { getTree } from "@skillhold/registry/test/release/revisions";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import postgres from "postgres";
import { compileCache } from "../compile-cache.ts";
import { zipOf } from "../console/skill-zip.ts";
import { startPostgres } from "../postgres-cluster.ts";
import { fastClock } from "./fast-clock.ts";
import { startGateway } from "./gateway-process.ts";

export interface ResourceSoak {
  readonly engine: "sqlite" | "postgres";
  readonly count: number;
  readonly say: (text: string) => void;
}

const by = { user: "ada", role: "publisher" } as const;
/** An hour of the registry in three seconds, so that the grace of unused bytes ends during the run. */
const SPEED = 1200;

/**
 * Publishes a few contents again and again from several stores, while others purge and sweep. Every current revision
 * stays readable, and a last sweep leaves exactly the bytes that are in use.
 */
export async function soakSweeps({ engine, count, say }: ResourceSoak): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-soak-sweep-"));
  const cluster = engine === "postgres" ? await startPostgres() : undefined;
  const clock = fastClock(Date.now(), SPEED);
  const url = (await cluster?.createDatabase()) ?? `sqlite:${join(folder, "registry.db")}`;
  const contexts: RegistryContext[] = [];
  const problems: string[] = [];
  const done = { published: 0, swept: 0 };
  try {
    for (let at = 0; at < 3; at += 1)
      contexts.push({
        store: await openRegistryStore(url, { clock }),
        clock,
        ids: { next: () => randomUUID() },
        limits: defaultLimits,
        scan: async () => ({ dependencies: [], notes: [] }),
      });
    let left = count;
    const work = async (context: RegistryContext): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const id = `skill-${randomInt(4)}`;
        const act = randomInt(6);
        try {
          if (act === 0) done.swept += (await sweepStore({}, context)).blobs;
          else if (act === 1) await deleteSkill(id, { by }, context);
          else if (act === 2) await purgeSkill(id, { by, keep: 1, graceMs: 0 }, context);
          else await publishVariant(id, folder, context, done);
        } catch (error) {
          if (!isLostRace(error)) problems.push(describe(error));
        }
      }
    };
    await Promise.all(contexts.flatMap((context) => [work(context), work(context)]));
    const [context] = contexts;
    if (context === undefined) return ["no store"];
    problems.push(...(await findSweepProblems(context)));
  } finally {
    for (const { store } of contexts) await store.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  say(`${engine}: ${count} acts, ${done.published} published, ${done.swept} blobs swept, `);
  say(`${problems.length} problems\n`);
  return problems;
}

/** One of twelve contents, so that swept bytes are soon put again. */
async function publishVariant(
  id: string,
  folder: string,
  context: RegistryContext,
  done: { published: number },
): Promise<void> {
  const place = join(folder, randomUUID(), id);
  mkdirSync(place, { recursive: true });
  const variant = randomInt(12);
  writeFileSync(join(place, "SKILL.md"), `---\nname: ${id}\ndescription: Tries.\n---\n\nTry ${variant}.\n`);
  writeFileSync(join(place, "data.txt"), `${variant % 3} `.repeat(20_000));
  try {
    await publishFolder(place, { by }, context);
    done.published += 1;
  } finally {
    rmSync(join(place, ".."), { recursive: true, force: true });
  }
}

function describe(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? `${error} (${error.cause})` : String(error);
}

function isLostRace(error: unknown): boolean {
  const codes = ["CONFLICT", "SKILL_NOT_FOUND", "REVISION_NOT_FOUND", "SKILL_DELETED"];
  return error instanceof SkillError && codes.includes(error.code);
}

async function findSweepProblems(context: RegistryContext): Promise<readonly string[]> {
  const { store } = context;
  const problems: string[] = [];
  // Unused bytes are removed when they are an hour old.
  await sleep((2 * 3_600_000) / SPEED);
  await sweepStore({}, context);
  const used = new Set<string>();
  for (const { id, uid } of await store.listSkills())
    for (const { treeHash, revision, purgedAt } of await store.listRevisions(uid)) {
      if (purgedAt !== undefined) continue;
      try {
        for (const { digest } of await getTree(treeHash, store)) {
          used.add(digest);
          await store.blobs.get(digest);
        }
      } catch (error) {
        problems.push(`lost: ${id}@${revision}: ${String(error)}`);
      }
    }
  for await (const { digest } of store.blobs.list())
    if (!used.has(digest)) problems.push(`left over: ${digest}`);
  return problems;
}

const PACKAGES = [["one"], ["one", "two"], ["two", "three"]] as const;

/**
 * Kills processes that install the packages of skills, at random instants. Skills with the same packages share one
 * environment, which is complete or absent; a later installation is not blocked, and no folder is left over.
 */
export async function soakEnvironments({
  count,
  say,
}: Pick<ResourceSoak, "count" | "say">): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), "skillhold-soak-environment-"));
  const problems: string[] = [];
  let finished = 0;
  try {
    for (let round = 0; round < count; round += 1) {
      const packages = PACKAGES[round % PACKAGES.length] ?? [];
      const users = [0, 1, 2].map((at) => startInstall(home, `skill-${at}`, packages));
      // Two are killed, and the third finishes.
      for (const { kill } of users.slice(1)) void sleep(randomInt(1500)).then(kill);
      const [first] = await Promise.all(users.map(({ ended }) => ended));
      if (first === 0) finished += 1;
      else problems.push(`round ${round}: the installation that was not killed exited with ${first}`);
      problems.push(...(await findEnvironmentProblems(home, packages)));
      // Every set is built again.
      for (const name of readdirSync(home)) {
        if (name.startsWith(".stage-")) utimesSync(join(home, name), 1, 1);
        else if (round % 2 === 1) rmSync(join(home, name), { recursive: true, force: true });
      }
    }
    const ports = { ...installPorts(), home };
    await installDependencies({ skill: "last", specs: ["npm:last"] }, ports);
    for (const name of readdirSync(home)) if (name.startsWith(".stage-")) problems.push(`left over: ${name}`);
  } finally {
    removeFolders();
    rmSync(home, { recursive: true, force: true });
  }
  say(`environment: ${count} rounds, ${finished} finished, ${problems.length} problems\n`);
  return problems;
}

function startInstall(
  home: string,
  skill: string,
  packages: readonly string[],
): { readonly ended: Promise<number | null>; readonly kill: () => void } {
  const script = join(import.meta.dirname, "environment-user.ts");
  const child = spawn(
    process.execPath,
    ["--conditions=@skillhold/source", script, home, skill, ...packages],
    {
      env: { PATH: process.env["PATH"] ?? "", ...compileCache },
      stdio: ["pipe", "ignore", "inherit"],
    },
  );
  return { ended: once(child, "close").then(([code]) => code), kill: () => child.kill("SIGKILL") };
}

/** Two skills with the same packages find the same complete environment. */
async function findEnvironmentProblems(
  home: string,
  packages: readonly string[],
): Promise<readonly string[]> {
  const ports = { ...installPorts(), home };
  const specs = packages.map((name) => `npm:${name}`);
  const reports = [];
  for (const skill of ["skill-0", "skill-1"])
    reports.push(await installDependencies({ skill, specs }, ports));
  removeFolders();
  const folders = new Set(reports.map(({ environment }) => environment));
  const isReused = reports.every(({ results }) => results.every(({ status }) => status === "skipped"));
  const [folder = ""] = folders;
  const there = readdirSync(join(folder, "node_modules")).sort();
  return [
    ...(folders.size === 1 && isReused ? [] : [`${specs.join(" ")} is not reused`]),
    ...(there.join() === [...packages].sort().join() ? [] : [`${folder} has ${there.join()}`]),
  ];
}

const OPEN_FILES = 256;

/**
 * Opens more connections than a gateway may have files, while skills are published through it. The gateway survives,
 * loses no acknowledged skill, and returns to its number of open files.
 */
export async function soakFiles({
  count,
  say,
}: Pick<ResourceSoak, "count" | "say">): Promise<readonly string[]> {
  const gateway = await startGateway(5, 1, { openFiles: OPEN_FILES, role: "publisher" });
  const problems: string[] = [];
  const acknowledged: string[] = [];
  const headers = { authorization: `Bearer ${gateway.tokens[0]}` };
  const filesOf = () => readdirSync(`/proc/${gateway.pid}/fd`).length;
  let most = 0;
  let refused = 0;
  try {
    // The first upload starts the scanner, and opens the database for writes.
    if (!(await upload(gateway.url, headers, "skill-first"))) problems.push("the first upload failed");
    const before = filesOf();
    const { hostname, port } = new URL(gateway.url);
    for (let round = 0; round < count; round += 1) {
      const crowd: Socket[] = [];
      // The crowd grows during the round, so that some uploads are under way when the last file is taken.
      for (const [at, size] of [0, 80, 80, 80, 300].entries()) {
        const id = `skill-${round}-${at}`;
        const uploaded = upload(gateway.url, headers, id);
        for (let more = 0; more < size; more += 1) crowd.push(openConnection(hostname, Number(port)));
        if (await uploaded) acknowledged.push(id);
        else refused += 1;
        most = Math.max(most, filesOf());
      }
      for (const socket of crowd) socket.destroy();
    }
    for (const id of acknowledged) {
      const response = await patiently(() => fetch(`${gateway.url}/v1/skills/${id}`, { headers }));
      if (response.status !== 200) problems.push(`lost: ${id} (${response.status})`);
    }
    const isBack = async () => {
      for (let at = 0; at < 300 && filesOf() > before + 10; at += 1) await sleep(100);
      return filesOf() <= before + 10;
    };
    if (!(await isBack()))
      problems.push(`open files: ${before} before, ${filesOf()} after: ${listOpen(gateway.pid)}`);
    const ready = await patiently(() => fetch(`${gateway.url}/readyz`));
    if (ready.status !== 200) problems.push(`/readyz: ${ready.status}`);
  } finally {
    await gateway.close();
  }
  say(`files: ${count} crowds, ${acknowledged.length} acknowledged, ${refused} refused, `);
  say(`at most ${most} of ${OPEN_FILES} files, ${problems.length} problems\n`);
  return problems;
}

/** The open files of a process by kind. */
function listOpen(pid: number): string {
  const kinds = new Map<string, number>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const kind = readlinkSync(`/proc/${pid}/fd/${name}`).replace(/:?\[.*\]$/, "");
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
}

function openConnection(host: string, port: number): Socket {
  // A gateway without free files resets or ignores connections.
  return connect({ host, port }).on("error", () => undefined);
}

async function upload(url: string, headers: Record<string, string>, id: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/skills/upload`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/zip" },
      body: await zipOf({ [id]: {} }),
      signal: AbortSignal.timeout(10_000),
    });
    const { data } = routeTable.uploadSkills.answer.safeParse(await response.json());
    return data?.skills.every(({ status }) => status !== "failed") ?? false;
  } catch {
    // The connection was refused or closed.
    return false;
  }
}

async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await ask();
      if (response.status !== 429 || attempt === 60) return response;
      await response.body?.cancel();
    } catch (error) {
      if (attempt === 60) throw error;
    }
    await sleep(1000);
  }
}

/** Fewer than the pools of the stores want together. */
const CONNECTIONS = 12;
const STORES = 5;

/**
 * Uses several stores on a PostgreSQL server with too few connections. Each call succeeds or fails with a code, every
 * acknowledged event is there, and no connection is left over.
 */
export async function soakPool({
  count,
  say,
}: Pick<ResourceSoak, "count" | "say">): Promise<readonly string[]> {
  const cluster = await startPostgres({ connections: CONNECTIONS });
  const problems: string[] = [];
  let acknowledged = 0;
  let refused = 0;
  try {
    const url = await cluster.createDatabase();
    const stores: RegistryContext["store"][] = [];
    for (let at = 0; at < STORES; at += 1) stores.push(await openRegistryStore(url));
    const call = async (at: number): Promise<void> => {
      const store = stores[at % STORES];
      const event = { type: "session.closed", at: new Date().toISOString(), session: `s-${at}` } as const;
      try {
        await store?.transaction((tx) => tx.append(event));
        acknowledged += 1;
      } catch (error) {
        refused += 1;
        if (!(error instanceof SkillError)) problems.push(`no code: ${String(error)}`);
      }
    };
    for (let from = 0; from < count; from += 200)
      await Promise.all(Array.from({ length: Math.min(200, count - from) }, (_, at) => call(from + at)));
    for (const store of stores) await store.close();
    const admin = postgres(cluster.url, { max: 1 });
    const [row] =
      await admin`select count(*)::int as left from pg_stat_activity where application_name = 'skillhold'`;
    await admin.end();
    if (row?.["left"] !== 0) problems.push(`${row?.["left"]} connections are left over`);
    const after = await openRegistryStore(url);
    const stored = await after.lastEvent();
    if (stored !== acknowledged) problems.push(`${acknowledged} acknowledged, ${stored} stored`);
    await after.close();
  } finally {
    await cluster.stop();
  }
  say(
    `pool: ${count} calls on ${CONNECTIONS} connections, ${acknowledged} acknowledged, ${refused} refused, `,
  );
  say(`${problems.length} problems\n`);
  return problems;
}
