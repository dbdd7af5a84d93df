import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type OpenLibraryOptions, openLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { SqliteCache } from "@skillhold/store";
import { median } from "./measure.ts";

/** What opening a library costs, against reading (cold) or stating (warm) the same files in the same run. */
export async function benchLibrary(sizes: readonly number[] = [1000, 10_000]): Promise<void> {
  for (const size of sizes) {
    const root = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
    try {
      writeSkills(join(root, "skills"), size);
      report(size, root);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
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
  cold: (root) => timedOpen(root, undefined),
  warm: (root) => withCache(root, (cache) => timedOpen(root, cache)),
  edit: (root) => withCache(root, (cache) => timedEdit(root, cache)),
};

interface Figures {
  readonly ms: number;
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
  const start = performance.now();
  const library = await openLibrary({ ...optionsFor(root), ...(cache === undefined ? {} : { cache }) });
  const ms = performance.now() - start;
  const { length } = await library.list(viewer);
  const bytesPerSkill = (memory() - before) / length;
  const listStart = performance.now();
  await library.list(viewer);
  return { ms, bytesPerSkill, listMs: performance.now() - listStart };
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
  const edited = join(root, "skills", "skill-7", "SKILL.md");
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

function report(size: number, root: string): void {
  const rounds = size > 20_000 ? 3 : 7;
  const figures = new Map<string, Figures[]>();
  for (const task of ["read", "cold", "stat", "warm"]) run(task, root);
  for (let round = 0; round < rounds; round += 1) {
    for (const task of ["read", "cold", "stat", "warm"])
      figures.set(task, [...(figures.get(task) ?? []), run(task, root)]);
  }
  const of = (task: string, pick: (figure: Figures) => number | undefined = ({ ms }) => ms) =>
    median((figures.get(task) ?? []).map((figure) => pick(figure) ?? 0));
  const ratio = (task: string, base: string) => (of(task) / of(base)).toFixed(2);
  const say = (text: string) => console.log(`library: ${size} skills: ${text}`);
  say(
    `cold ${of("cold").toFixed(0)} ms, ${ratio("cold", "read")} × reading the files (${of("read").toFixed(0)} ms; aim: at most 2.5)`,
  );
  say(
    `warm ${of("warm").toFixed(0)} ms, ${ratio("warm", "stat")} × stating the files (${of("stat").toFixed(0)} ms; aim: at most 1.3)`,
  );
  const bytes = of("warm", ({ bytesPerSkill }) => bytesPerSkill);
  const listMs = of("warm", (figure) => figure.listMs);
  say(
    `${(bytes / 1024).toFixed(2)} KB a skill once listed (aim: at most 3), list again ${listMs.toFixed(1)} ms`,
  );
  figures.set(
    "edit",
    Array.from({ length: rounds }, () => run("edit", root)),
  );
  const watchKb = (of("edit", ({ watchBytesPerSkill }) => watchBytesPerSkill) / 1024).toFixed(1);
  say(
    `an edit is told ${of("edit").toFixed(0)} ms after the quiet time (aim: at most 100); watching costs ${watchKb} KB a skill`,
  );
}

function run(task: string, root: string): Figures {
  const args = ["--conditions=@skillhold/source", "--expose-gc", import.meta.filename, task, root];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Figures;
}

function writeSkills(root: string, size: number): void {
  for (let index = 0; index < size; index += 1) {
    const folder = join(root, `skill-${index}`);
    mkdirSync(folder, { recursive: true });
    const description = `Handles case ${index} of a kind of task that comes up often. Use when someone asks for it by name, by its usual abbreviation, or by what it is meant to bring about in the end.`;
    const yaml = `name: skill-${index}\ndescription: ${description}\nlicense: MIT\nmetadata:\n  author: someone\n  version: 1.0.${index}\n`;
    writeFileSync(
      join(folder, "SKILL.md"),
      `---\n${yaml}---\n# Skill ${index}\n\n${"One line of the instructions that say what to do next.\n".repeat(70)}`,
    );
  }
}

function skillFiles(root: string): readonly string[] {
  return readdirSync(join(root, "skills")).map((name) => join(root, "skills", name, "SKILL.md"));
}

function timed(work: () => void): Figures {
  const start = performance.now();
  work();
  return { ms: performance.now() - start };
}

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

const [task = "", root = ""] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename && tasks[task] !== undefined) {
  process.stdout.write(JSON.stringify(await tasks[task](root)));
}
