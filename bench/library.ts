import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHost, openLibrary } from "@skillhold/core";
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
  async warm(root) {
    const cache = new SqliteCache(join(root, "cache.db"));
    const figures = await timedOpen(root, cache);
    cache.close();
    return figures;
  },
};

interface Figures {
  readonly ms: number;
  readonly bytesPerSkill?: number;
  readonly listMs?: number;
  readonly reloadMs?: number;
}

async function timedOpen(root: string, cache: SqliteCache | undefined): Promise<Figures> {
  const source = { label: "bench", kind: "user", trust: "user", root: join(root, "skills") } as const;
  const host = nodeHost({ env: {}, platform: "linux", cwd: root });
  const before = memory();
  const start = performance.now();
  const library = await openLibrary({ sources: [source], host, ...(cache === undefined ? {} : { cache }) });
  const ms = performance.now() - start;
  const viewer = { runtime: "bench" };
  const { length } = await library.list(viewer);
  const bytesPerSkill = (memory() - before) / length;
  const listStart = performance.now();
  await library.list(viewer);
  const listMs = performance.now() - listStart;
  const edited = join(source.root, "skill-7", "SKILL.md");
  writeFileSync(edited, `${readFileSync(edited, "utf8")}\nMore.\n`);
  utimesSync(edited, new Date(), new Date());
  const reloadStart = performance.now();
  await library.reload();
  return { ms, bytesPerSkill, listMs, reloadMs: performance.now() - reloadStart };
}

function report(size: number, root: string): void {
  const rounds = size > 20_000 ? 3 : 7;
  run("warm", root);
  const figures = new Map<string, Figures[]>(Object.keys(tasks).map((task) => [task, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [task, list] of figures) list.push(run(task, root));
  const of = (task: string, pick: (figure: Figures) => number | undefined = ({ ms }) => ms) =>
    median((figures.get(task) ?? []).map((figure) => pick(figure) ?? 0));
  const ratio = (task: string, base: string) => (of(task) / of(base)).toFixed(2);
  console.log(
    `library: ${size} skills: cold ${of("cold").toFixed(0)} ms, ${ratio("cold", "read")} × reading the files (${of("read").toFixed(0)} ms; aim: at most 2.5)`,
  );
  console.log(
    `library: ${size} skills: warm ${of("warm").toFixed(0)} ms, ${ratio("warm", "stat")} × stating the files (${of("stat").toFixed(0)} ms; aim: at most 1.3)`,
  );
  const bytes = of("warm", ({ bytesPerSkill }) => bytesPerSkill);
  console.log(
    `library: ${size} skills: ${(bytes / 1024).toFixed(2)} KB a skill after listing (aim: at most 3), list ${of("warm", ({ listMs }) => listMs).toFixed(1)} ms, full reload after one edit ${of("warm", ({ reloadMs }) => reloadMs).toFixed(0)} ms`,
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
