import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AuditSink } from "@skillhold/core/port";
import { openSession, type Session, systemPorts } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { RegistryAudit, verifyAudit } from "@skillhold/registry/audit";
import { openRegistryLibrary } from "@skillhold/registry/library";
import type { RegistryStore } from "@skillhold/registry/record";
import { makeEvent, makeKey } from "@skillhold/registry/test/audit/memory-log.fixture";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import postgres from "postgres";
import { startPostgres } from "../tests/postgres-cluster.ts";
import { putSkills } from "../tests/registry-library/put-skills.ts";
import { compare, cpuMs, median } from "./measure.ts";

const READS = 20;
const ENTRIES = 100_000;
const BATCH = 1000;
/** As long as a recorded read. */
const ROW = "x".repeat(400);

/**
 * Measures the cost of recording each read before it returns, and of verifying the log. Sizes are numbers of sessions that
 * read at the same time, and measure only those.
 */
export async function benchAudit(sizes: readonly number[]): Promise<void> {
  for (const open of [openSqlite, openPostgres]) {
    const engine = await open();
    try {
      for (const sessions of sizes.length > 0 ? sizes : [1, 16, 64]) await benchReads(engine, sessions);
      if (sizes.length === 0) await benchVerify(engine);
    } finally {
      await engine.close();
    }
  }
}

interface Engine {
  readonly name: string;
  /** Commits as many rows of the size of an event, by the bare driver. */
  bare(): Promise<{ commit(rows: number): Promise<void>; close(): Promise<void> }>;
  /** The address of a new store. */
  url(): Promise<string>;
  close(): Promise<void>;
}

async function openSqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  return {
    name: "sqlite",
    bare: async () => {
      const database = new DatabaseSync(join(folder, `${randomUUID()}.db`));
      database.exec("pragma journal_mode = wal; pragma synchronous = full");
      database.exec("create table bare (seq integer primary key, body text)");
      const insert = database.prepare("insert into bare (body) values (?)");
      const commit = async (rows: number) => {
        database.exec("begin immediate");
        for (let row = 0; row < rows; row += 1) insert.run(ROW);
        database.exec("commit");
      };
      return { commit, close: async () => database.close() };
    },
    url: async () => `sqlite:${join(folder, `${randomUUID()}.db`)}`,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openPostgres(): Promise<Engine> {
  const cluster = await startPostgres();
  const bare = async () => {
    const client = postgres(await cluster.createDatabase(), { max: 1 });
    await client`create table bare (seq bigserial primary key, body text)`;
    const commit = async (rows: number) => {
      await client`insert into bare (body) select ${ROW} from generate_series(1, ${rows}::int)`;
    };
    return { commit, close: () => client.end() };
  };
  return { name: "postgres", bare, url: () => cluster.createDatabase(), close: () => cluster.stop() };
}

/** Agents that read at the same time, over stores of the same content: one records, the other does not. */
async function benchReads(engine: Engine, sessions: number): Promise<void> {
  const audited = await openReaders(engine, sessions, (store) => new RegistryAudit(store));
  const bare = await openReaders(engine, sessions, () => ({ record: () => {} }));
  const cpu: [number[], number[]] = [[], []];
  const measured = (into: number[], task: () => Promise<unknown>) => async () => {
    into.push(await cpuMs(task));
  };
  const floor = await engine.bare();
  const commits = async () => {
    for (let round = 0; round < READS; round += 1) await floor.commit(sessions);
  };
  const tasks = [measured(cpu[0], audited.read), measured(cpu[1], bare.read), commits];
  const [auditedMs = 0, bareMs = 0, commitMs = 0] = await compare(tasks, 15);
  await floor.close();
  const [auditedCpu, bareCpu] = [median(cpu[0]), median(cpu[1])];
  const each = (ms: number) => ((ms * 1000) / (sessions * READS)).toFixed(0);
  say(
    engine,
    `${sessions} at once: an audited read ${each(auditedMs)} µs, ${(auditedMs / bareMs).toFixed(2)} × one without (${each(bareMs)} µs); ` +
      `${(auditedCpu / bareCpu).toFixed(2)} × the processor time (${each(auditedCpu)} and ${each(bareCpu)} µs)`,
  );
  // A read may run while an earlier one is committed, but neither can be faster than alone.
  const limitMs = Math.max(bareMs, commitMs);
  say(
    engine,
    `${sessions} at once: a commit of ${sessions} rows by the bare driver takes ${(commitMs / READS).toFixed(2)} ms: ` +
      `audited reads take at least ${(limitMs / bareMs).toFixed(2)} × the others if commits and reads overlap, ` +
      `${((bareMs + commitMs) / bareMs).toFixed(2)} × if they alternate; ${(auditedMs / limitMs).toFixed(2)} × the first`,
  );
  await audited.close();
  await bare.close();
}

async function openReaders(engine: Engine, count: number, sink: (store: RegistryStore) => AuditSink) {
  const store = await openRegistryStore(await engine.url(), { signer: makeKey().signer });
  await putSkills([skill], store);
  const library = await openRegistryLibrary({ host }, contextOf(store));
  const audit = sink(store);
  const open = () => openSession(library, { runtime: "bench", user: "ada" }, systemPorts(audit));
  const sessions = await Promise.all(Array.from({ length: count }, open));
  return {
    read: () => Promise.all(sessions.map(readMuch)),
    close: async () => {
      await library.close();
      await store.close();
    },
  };
}

async function readMuch(session: Session): Promise<void> {
  for (let round = 0; round < READS; round += 1)
    await session.resource("demo", "references/page.md", { start: round * 100, length: 4000 });
}

async function benchVerify(engine: Engine): Promise<void> {
  const key = makeKey();
  const store = await openRegistryStore(await engine.url(), { signer: key.signer });
  const writeStart = performance.now();
  for (let next = 0; next < ENTRIES; next += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index) => makeEvent(next + index));
    await store.transaction((tx) => tx.appendAll(events));
  }
  const writeSeconds = (performance.now() - writeStart) / 1000;
  const start = performance.now();
  const { isSound, entries } = await verifyAudit(store, { keys: [key.trusted] });
  const seconds = (performance.now() - start) / 1000;
  if (!isSound) throw new Error("The log is not sound.");
  say(
    engine,
    `${entries} entries written in ${writeSeconds.toFixed(1)} s, verified in ${seconds.toFixed(1)} s (${(entries / seconds).toFixed(0)}/s)`,
  );
  await store.close();
}

const skill = {
  folder: "demo",
  files: {
    "SKILL.md": "---\nname: demo\ndescription: Tries.\n---\n\nTry.\n",
    "references/page.md": "A line of a page that is read in parts.\n".repeat(500),
  },
};
const host = nodeHost({ env: {}, platform: "linux", cwd: tmpdir() });

function contextOf(store: RegistryStore) {
  const clock = { now: () => new Date() };
  return { store, clock, ids: { next: () => randomUUID() }, limits: defaultLimits, scan: scanDependencies };
}

function say({ name }: Engine, text: string): void {
  console.log(`audit: ${name}: ${text}`);
}
