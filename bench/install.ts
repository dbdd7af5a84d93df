import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { defaultLimits } from "@skillhold/protocol/limits";
import { Fetcher, readSource, resolveSource, systemGit } from "@skillhold/registry/install";
import { launch } from "@skillhold/sandbox/backend";
import { openGitServer, skillText } from "../tests/install/git-server.fixture.ts";
import { withInstallation, workspaceLauncher } from "./installation.ts";
import { median } from "./measure.ts";

const run = promisify(execFile);
const SKILLS = 300;
const FILES_PER_SKILL = 15;
const FILE_BYTES = 2500;
const ROUNDS = 3;

/**
 * One skill out of a repository of 4,500 files: our install, from the workspace and from the packed command that users
 * run, against `git clone --depth 1` and against `skills add`, in turns, in time and in bytes that the server sent; then
 * all skills of a repository of 200, and of a folder of 100.
 */
export async function benchInstall(): Promise<void> {
  await withInstallation(benchSources);
}

async function benchSources(packed: string): Promise<void> {
  const server = await openGitServer();
  const base = mkdtempSync(join(tmpdir(), "skillhold-bench-install-"));
  try {
    const repo = server.repository("bench/large");
    for (let skill = 0; skill < SKILLS; skill += 1)
      repo.write({
        [`skills/skill-${skill}/SKILL.md`]: skillText(`skill-${skill}`),
        ...Object.fromEntries(
          Array.from({ length: FILES_PER_SKILL - 1 }, (_, at) => [
            `skills/skill-${skill}/references/${at}.md`,
            noise(),
          ]),
        ),
      });
    repo.commit();
    const small = server.repository("bench/many");
    small.write(
      Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`skills/s-${at}/SKILL.md`, skillText(`s-${at}`)]),
      ),
    );
    small.commit();
    const local = join(base, "local");
    for (let skill = 0; skill < 100; skill += 1) {
      const folder = join(local, "skills", `s-${skill}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "SKILL.md"), skillText(`s-${skill}`));
    }
    const home = join(base, "home");
    const tasks: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
      "skillhold install": (folder) => skillhold(packed, folder, home, `${repo.url}#@skill-7`),
      "skillhold install, from the workspace": (folder) =>
        skillhold(workspaceLauncher, folder, home, `${repo.url}#@skill-7`),
      "resolve and fetch": (folder) => fetchOne(folder, repo.url),
      "git clone --depth 1": (folder) =>
        run("git", ["clone", "--quiet", "--depth", "1", repo.url, join(folder, "clone")]),
      "skills add": (folder) => skillsAdd(folder, home, repo.url, "skill-7"),
      "skillhold install, 200 skills": (folder) => skillhold(packed, folder, home, small.url),
      "skillhold install, 100 local skills": (folder) => skillhold(packed, folder, home, local),
      "skillhold install, 100 local skills into a store": (folder) =>
        skillhold(packed, folder, folder, local, "store"),
      "skills add, 100 local skills": (folder) => skillsAdd(folder, home, local, "*"),
    };
    const times = new Map<string, number[]>();
    const bytes = new Map<string, number>();
    for (let round = -1; round < ROUNDS; round += 1)
      for (const [name, task] of Object.entries(tasks)) {
        const folder = mkdtempSync(join(base, "round-"));
        const before = server.traffic.bytes;
        const start = performance.now();
        await task(folder);
        // The first round fills the caches of compiled code.
        if (round < 0) continue;
        times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
        bytes.set(name, server.traffic.bytes - before);
      }
    const clone = {
      ms: median(times.get("git clone --depth 1") ?? []),
      bytes: bytes.get("git clone --depth 1") ?? 0,
    };
    for (const name of Object.keys(tasks)) {
      const ms = median(times.get(name) ?? []);
      const sent = bytes.get(name) ?? 0;
      const ratio = `${(ms / clone.ms).toFixed(2)} × the clone's time, ${(sent / clone.bytes).toFixed(3)} × its bytes`;
      console.log(`install: ${name}: ${Math.round(ms)} ms, ${Math.round(sent / 1024)} KB; ${ratio}`);
    }
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
}

let seed = 1;
/** Text that compresses poorly. */
function noise(): string {
  let text = "";
  while (text.length < FILE_BYTES) {
    seed = (seed * 48_271) % 2_147_483_647;
    text += `${seed.toString(36)}\n`;
  }
  return text;
}

/** The same without the start of a process: what a gateway does. */
async function fetchOne(work: string, url: string): Promise<void> {
  const policy = { isPrivateAllowed: () => true, isPlainAllowed: () => true };
  const fetcher = new Fetcher({ resolve: async () => ["127.0.0.1"], policy, limits: defaultLimits });
  const git = systemGit({
    launch,
    pins: fetcher.pins,
    env: { PATH: process.env["PATH"] },
    isPlainAllowed: () => true,
  });
  const ports = { fetcher, git, settings: { cwd: work }, limits: defaultLimits, work };
  const resolved = await resolveSource(readSource(url), ports);
  await resolved.fetch(resolved.skills.filter(({ name }) => name === "skill-7"));
}

async function skillhold(
  launcher: string,
  folder: string,
  home: string,
  source: string,
  target = "project",
): Promise<void> {
  const argv = [launcher, "install", source, "--target", target, "--yes"];
  await run(process.execPath, argv, { cwd: folder, env: environment(home), maxBuffer: 64 * 1024 * 1024 });
}

async function skillsAdd(folder: string, home: string, source: string, skill: string): Promise<void> {
  writeFileSync(join(folder, "package.json"), "{}");
  const cli = resolve("node_modules/skills/bin/cli.mjs");
  const argv = [cli, "add", source, "--skill", skill, "--agent", "universal", "--copy", "-y"];
  await run(process.execPath, argv, {
    cwd: folder,
    env: environment(home),
  });
}

function environment(home: string): NodeJS.ProcessEnv {
  mkdirSync(home, { recursive: true });
  const quiet = { CI: "1", NO_COLOR: "1", DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1" };
  return { HOME: home, PATH: process.env["PATH"], ...quiet };
}
