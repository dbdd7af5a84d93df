import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { afterEach, expect, test } from "vitest";
import {
  FAKE_PYTHON,
  installPorts,
  makeFolder,
  makeProgram,
  removeFolders,
  runtimeInstead,
} from "./environment.fixture.ts";
import type { InstallEvent } from "./install-event.ts";
import { type InstallPorts, installDependencies } from "./installer.ts";
import { findEnvironment } from "./skill-environment.ts";
import { readSpec } from "./spec.ts";

afterEach(removeFolders);

const statuses = ({ results }: Awaited<ReturnType<typeof installDependencies>>) =>
  Object.fromEntries(results.map(({ spec, status }) => [spec, status]));

/** The arguments of each npm call. */
function callsOf({ host }: InstallPorts): readonly string[] {
  const file = join(host.env["HOME"] ?? "", "calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

const specsOf = (...texts: readonly string[]) =>
  texts.map(readSpec).filter((spec) => typeof spec !== "string");

test("installs packages into the skill's own environment, and finds them the next time [S-36]", async () => {
  const ports = installPorts();
  const plan = { skill: "a", specs: ["npm:one", "node:two@1.0.0", "npm:one"] };
  const report = await installDependencies(plan, ports);
  expect(statuses(report)).toEqual({ "npm:one": "ok", "npm:two@1.0.0": "ok" });
  expect(callsOf(ports)).toEqual(["one two@1.0.0"]);
  expect(readdirSync(ports.home)).toHaveLength(2);
  expect(readdirSync(join(report.environment ?? "", "node_modules"))).toEqual(["one", "two"]);
  expect(statSync(join(report.environment ?? "", "node_modules/one/package.json")).mode & 0o777).toBe(0o644);

  const again = await installDependencies({ ...plan, specs: ["npm:two@1.0.0", "npm:one"] }, ports);
  expect(statuses(again)).toEqual({ "npm:two@1.0.0": "skipped", "npm:one": "skipped" });
  expect(again.environment).toBe(report.environment);
  expect(callsOf(ports)).toHaveLength(1);
});

test("reports the failing package by name, and installs the others [S-36]", async () => {
  const ports = installPorts();
  const plan = { skill: "a", specs: ["npm:one", "npm:bad-one", "npm:two", "npm:--prefix=/"] };
  const report = await installDependencies(plan, ports);
  expect(statuses(report)).toEqual({
    "npm:one": "ok",
    "npm:bad-one": "failed",
    "npm:two": "ok",
    "npm:--prefix=/": "failed",
  });
  expect(report.results.find(({ spec }) => spec === "npm:bad-one")?.message).toBe(
    "npm:bad-one: 404 Not Found - GET bad-one - Not found",
  );
  const found = await findEnvironment(specsOf("npm:one", "npm:bad-one", "npm:two"), ports);
  expect(found?.folder).toBe(report.environment);
  expect(found?.record).toMatchObject({ failed: ["npm:bad-one"] });
  expect(readdirSync(join(found?.folder ?? "", "node_modules"))).toEqual(["one", "two"]);
  // A partial environment is tried again.
  expect(statuses(await installDependencies(plan, ports))["npm:one"]).toBe("ok");
});

test("an unreachable registry fails all packages with a single attempt [S-36]", async () => {
  const npm = `[ "$1" = config ] && exit; echo x >> "$(dirname "$0")/calls"; echo "npm error code ENOTFOUND
npm error network request to https://user:secret@npm.example.org/one failed, reason: getaddrinfo ENOTFOUND" >&2; exit 1`;
  const ports = installPorts({ npm });
  const { results } = await installDependencies({ skill: "a", specs: ["npm:one", "npm:two"] }, ports);
  expect(callsOf(ports)).toEqual(["x"]);
  for (const { status, message } of results) {
    expect(status).toBe("failed");
    expect(message).toMatch(/: network request to https:\/\/npm\.example\.org\/one failed/);
  }
});

test("an unreachable index does not hide the failing distribution [S-36]", async () => {
  const python = `echo "WARNING: Retrying after NewConnectionError" >&2
    case " $* " in *" bad "*) echo "ERROR: No matching distribution found for bad" >&2; exit 1;; esac
    ${FAKE_PYTHON}`;
  const program = makeProgram("python3", python);
  const ports = installPorts({ findRuntime: runtimeInstead("python", () => ({ program, mounts: [] })) });
  const report = await installDependencies({ skill: "a", specs: ["pip:six", "pip:bad"] }, ports);
  expect(statuses(report)).toEqual({ "pip:six": "ok", "pip:bad": "failed" });
  expect(report.results[1]?.message).toMatch(/found for bad; a package index is unreachable$/);
  expect(readdirSync(join(report.environment ?? "", "site"))).toContain("six");
});

test("explains that an unavailable distribution may lack a wheel [S-36]", async () => {
  const program = makeProgram("python3", 'echo "ERROR: No matching distribution found for x" >&2; exit 1');
  const ports = installPorts({ findRuntime: runtimeInstead("python", () => ({ program, mounts: [] })) });
  const { results } = await installDependencies({ skill: "a", specs: ["pip:x"] }, ports);
  expect(results[0]?.message).toMatch(/^pip:x: No matching distribution found for x; only wheels/);
});

test("reports packages that conflict, and leaves no files of them [S-36]", async () => {
  const ports = installPorts();
  const report = await installDependencies({ skill: "a", specs: ["npm:odd-one", "npm:two"] }, ports);
  expect(statuses(report)).toEqual({ "npm:odd-one": "failed", "npm:two": "failed" });
  expect(report.results[0]?.message).toContain("conflicts with the other packages");
  expect(report.environment).toBeUndefined();
  expect(readdirSync(ports.home)).toEqual([]);
});

test("a failing group leaves no files in the environment of the others [S-36]", async () => {
  const program = makeProgram("python3", FAKE_PYTHON);
  const ports = installPorts({ findRuntime: runtimeInstead("python", () => ({ program, mounts: [] })) });
  const specs = ["npm:two", "npm:odd-one", "pip:six"];
  const report = await installDependencies({ skill: "a", specs }, ports);
  expect(statuses(report)).toEqual({ "npm:two": "failed", "npm:odd-one": "failed", "pip:six": "ok" });
  expect(readdirSync(report.environment ?? "").sort()).toEqual([
    "environment.json",
    "requirements.lock",
    "site",
  ]);
});

test("runs no command before clearance, and none without it [S-36]", async () => {
  const asked: string[] = [];
  const clear: InstallPorts["clear"] = async (specs) => {
    asked.push(...specs.map(({ text }) => text));
    throw new SkillError("POLICY_DENIED", "No.");
  };
  const ports = installPorts({ clear });
  const plan = { skill: "a", specs: ["npm:one", "apt:jq", "download:https://example.org/x"] };
  await expect(installDependencies(plan, ports)).rejects.toMatchObject({ code: "POLICY_DENIED" });
  expect(asked).toEqual(["npm:one"]);
  expect([callsOf(ports), readdirSync(ports.home)]).toEqual([[], []]);
});

test("a dry run shows the commands, and neither asks nor changes anything [S-36]", async () => {
  const ports = installPorts({ clear: () => Promise.reject(new Error("asked")) });
  const plan = { skill: "a", specs: ["npm:one", "pip:six==1.17.0", "jq"] };
  const { results } = await installDependencies(plan, ports, { dryRun: true });
  const [npm, pip, jq] = results;
  expect(npm?.message).toMatch(/npm install --package-lock-only --ignore-scripts .* --prefix \S+ -- one$/);
  expect(pip?.message).toMatch(/-m pip install --dry-run .*--only-binary=:all: .* -- six==1\.17\.0$/);
  expect(jq).toMatchObject({ status: "manual", message: expect.stringContaining("apt-get install") });
  expect([callsOf(ports), readdirSync(ports.home)]).toEqual([[], []]);
});

test("sends events for the whole installation and for each item, in order [S-36]", async () => {
  const events: InstallEvent[] = [];
  const plan = { skill: "a", specs: ["npm:one", "npm:bad"] };
  await installDependencies(plan, installPorts(), { onProgress: (event) => events.push(event) });
  const error = "npm:bad: 404 Not Found - GET bad - Not found";
  expect(events).toEqual([
    { type: "skill.deps.installing", skill: "a", deps: ["npm:one", "npm:bad"] },
    { type: "skill.dep.item.installing", skill: "a", dep: "npm:one" },
    { type: "skill.dep.item.installing", skill: "a", dep: "npm:bad" },
    { type: "skill.dep.item.installed", skill: "a", dep: "npm:one", ok: true },
    { type: "skill.dep.item.installed", skill: "a", dep: "npm:bad", ok: false, error },
    { type: "skill.deps.installed", skill: "a", system: [], pip: [], npm: ["one"], errors: [error] },
  ]);
});

test("uses the pip of the sandbox's Python, installs only wheels, and passes only the needed variables [S-36]", async () => {
  const program = makeProgram("python3", FAKE_PYTHON);
  const folder = dirname(program);
  const findRuntime = runtimeInstead("python", () => ({ program, mounts: [] }));
  const base = installPorts({ findRuntime });
  const env = {
    ...base.host.env,
    PIP_INDEX_URL: "https://pip.example.org/",
    AWS_SECRET: "x",
    PYTHONPATH: "/x",
  };
  const ports = { ...base, host: { ...base.host, env } };
  const report = await installDependencies({ skill: "a", specs: ["pip:six", "uv:attrs==23.2.0"] }, ports);
  expect(statuses(report)).toEqual({ "pip:six": "ok", "pip:attrs==23.2.0": "ok" });
  const argv = (call: string) =>
    readFileSync(join(folder, `argv-${call}`), "utf8")
      .trim()
      .split("\n");
  expect(argv("--dry-run").slice(0, 5)).toEqual(["-I", "-m", "pip", "install", "--dry-run"]);
  expect(argv("--dry-run")).toContain("--only-binary=:all:");
  expect(argv("--dry-run").slice(-3)).toEqual(["--", "six", "attrs==23.2.0"]);
  expect(argv("--target")).toEqual(
    expect.arrayContaining(["--no-deps", "--require-hashes", "--only-binary=:all:"]),
  );
  const seen = readFileSync(join(folder, "env"), "utf8");
  expect(seen).toContain("PIP_INDEX_URL=https://pip.example.org/");
  expect(seen).not.toMatch(/AWS_SECRET|PYTHONPATH/);
  expect(/^HOME=(.*)$/m.exec(seen)?.[1]).not.toBe(base.host.env["HOME"]);
  const found = await findEnvironment(specsOf("pip:six", "pip:attrs==23.2.0"), ports);
  expect(found?.record.packages).toEqual(["pip:six==1.17.0"]);
});

test("without pip or npm, each item says what to install [S-36]", async () => {
  const program = makeProgram("python3", "echo 'python3: No module named pip' >&2; exit 1");
  const base = installPorts({ findRuntime: runtimeInstead("python", () => ({ program, mounts: [] })) });
  const ports = { ...base, host: { ...base.host, env: { PATH: makeFolder() } } };
  const { results } = await installDependencies(
    { skill: "a", specs: ["pip:six", "pip:attrs", "npm:one"] },
    ports,
  );
  const messages = results.map(({ status, message }) => `${status} ${message}`);
  expect(messages[0]).toMatch(/^failed pip:six: pip is missing/);
  expect(messages[1]).toMatch(/^failed pip:attrs: pip is missing/);
  expect(messages[2]).toMatch(/^failed npm:one: npm is missing/);
});

test("uses uv for the same Python when pip is missing [S-36]", async () => {
  const program = makeProgram("python3", "echo 'python3: No module named pip' >&2; exit 1");
  const lock = `six==1.17.0 --hash=sha256:${"0".repeat(64)}`;
  const uv = makeProgram(
    "uv",
    `printf '%s\\n' "$@" > "$(dirname "$0")/argv-$2"
    if [ "$2" = compile ]; then for last; do :; done; echo "${lock}" > "$last"; else mkdir -p "$4"; fi`,
  );
  const base = installPorts({ findRuntime: runtimeInstead("python", () => ({ program, mounts: [] })) });
  const ports = { ...base, host: { ...base.host, env: { PATH: `${dirname(uv)}:/usr/bin:/bin` } } };
  const report = await installDependencies({ skill: "a", specs: ["uv:six"] }, ports);
  expect(statuses(report)).toEqual({ "pip:six": "ok" });
  const argv = (call: string) =>
    readFileSync(join(dirname(uv), `argv-${call}`), "utf8")
      .trim()
      .split("\n");
  expect(argv("compile")).toEqual(expect.arrayContaining(["--generate-hashes", "--no-build", program]));
  expect(argv("install").slice(4)).toEqual(
    expect.arrayContaining(["--python", program, "--no-deps", "--require-hashes", "--no-build"]),
  );
});

test("an installation ends at its timeout or when canceled, and leaves no files [S-36]", async () => {
  const limits = withLimits({ dependencyInstallMs: 1000 });
  const late = installPorts({ limits });
  const report = await installDependencies({ skill: "a", specs: ["npm:slow"] }, late);
  expect(report.results[0]?.message).toContain("dependencyInstallMs");
  const ports = installPorts();
  const control = new AbortController();
  const marker = join(ports.host.env["HOME"] ?? "", "started");
  const untilStarted = () => expect.poll(() => existsSync(marker)).toBe(true);
  const onProgress = ({ type }: InstallEvent) => {
    if (type === "skill.dep.item.installing") void untilStarted().then(() => control.abort());
  };
  const options = { signal: control.signal, onProgress };
  const stopped = await installDependencies({ skill: "a", specs: ["npm:slow", "npm:one"] }, ports, options);
  expect(stopped.results.map(({ message }) => message)).toEqual([
    "npm:slow: the installation was canceled",
    "npm:one: the installation was canceled",
  ]);
  expect([readdirSync(late.home), readdirSync(ports.home)]).toEqual([[], []]);
});

test("two installations of one environment do the work once [S-36]", async () => {
  const ports = installPorts();
  const plan = { skill: "a", specs: ["npm:one"] };
  const reports = await Promise.all([1, 2, 3].map(() => installDependencies(plan, ports)));
  expect(reports.map((report) => statuses(report)["npm:one"]).sort()).toEqual(["ok", "skipped", "skipped"]);
  expect(new Set(reports.map(({ environment }) => environment)).size).toBe(1);
  expect(callsOf(ports)).toEqual(["one"]);
  expect(readdirSync(ports.home)).toHaveLength(2);
});

test("the global environment grows, keeps its packages, and serves skills without their own [S-36]", async () => {
  const ports = installPorts();
  const install = (...specs: readonly string[]) =>
    installDependencies({ skill: "a", scope: "global", specs }, ports);
  const [first] = await Promise.all([install("npm:one"), install("npm:two")]);
  expect(statuses(first)).toEqual({ "npm:one": "ok" });
  const found = await findEnvironment(specsOf("npm:zzz"), ports);
  expect(readdirSync(join(found?.folder ?? "", "node_modules"))).toEqual(["one", "two"]);
  const more = await install("npm:three", "npm:bad");
  expect(statuses(more)).toEqual({ "npm:three": "ok", "npm:bad": "failed" });
  const all = await findEnvironment([], ports);
  expect(readdirSync(join(all?.folder ?? "", "node_modules")).sort()).toEqual(["one", "three", "two"]);
  expect(statuses(await install("npm:three"))).toEqual({ "npm:three": "skipped" });
});

test("a failing new package does not remove packages of other skills [S-36]", async () => {
  const ports = installPorts();
  writeFileSync(join(ports.home, "global.txt"), "npm:bad-since\n");
  const plan = { skill: "a", scope: "global", specs: ["npm:one"] } as const;
  const report = await installDependencies(plan, ports);
  expect(report.results[0]).toMatchObject({
    status: "failed",
    message: expect.stringContaining("npm:bad-since"),
  });
  expect(readFileSync(join(ports.home, "global.txt"), "utf8")).toBe("npm:bad-since\n");
});

test("another interpreter version gets another environment [S-36]", async () => {
  const ports = installPorts();
  await installDependencies({ skill: "a", specs: ["npm:one"] }, ports);
  const node = await ports.findRuntime("node");
  const other = { ...ports, findRuntime: runtimeInstead("node", () => ({ ...node, version: "99.0.0" })) };
  expect(await findEnvironment(specsOf("npm:one"), other)).toBeUndefined();
});

test("removes files of an unfinished installation after a day [S-36]", async () => {
  const ports = installPorts();
  for (const name of [".stage-1-old", ".stage-1-new"]) mkdirSync(join(ports.home, name));
  utimesSync(join(ports.home, ".stage-1-old"), 1, 1);
  await installDependencies({ skill: "a", specs: ["npm:one"] }, ports);
  expect(readdirSync(ports.home).filter((name) => name.startsWith(".stage"))).toEqual([".stage-1-new"]);
});
