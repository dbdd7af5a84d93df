import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHost } from "@skillhold/core/source";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { openRegistryLibrary } from "@skillhold/registry/library";
import type { RegistryContext, RegistryStore } from "@skillhold/registry/record";
import { publishFolder } from "@skillhold/registry/release";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { startPostgres } from "../tests/postgres-cluster.ts";
import { type GivenSkill, putSkills } from "../tests/registry-library/put-skills.ts";
import { makeSkill, makeSkills, word } from "./generated-skill.ts";
import { compare } from "./measure.ts";
import { type Bare, type BareText, barePostgres, bareSqlite, batches } from "./registry-bare.ts";

/** What a registry costs beyond its engine: both do the same in turns, in one process, on stores of the same content. */
export async function benchRegistry(sizes: readonly number[] = [1000, 10_000]): Promise<void> {
  for (const open of [openSqlite, openPostgres]) {
    const engine = await open();
    try {
      await benchPublish(engine);
      for (const size of sizes) await benchReads(engine, size);
    } finally {
      await engine.close();
    }
  }
}

interface Engine {
  readonly name: string;
  readonly folder: string;
  /** The address of a new store. */
  url(): Promise<string>;
  bare(url: string): Bare;
  close(): Promise<void>;
}

async function openSqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  return {
    name: "sqlite",
    folder,
    url: async () => `sqlite:${join(folder, `${randomUUID()}.db`)}`,
    bare: (url) => bareSqlite(url.slice("sqlite:".length)),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openPostgres(): Promise<Engine> {
  const cluster = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  return {
    name: "postgres",
    folder,
    url: () => cluster.createDatabase(),
    bare: barePostgres,
    close: async () => {
      rmSync(folder, { recursive: true, force: true });
      await cluster.stop();
    },
  };
}

/** Compares publishing a folder with SKILL.md and a script to writing only its rows and files. */
async function benchPublish(engine: Engine): Promise<void> {
  const store = await openRegistryStore(await engine.url());
  const bareUrl = await engine.url();
  await (await openRegistryStore(bareUrl)).close();
  const bare = engine.bare(bareUrl);
  const context = contextOf(store);
  const folders = Array.from({ length: 200 }, (_, index) =>
    writeSkill(join(engine.folder, "publish"), index),
  );
  const by = { user: "ada", role: "publisher" } as const;
  let ours = 0;
  let theirs = 0;
  const [publishMs = 0, bareMs = 0] = await compare(
    [
      () => publishFolder(folders[ours++]?.folder ?? "", { by }, context),
      () => {
        const skill = makeSkill(theirs++);
        const files = Object.values(skill.files).map((text) => Buffer.from(text));
        return bare.publish(skill.folder, files, JSON.stringify({ ...skill, files: [] }));
      },
    ],
    100,
  );
  say(
    engine,
    `publish ${publishMs.toFixed(1)} ms (${(1000 / publishMs).toFixed(0)}/s), ${ratio(publishMs, bareMs)} × the bare writes (${bareMs.toFixed(1)} ms)`,
  );
  await bare.close();
  await store.close();
}

const viewer = { runtime: "bench" };

async function benchReads(engine: Engine, size: number): Promise<void> {
  const url = await engine.url();
  const store = await openRegistryStore(url);
  const fillStart = performance.now();
  for (const batch of batches(makeSkills(size), 500)) await putSkills(batch, store, { hasOneEvent: true });
  const fillSeconds = (performance.now() - fillStart) / 1000;
  const bare = engine.bare(url);
  await bare.index(makeTexts(size));
  const report = (text: string) => say(engine, `${size} skills: ${text}`);
  report(`filled in ${fillSeconds.toFixed(0)} s`);
  const [openMs = 0, bareOpenMs = 0] = await compare(
    [async () => (await openRegistryLibrary({ host }, contextOf(store))).close(), () => bare.list()],
    size > 20_000 ? 3 : 7,
  );
  report(
    `start ${openMs.toFixed(1)} ms, ${ratio(openMs, bareOpenMs)} × reading the rows (${bareOpenMs.toFixed(1)} ms)`,
  );
  await benchCalls(size, store, bare, report);
  await bare.close();
  await store.close();
}

async function benchCalls(
  size: number,
  store: RegistryStore,
  bare: Bare,
  report: (text: string) => void,
): Promise<void> {
  const library = await openRegistryLibrary({ host }, contextOf(store));
  const buildStart = performance.now();
  await library.search(viewer, "anything");
  report(`the search index is built in ${((performance.now() - buildStart) / 1000).toFixed(1)} s`);
  let round = 0;
  const id = () => `skill-${(round++ * 7919) % size}`;
  const query = () => [round++, round * 3, round * 17].map((number) => word(number % 2000));
  const times = await compare(
    [
      () => library.list(viewer),
      () => bare.list(),
      () => library.find(viewer, id()),
      () => bare.find(id()),
      () => library.search(viewer, query().join(" ")),
      () => bare.search(query()),
    ],
    size > 20_000 ? 15 : 60,
  );
  const [list = 0, bareList = 0, find = 0, bareFind = 0, search = 0, bareSearch = 0] = times;
  report(`list ${list.toFixed(2)} ms, ${ratio(list, bareList)} × the bare rows (${bareList.toFixed(2)} ms)`);
  report(`find ${find.toFixed(3)} ms, ${ratio(find, bareFind)} × the bare row (${bareFind.toFixed(3)} ms)`);
  report(
    `search ${search.toFixed(2)} ms, ${ratio(search, bareSearch)} × the engine's own (${bareSearch.toFixed(2)} ms)`,
  );
  await benchFreshness(size, store, library, report);
  await library.close();
}

/** What the first calls after a publish cost, which have to take it in. */
async function benchFreshness(
  size: number,
  store: RegistryStore,
  library: Awaited<ReturnType<typeof openRegistryLibrary>>,
  report: (text: string) => void,
): Promise<void> {
  let next = size;
  const afterPublish = async (call: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      await putSkills([makeSkill(next++)], store);
      const start = performance.now();
      await call();
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  };
  const find = await afterPublish(() => library.find(viewer, "skill-7"));
  const list = await afterPublish(() => library.list(viewer));
  const search = await afterPublish(() => library.search(viewer, word(40)));
  report(
    `after a publish: find ${find.toFixed(2)} ms, list ${list.toFixed(2)} ms, search ${search.toFixed(2)} ms`,
  );
}

const host = nodeHost({ env: {}, platform: "linux", cwd: tmpdir() });

function contextOf(store: RegistryStore): RegistryContext {
  const clock = { now: () => new Date() };
  return { store, clock, ids: { next: () => randomUUID() }, limits: defaultLimits, scan: scanDependencies };
}

function* makeTexts(size: number): Generator<BareText> {
  for (let index = 0; index < size; index += 1) {
    const { folder: id, description, body } = makeSkill(index);
    yield { id, description, body };
  }
}

function writeSkill(root: string, index: number): GivenSkill {
  const skill = makeSkill(index);
  const folder = join(root, skill.folder);
  for (const [path, text] of Object.entries(skill.files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { ...skill, folder };
}

function ratio(ours: number, theirs: number): string {
  return (ours / theirs).toFixed(2);
}

function say({ name }: Engine, text: string): void {
  console.log(`registry: ${name}: ${text}`);
}
