import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { compileCache } from "../compile-cache.ts";
import { type GitServer, openGitServer, skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";

const { project, root, home, text, read } = installScene({ beforeEach, afterEach });

let server: GitServer;
beforeAll(async () => {
  server = await openGitServer();
});
afterAll(async () => {
  await server.close();
});

const FILES = 40;
const files = (version: string) => ({
  "SKILL.md": skillText("pdf", `${version}\n`),
  ...Object.fromEntries(
    Array.from({ length: FILES }, (_, at) => [`references/${at}.md`, `${version} ${at}\n`]),
  ),
});

/** Runs the command line in a process of its own, and kills it after a number of requests. */
async function killed(argv: readonly string[], isDue: () => boolean): Promise<void> {
  const env = {
    HOME: home(),
    XDG_DATA_HOME: join(root(), "data"),
    SKILLHOLD_USER: "ann",
    PATH: process.env["PATH"],
    ...compileCache,
    TMPDIR: root(),
  };
  const bin = resolve("packages/skillhold/bin/skillhold.js");
  const child = spawn(resolve("node_modules/.bin/node"), [bin, ...argv], {
    cwd: project(),
    env,
    stdio: "ignore",
  });
  const ended = new Promise((done) => child.once("close", (_code, signal) => done(signal)));
  const watch = setInterval(() => {
    if (isDue()) child.kill("SIGKILL");
  }, 1);
  const signal = await ended;
  clearInterval(watch);
  expect(signal).toBe("SIGKILL");
}

const skills = () => join(project(), ".agents/skills");
const below = (folder: string, prefix: string) =>
  existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(prefix));

const MOMENTS: readonly (readonly [string, (start: number) => boolean])[] = [
  ["it first asks the server", (start) => server.traffic.requests > start],
  ["it has asked three times", (start) => server.traffic.requests > start + 2],
];

test.each(MOMENTS)(
  "an update that is killed when %s leaves the old skill or the new one, whole [S-47]",
  async (_, isDue) => {
    const repo = server.repository(`acme/crash-${server.traffic.requests}`);
    repo.write(files("old"));
    repo.commit();
    expect((await text(["install", repo.url, "--id", "pdf", "--target", "project", "--yes"])).code).toBe(0);
    repo.write(files("new"));
    repo.commit();
    const start = server.traffic.requests;
    await killed(["update", "pdf", "--target", "project", "--yes", "--now"], () => isDue(start));
    // The next command finishes or undoes the change of the killed one.
    expect((await text(["outdated", "--target", "project"])).code).toBe(0);
    const place = ".agents/skills/pdf";
    const version = read(`${place}/SKILL.md`).includes("new") ? "new" : "old";
    for (let at = 0; at < FILES; at += 1)
      expect(read(`${place}/references/${at}.md`)).toBe(`${version} ${at}\n`);
    expect(below(skills(), ".skillhold-")).toBe(false);
    expect((await text(["update", "pdf", "--target", "project", "--yes", "--now"])).code).toBe(0);
    expect(read(`${place}/references/7.md`)).toBe("new 7\n");
  },
);

describe("a process that is killed before each change of a file", () => {
  const exactCopy = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const;
  let copies: string;
  beforeEach(() => {
    copies = mkdtempSync(join(tmpdir(), "skillhold-crash-copies-"));
  });
  afterEach(() => {
    rmSync(copies, { recursive: true, force: true });
  });

  /** Runs a command with the preload of the kills. Returns the signal that killed it, if any. */
  async function run(argv: readonly string[], variables: Readonly<Record<string, string>>) {
    const preload = resolve(import.meta.dirname, "kill-step.fixture.ts");
    const env = {
      HOME: home(),
      XDG_DATA_HOME: join(root(), "data"),
      SKILLHOLD_USER: "ann",
      PATH: process.env["PATH"],
      ...compileCache,
      // What a killed process leaves there goes with the scene.
      TMPDIR: root(),
      NODE_OPTIONS: `--import=${preload}`,
      KILL_FOLDER: root(),
      ...variables,
    };
    const bin = resolve("packages/skillhold/bin/skillhold.js");
    const child = spawn(resolve("node_modules/.bin/node"), [bin, ...argv], {
      cwd: project(),
      env,
      stdio: "ignore",
    });
    return await new Promise((done) =>
      child.once("close", (code, signal) => {
        if (signal === null) expect(code).toBe(0);
        done(signal);
      }),
    );
  }

  /** Runs a command to its end. Yields at each state of the scene that a kill on the way leaves, and at the end. */
  async function* states(argv: readonly string[]): AsyncGenerator<number> {
    expect(await run(argv, { COPY_FOLDER: copies })).toBe(null);
    const steps = readdirSync(copies).length;
    expect(steps).toBeGreaterThan(5);
    cpSync(root(), join(copies, String(steps + 1)), exactCopy);
    for (let step = 1; step <= steps + 1; step += 1) {
      restore(step);
      yield step;
    }
  }
  const restore = (step: number) => {
    rmSync(root(), { recursive: true });
    cpSync(join(copies, String(step)), root(), exactCopy);
  };
  const into = ["--target", "project", "--yes"];
  const source = (version: string) => {
    const folder = join(root(), "source/pdf");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), skillText("pdf", `${version}\n`));
    writeFileSync(join(folder, "a.md"), `${version}\n`);
    return folder;
  };
  const leftovers = () =>
    [project(), skills(), join(root(), "data/skillhold"), join(root(), "data/skillhold/upstream")].filter(
      (folder) => below(folder, ".skillhold-"),
    );

  test("leaves the old or the new skill, its extra files, and no temporary folder [S-47]", async () => {
    expect((await text(["install", source("old"), ...into])).code).toBe(0);
    mkdirSync(join(skills(), "pdf/.git"));
    writeFileSync(join(skills(), "pdf/.git/HEAD"), "mine");
    const replace = ["install", source("new"), "--replace", ...into];
    /** The state of the skill after the next command. */
    const recover = async () => {
      const isMissing = !existsSync(join(skills(), "pdf"));
      expect((await text(["outdated", "--target", "project"])).code).toBe(0);
      const version = read(".agents/skills/pdf/a.md").trim();
      expect(read(".agents/skills/pdf/SKILL.md")).toBe(skillText("pdf", `${version}\n`));
      expect(readFileSync(join(skills(), "pdf/.git/HEAD"), "utf8")).toBe("mine");
      expect((await text(replace)).code).toBe(0);
      expect(read(".agents/skills/pdf/a.md")).toBe("new\n");
      expect(leftovers()).toEqual([]);
      return `${version}${isMissing ? ", restored" : ""}`;
    };
    const seen = new Map<string, number>();
    for await (const step of states(replace)) seen.set(await recover(), step);
    expect([...seen.keys()].sort()).toEqual(["new", "old", "old, restored"]);
    const step = seen.get("old, restored");
    restore(1);
    expect(await run(replace, { KILL_STEP: String(step) })).toBe("SIGKILL");
    expect(await recover()).toBe("old, restored");
  });

  test("removes a skill completely or not at all [S-47]", async () => {
    expect((await text(["install", source("old"), ...into])).code).toBe(0);
    const place = join(skills(), "pdf");
    const seen = new Set<boolean>();
    for await (const _ of states(["remove", "pdf", "--target", "project"])) {
      expect((await text(["outdated", "--target", "project"])).code).toBe(0);
      if (existsSync(place)) expect(readdirSync(place).sort()).toEqual(["SKILL.md", "a.md"]);
      expect(below(skills(), ".skillhold-")).toBe(false);
      seen.add(existsSync(place));
    }
    expect([...seen]).toEqual([true, false]);
  });
});
