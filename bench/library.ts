import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type OpenLibraryOptions, openLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { SqliteCache } from "@skillhold/store";
import { readCorpus } from "./corpus.ts";
import { growthLine, median, type Point } from "./measure.ts";

/**
 * The cost of opening and listing a library, against a walk that reads every SKILL.md (cold) or a stat of each (warm), in
 * the same run. `--corpus <folder>` copies the skills of a folder instead of generated ones.
 */
export async function benchLibrary(args: readonly string[] = []): Promise<void> {
  const { sizes, origin, write } = readCorpus(args, [1000, 10_000]);
  const points: (Point & { readonly warm: number })[] = [];
  for (const size of sizes) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-bench-")));
    try {
      write(join(root, "skills"), size);
      points.push({ size, ...report(size, origin, root) });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  const line = growthLine({ cold: points, warm: points.map(({ size, warm: ms }) => ({ size, ms })) });
  if (line !== undefined) console.log(`library: ${line}`);
}

/** Each task runs in a process of its own, so that one's memory and warmth are not another's. */
const tasks: Readonly<Record<string, (root: string) => Promise<Figures>>> = {
  async read(root) {
    const files = skillFiles(root);
    return timed(() => files.forEach((file) => void readFileSync(file)));
  },
  async stat(root) {
    const files = skillFiles(root);
    return timed(() => files.forEach((file) => void statSync(file, { throwIfNoEntry: false })));
  },
  async walk(root) {
    return timed(() => void walk(join(root, "skills")));
  },
  cold: (root) => timedOpen(root, undefined),
  warm: (root) => withCache(root, (cache) => timedOpen(root, cache)),
  edit: (root) => withCache(root, (cache) => timedEdit(root, cache)),
};

interface Figures {
  /** Wall time, and the time of all processors, which a busy machine changes less. */
  readonly ms: number;
  readonly cpuMs?: number;
  readonly bytesPerSkill?: number;
  readonly listMs?: number;
  readonly watchBytesPerSkill?: number;
}

async function withCache(root: string, work: (cache: SqliteCache) => Promise<Figures>): Promise<Figures> {
  const cache = new SqliteCache(join(root, "cache.db"));
  const figures = await work(cache);
  cache.close();
  return figures;
}

const viewer = { runtime: "bench" };

async function timedOpen(root: string, cache: SqliteCache | undefined): Promise<Figures> {
  const before = memory();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const library = await openLibrary({ ...optionsFor(root), ...(cache === undefined ? {} : { cache }) });
  const { length } = await library.list(viewer);
  const ms = performance.now() - start;
  const cpuMs = cpuSince(cpu);
  const bytesPerSkill = (memory() - before) / length;
  const listStart = performance.now();
  await library.list(viewer);
  return { ms, cpuMs, bytesPerSkill, listMs: performance.now() - listStart };
}

/** Measures from the end of a save to the change event, minus the debounce time. */
async function timedEdit(root: string, cache: SqliteCache): Promise<Figures> {
  const debounceMs = 200;
  const { length } = await (await openLibrary({ ...optionsFor(root), cache })).list(viewer);
  const before = process.memoryUsage().rss;
  const library = await openLibrary({ ...optionsFor(root), cache, watch: { debounceMs } });
  const watchBytesPerSkill = (process.memoryUsage().rss - before) / length;
  // A library scans once more after it sets its watches; the measurement starts after that scan.
  await setTimeout(1000, undefined, { ref: true });
  const edited = skillFiles(root)[7] ?? "";
  const changed = new Promise<void>((resolve) => {
    library.onChange(() => resolve());
  });
  writeFileSync(edited, `${readFileSync(edited, "utf8")}\nMore.\n`);
  const start = performance.now();
  // Watching alone does not keep a process running.
  const alive = setInterval(() => {}, 1000);
  await changed;
  clearInterval(alive);
  const ms = performance.now() - start - debounceMs;
  await library.close();
  return { ms, watchBytesPerSkill };
}

function optionsFor(root: string): OpenLibraryOptions {
  const source = { label: "bench", kind: "user", trust: "user", root: join(root, "skills") } as const;
  return { sources: [source], host: nodeHost({ env: {}, platform: "linux", cwd: root }) };
}

function report(size: number, origin: string, root: string): { readonly ms: number; readonly warm: number } {
  const rounds = size > 20_000 ? 3 : 7;
  const figures = new Map<string, Figures[]>();
  const names = ["read", "walk", "cold", "stat", "warm"];
  for (const task of names) run(task, root);
  for (let round = 0; round < rounds; round += 1) {
    for (const task of names) figures.set(task, [...(figures.get(task) ?? []), run(task, root)]);
  }
  const of = (task: string, pick: (figure: Figures) => number | undefined = ({ ms }) => ms) =>
    median((figures.get(task) ?? []).map((figure) => pick(figure) ?? 0));
  const ratio = (task: string, base: string) => {
    const cpu = of(task, ({ cpuMs }) => cpuMs) / of(base, ({ cpuMs }) => cpuMs);
    return `${(of(task) / of(base)).toFixed(2)} × (CPU ${cpu.toFixed(2)} ×)`;
  };
  const say = (text: string) => console.log(`library: ${size} ${origin} skills: ${text}`);
  say(
    `cold ${of("cold").toFixed(0)} ms, ${ratio("cold", "walk")} listing the folders and reading the files (${of("walk").toFixed(0)} ms; aim: at most 1.8), ${ratio("cold", "read")} reading the files`,
  );
  say(
    `warm ${of("warm").toFixed(0)} ms, ${ratio("warm", "stat")} stating the files (${of("stat").toFixed(0)} ms; aim: at most 1.5)`,
  );
  const bytes = of("warm", ({ bytesPerSkill }) => bytesPerSkill);
  const listMs = of("warm", (figure) => figure.listMs);
  say(
    `${(bytes / 1024).toFixed(2)} KB a skill once listed (aim: at most 3), list again ${listMs.toFixed(1)} ms`,
  );
  figures.set("edit", [run("edit", root), run("edit", root), run("edit", root)]);
  const watchKb = (of("edit", ({ watchBytesPerSkill }) => watchBytesPerSkill) / 1024).toFixed(1);
  say(
    `an edit is reported ${of("edit").toFixed(0)} ms after the quiet time (aim: at most 100); watching costs ${watchKb} KB a skill`,
  );
  return { ms: of("cold"), warm: of("warm") };
}

function run(task: string, root: string): Figures {
  const args = ["--conditions=@skillhold/source", "--expose-gc", import.meta.filename, task, root];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Figures;
}

/** The files, in a fixed order, without the cost of finding them. */
function skillFiles(root: string): readonly string[] {
  return walk(join(root, "skills")).sort();
}

/** Lists every folder and reads every SKILL.md: the least that a discovery can do. */
function walk(root: string): string[] {
  const files: string[] = [];
  for (const folders = [root]; ; ) {
    const folder = folders.pop();
    if (folder === undefined) return files;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) folders.push(`${folder}/${entry.name}`);
      else if (/^skill\.md$/i.test(entry.name)) {
        readFileSync(`${folder}/${entry.name}`);
        files.push(`${folder}/${entry.name}`);
      }
    }
  }
}

function timed(work: () => void): Figures {
  const cpu = process.cpuUsage();
  const start = performance.now();
  work();
  return { ms: performance.now() - start, cpuMs: cpuSince(cpu) };
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

const [task = "", root = ""] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename && tasks[task] !== undefined) {
  process.stdout.write(JSON.stringify(await tasks[task](root)));
}
