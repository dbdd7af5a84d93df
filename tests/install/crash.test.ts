import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  /** Runs a command to its end or to the given step; whether it came to its end. */
  async function runUntil(argv: readonly string[], step: number): Promise<boolean> {
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
      KILL_STEP: String(step),
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
        done(signal === null);
      }),
    );
  }
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
    const seen = new Set<string>();
    for (let step = 1; ; step += 1) {
      rmSync(join(root(), "data"), { recursive: true, force: true });
      rmSync(project(), { recursive: true, force: true });
      mkdirSync(project());
      expect((await text(["install", source("old"), ...into])).code).toBe(0);
      mkdirSync(join(skills(), "pdf/.git"));
      writeFileSync(join(skills(), "pdf/.git/HEAD"), "mine");
      const folder = source("new");
      const isDone = await runUntil(["install", folder, "--replace", ...into], step);
      const isMissing = !existsSync(join(skills(), "pdf"));
      expect((await text(["outdated", "--target", "project"])).code).toBe(0);
      const version = read(".agents/skills/pdf/a.md").trim();
      expect(read(".agents/skills/pdf/SKILL.md")).toBe(skillText("pdf", `${version}\n`));
      expect(readFileSync(join(skills(), "pdf/.git/HEAD"), "utf8")).toBe("mine");
      seen.add(`${version}${isMissing ? ", restored" : ""}`);
      expect((await text(["install", folder, "--replace", ...into])).code).toBe(0);
      expect(read(".agents/skills/pdf/a.md")).toBe("new\n");
      expect({ step, leftovers: leftovers() }).toEqual({ step, leftovers: [] });
      if (isDone) break;
    }
    expect([...seen].sort()).toEqual(["new", "old", "old, restored"]);
  });

  test("removes a skill completely or not at all [S-47]", async () => {
    for (let step = 1; ; step += 1) {
      expect((await text(["install", source("old"), ...into])).code).toBe(0);
      const isDone = await runUntil(["remove", "pdf", "--target", "project"], step);
      expect((await text(["outdated", "--target", "project"])).code).toBe(0);
      const place = join(skills(), "pdf");
      if (existsSync(place)) expect(readdirSync(place).sort()).toEqual(["SKILL.md", "a.md"]);
      expect(below(skills(), ".skillhold-")).toBe(false);
      rmSync(place, { recursive: true, force: true });
      if (isDone) break;
    }
  });
});
