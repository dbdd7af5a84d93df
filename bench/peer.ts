import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Corpus, readCorpus } from "./corpus.ts";
import { withInstallation } from "./installation.ts";
import { median } from "./measure.ts";

const ROUNDS = 15;
/** The unit of times in /proc. */
const TICK_MS = 10;
/** The commands of other tools that list the skills of a project, by package. */
const peers = [
  { name: "openskills", version: "1.5.0", bin: "dist/cli.js", args: ["list"] },
  { name: "skills", version: "1.7.4", bin: "bin/cli.mjs", args: ["list", "--json"] },
] as const;

/**
 * `skillhold list --json`, installed, beside the commands of other tools, in one project and in turns. `--corpus <folder>`
 * copies the skills of a folder instead of generated ones.
 */
export async function benchPeers(args: readonly string[] = []): Promise<void> {
  const corpus = readCorpus(args, [100, 3000]);
  const modules = installPeers();
  await withInstallation(async (launcher) => {
    for (const size of corpus.sizes) benchSize(size, corpus, launcher, modules);
  });
}

function benchSize(size: number, { origin, write }: Corpus, launcher: string, modules: string): void {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-bench-")));
  try {
    const project = join(root, "project");
    write(join(project, ".claude/skills"), size);
    const home = join(root, "home");
    // The compiled code stays: an installation has it after any command.
    const index = ["", "-wal", "-shm"].map((end) => join(home, `.cache/skillhold/index.db${end}`));
    const found = [join(home, ".local"), ...index];
    const list = [launcher, "list", "--json"];
    const tasks: readonly Task[] = [
      {
        title: "skillhold, first time",
        argv: list,
        prepare: () => removeAll(found),
      },
      { title: "skillhold, again", argv: list },
      ...peers.map(({ name, version, bin, args }) => {
        return { title: `${name} ${version}`, argv: [join(modules, name, bin), ...args] };
      }),
    ];
    const figures = measureInTurns(tasks, { project, home });
    for (const [title, { wall, cpu }] of figures)
      console.log(
        `peers: ${size} ${origin} skills: ${title}: ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time`,
      );
    const [ours, theirs] = [figures.get("skillhold, again"), figures.get("openskills 1.5.0")];
    if (ours !== undefined && theirs !== undefined)
      console.log(
        `peers: ${size} ${origin} skills: skillhold again ${(ours.wall / theirs.wall).toFixed(2)} × openskills (CPU ${(ours.cpu / theirs.cpu).toFixed(2)} ×; aim: at most 1)`,
      );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Task {
  readonly title: string;
  readonly argv: readonly string[];
  readonly prepare?: () => void;
}

interface Cost {
  /** Medians in milliseconds. */
  readonly wall: number;
  readonly cpu: number;
}

/** The first round, which fills the caches of compiled code, does not count. */
function measureInTurns(
  tasks: readonly Task[],
  { project, home }: { readonly project: string; readonly home: string },
): ReadonlyMap<string, Cost> {
  mkdirSync(home, { recursive: true });
  const costs = new Map(tasks.map(({ title }) => [title, [] as Cost[]]));
  for (let round = -1; round < ROUNDS; round += 1)
    for (const { title, argv, prepare } of tasks) {
      prepare?.();
      const cost = measure(argv, project, home);
      if (round >= 0) costs.get(title)?.push(cost);
    }
  return new Map(
    [...costs].map(([title, each]) => [
      title,
      { wall: median(each.map(({ wall }) => wall)), cpu: median(each.map(({ cpu }) => cpu)) },
    ]),
  );
}

function measure(argv: readonly string[], cwd: string, home: string): Cost {
  const env = { PATH: process.env["PATH"], HOME: home };
  const before = childTicks();
  const start = performance.now();
  const { status } = spawnSync(process.execPath, argv, { cwd, env, stdio: "ignore" });
  const wall = performance.now() - start;
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}.`);
  return { wall, cpu: (childTicks() - before) * TICK_MS };
}

/** The processor time of all ended child processes, which Node does not report. */
function childTicks(): number {
  const [, fields = ""] = readFileSync("/proc/self/stat", "latin1").split(") ");
  const [user, system] = fields.split(" ").slice(13, 15);
  return Number(user) + Number(system);
}

/** The folder of the other tools, which npm installs once. */
function installPeers(): string {
  const key = peers.map(({ name, version }) => `${name}-${version}`).join("-");
  const folder = resolve(import.meta.dirname, "../node_modules/.cache", key);
  const modules = join(folder, "node_modules");
  if (existsSync(join(folder, "complete"))) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const names = peers.map(({ name, version }) => `${name}@${version}`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"];
  execFileSync("npm", ["install", ...flags, ...names], { cwd: folder, stdio: ["ignore", 2, 2] });
  writeFileSync(join(folder, "complete"), "");
  return modules;
}

function removeAll(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}
