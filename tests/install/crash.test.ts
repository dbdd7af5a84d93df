import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
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

/** Runs the command line in a process of its own, and kills it when a path appears or after a number of requests. */
async function killed(argv: readonly string[], isDue: () => boolean): Promise<void> {
  const env = {
    HOME: home(),
    XDG_DATA_HOME: join(root(), "data"),
    SKILLHOLD_USER: "ann",
    PATH: process.env["PATH"],
  };
  const bin = resolve("packages/cli/bin/skillhold.js");
  const child = spawn(resolve("node_modules/.bin/node"), [bin, ...argv], {
    cwd: project(),
    env,
    stdio: "ignore",
  });
  const ended = new Promise((done) => child.once("close", done));
  const watch = setInterval(() => {
    if (isDue()) child.kill("SIGKILL");
  }, 1);
  await ended;
  clearInterval(watch);
}

const skills = () => join(project(), ".agents/skills");
const below = (folder: string, prefix: string) =>
  existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(prefix));

const MOMENTS: readonly (readonly [string, (start: number) => boolean])[] = [
  ["it first asks the server", (start) => server.traffic.requests > start],
  ["it has asked three times", (start) => server.traffic.requests > start + 2],
  ["it keeps the content of the source", () => below(join(root(), "data/skillhold/upstream"), ".skillhold-")],
  ["it writes beside the old folder", () => below(skills(), ".skillhold-")],
  ["it writes the lock", () => below(project(), ".skillhold-")],
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
    const place = ".agents/skills/pdf";
    // Between two renames the folder is briefly missing, and its old content is in a folder beside it.
    const folder = existsSync(join(project(), place))
      ? place
      : `.agents/skills/${readdirSync(skills()).find((name) => name.startsWith(".skillhold-"))}/old`;
    const version = read(`${folder}/SKILL.md`).includes("new") ? "new" : "old";
    for (let at = 0; at < FILES; at += 1)
      expect(read(`${folder}/references/${at}.md`)).toBe(`${version} ${at}\n`);
    if (folder !== place) return;
    expect((await text(["update", "pdf", "--target", "project", "--yes", "--now"])).code).toBe(0);
    expect(read(`${place}/references/7.md`)).toBe("new 7\n");
  },
);
