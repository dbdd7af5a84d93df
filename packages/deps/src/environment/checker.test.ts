import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IndexCache } from "@skillhold/core/library";
import type { Sandbox } from "@skillhold/core/run";
import type { Need } from "@skillhold/core/test/dependency/need";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { unconfined } from "@skillhold/sandbox/test/backend/unconfined";
import { afterEach, expect, test } from "vitest";
import { type CheckPorts, type CheckRequest, checkDependencies } from "./checker.ts";
import {
  checkPorts,
  fakeRuntime,
  makeFolder,
  need,
  removeFolders,
  runtimeInstead,
  sandbox,
} from "./environment.fixture.ts";

afterEach(removeFolders);

const skill = (needs: readonly Need[], files = {}): CheckRequest => ({
  id: "a",
  folder: makeFolder(files),
  needs,
});

async function answersOf(request: CheckRequest, ports: CheckPorts = checkPorts()) {
  const [result] = await checkDependencies([request], ports);
  return Object.fromEntries(result?.checks.map(({ need: { name }, answer }) => [name, answer]) ?? []);
}

test("modules and packages that are there are told from those that are not [S-35]", async () => {
  const needs = [
    ...[need("pip", "json"), need("pip", "zzz-not-there", "zzz_not_there"), need("pip", "xml.etree")],
    ...[need("npm", "node:fs"), need("npm", "path"), need("npm", "zzz-not-there-either")],
    ...[
      need("system", "sh"),
      need("system", "zzz-no-program"),
      need("runtime", "python3"),
      need("runtime", "node"),
    ],
  ];
  expect(await answersOf(skill(needs))).toEqual({
    json: "ok",
    "zzz-not-there": "missing",
    "xml.etree": "ok",
    "node:fs": "ok",
    path: "ok",
    "zzz-not-there-either": "missing",
    sh: "ok",
    "zzz-no-program": "missing",
    python3: "ok",
    node: "ok",
  });
});

test("a bad name is missing by itself and poisons no other [S-35]", async () => {
  const bad = [
    "psycopg2-binary",
    "",
    ".",
    "..",
    "a b",
    "a\0b",
    "import os",
    "1x",
    "é",
    "../..",
    "a/b/../..",
    "x".repeat(5000),
  ];
  const needs = (["pip", "npm"] as const).flatMap((kind) => bad.map((name) => need(kind, name)));
  const good = [need("pip", "json"), need("npm", "fs")];
  const [result] = await checkDependencies([skill([...needs, ...good])], checkPorts());
  expect(result?.checks.map(({ answer }) => answer)).toEqual([...needs.map(() => "missing"), "ok", "ok"]);
});

test("a module beside the script counts, at any depth and in _shared, and nothing of it is run [S-35]", async () => {
  const trap = "open('ran', 'w'); raise SystemExit(1)";
  const needs: Need[] = [
    ...["yaml", "helper", "shared_one", "folder", "deep"].map((name) => need("pip", name)),
    { ...need("pip", "below"), seen: [{ file: "lib/inner/run.py" }] },
    ...["vendored", "esm-only", "@scope/pack", "itself"].map((name) => need("npm", name)),
  ];
  const files = {
    "scripts/yaml.py": trap,
    "scripts/helper/__init__.py": trap,
    "_shared/shared_one.py": trap,
    "scripts/folder/part.py": trap,
    "scripts/deep/more/part.py": trap,
    "lib/below.py": trap,
    // They would be imported by the check itself, were the skill on its path.
    "scripts/email.py": trap,
    "scripts/zipfile.py": trap,
    "package.json": '{ "name": "itself" }',
    "scripts/node_modules/vendored/index.js": "throw 1",
    "node_modules/esm-only/package.json": '{ "exports": { "import": "./x.mjs" } }',
    "node_modules/@scope/pack/package.json": "this is no JSON",
  };
  const answers = await answersOf(skill(needs, files));
  expect(answers).toEqual(Object.fromEntries(needs.map(({ name }) => [name, "ok"])));
});

test("a folder without code, and a namespace without the part that is needed, are no packages [S-35]", async () => {
  const environment = makeFolder({
    "site/google/cloud/vision/__init__.py": "",
    "site/solo-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: solo\nVersion: 1.0\n",
  });
  const needs = [
    need("pip", "pandas"),
    need("pip", "google-cloud-vision", "google"),
    need("pip", "google-cloud-speech", "google"),
    need("pip", "google"),
    need("pip", "Solo", "another_name"),
  ];
  const request = { ...skill(needs, { "scripts/pandas/data.csv": "1" }), environment };
  expect(await answersOf(request)).toEqual({
    pandas: "missing",
    "google-cloud-vision": "ok",
    "google-cloud-speech": "missing",
    google: "ok",
    Solo: "ok",
  });
});

test("each skill has its own environment and folder, in one process a language [S-35]", async () => {
  const environment = makeFolder({
    "site/only_one.py": "",
    "node_modules/only-one/package.json": "{}",
    "node_modules/.bin/only-tool": "",
  });
  chmodSync(join(environment, "node_modules/.bin/only-tool"), 0o755);
  const needs = [need("pip", "only_one"), need("npm", "only-one"), need("system", "only-tool")];
  const started: string[] = [];
  const counting: Sandbox = {
    ...sandbox,
    id: sandbox.id,
    probe: () => sandbox.probe(),
    start: (spec) => {
      started.push(spec.network.toString());
      return sandbox.start(spec);
    },
  };
  const requests = [
    { ...skill(needs), environment },
    skill(needs),
    { ...skill(needs), folder: "/nowhere/at/all" },
  ];
  const results = await checkDependencies(requests, checkPorts({ sandbox: counting }));
  expect(results.map(({ checks }) => checks.map(({ answer }) => answer))).toEqual([
    ["ok", "ok", "ok"],
    ["missing", "missing", "missing"],
    ["unknown", "unknown", "missing"],
  ]);
  expect(started).toEqual(["none", "none"]);
});

test("a module of one skill is none of another's [S-35]", async () => {
  const needs = [need("pip", "mine"), need("npm", "mine")];
  const files = { "scripts/mine.py": "", "node_modules/mine/package.json": "{}" };
  const results = await checkDependencies(
    [skill(needs, files), skill(needs), skill(needs, files)],
    checkPorts(),
  );
  const answers = results.map(({ checks }) => checks.map(({ answer }) => answer).join());
  expect(answers).toEqual(["ok,ok", "missing,missing", "ok,ok"]);
});

test("200 skills with 500 names are checked at once [S-35]", async () => {
  const requests = Array.from({ length: 200 }, (_, at) => ({
    ...skill(
      [
        need("pip", `own_${at}`),
        ...Array.from({ length: at === 0 ? 500 : 2 }, (_none, n) =>
          need(n % 2 ? "pip" : "npm", `zzz-${at}-${n}`),
        ),
      ],
      { [`scripts/own_${at}.py`]: "" },
    ),
    id: String(at),
  }));
  const results = await checkDependencies(
    requests,
    checkPorts({ limits: withLimits({ dependencyCheckMs: 60_000 }) }),
  );
  const answers = results.map(({ checks }) => checks.map(({ answer }) => answer));
  expect(new Set(answers.map(([first]) => first))).toEqual(new Set(["ok"]));
  expect(new Set(answers.flatMap(([, ...rest]) => rest))).toEqual(new Set(["missing"]));
  expect(results.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
});

test.each([
  ["hangs", "sleep 60", /no answer within 300 ms/],
  ["crashes", "kill -9 $$", /failed with 137/],
  ["talks nonsense", 'echo hello; echo \'{"group":0,"found":"2"}\'; exit 0', /no answer/],
])(
  "an interpreter that %s leaves its names unknown, and the other language checked [S-35]",
  async (_, text, reason) => {
    const runtime = fakeRuntime(text);
    const ports = checkPorts({
      findRuntime: runtimeInstead("python", () => runtime),
      limits: withLimits({ dependencyCheckMs: text.startsWith("sleep") ? 300 : 45_000 }),
    });
    const slow = text.startsWith("sleep");
    const [result] = await checkDependencies(
      [skill([need("pip", "json"), ...(slow ? [] : [need("npm", "fs")])])],
      ports,
    );
    expect(result?.checks[0]).toMatchObject({ answer: "unknown", reason: expect.stringMatching(reason) });
    if (!slow) expect(result?.checks[1]?.answer).toBe("ok");
  },
);

test("what was answered before an interpreter failed counts [S-35]", async () => {
  const runtime = fakeRuntime(`echo '{"group":0,"found":"1"}'; exit 3`);
  const ports = checkPorts({ findRuntime: runtimeInstead("python", () => runtime) });
  const results = await checkDependencies([skill([need("pip", "x")]), skill([need("pip", "y")])], ports);
  expect(results.map(({ checks }) => checks[0]?.answer)).toEqual(["ok", "unknown"]);
});

test("without an interpreter or a sandbox nothing is called missing but the interpreter [S-35]", async () => {
  const request = skill([need("pip", "json"), need("runtime", "python3")]);
  const noPython = checkPorts({
    findRuntime: runtimeInstead("python", () =>
      Promise.reject(new SkillError("NOT_READY", "There is no python3.")),
    ),
  });
  expect(await answersOf(request, noPython)).toEqual({ json: "unknown", python3: "missing" });
  const start = () => Promise.reject(new SkillError("SANDBOX_UNAVAILABLE", "There is none."));
  const noSandbox = checkPorts({ sandbox: { id: "bubblewrap", probe: () => sandbox.probe(), start } });
  expect(await answersOf(request, noSandbox)).toEqual({ json: "unknown", python3: "ok" });
});

test("where there is no sandbox by choice, the same answers come from the host [S-35]", async () => {
  const request = skill([need("pip", "mine"), need("npm", "zzz-none")], { "scripts/mine.py": "" });
  expect(await answersOf(request, checkPorts({ sandbox: unconfined() }))).toEqual({
    mine: "ok",
    "zzz-none": "missing",
  });
});

test("answers are kept for a content until its environment changes, and what is unknown is not [S-35]", async () => {
  const kept = new Map<string, Uint8Array>();
  const cache: IndexCache = { load: (key) => kept.get(key), save: (key, bytes) => void kept.set(key, bytes) };
  const environment = makeFolder();
  const request = { ...skill([need("pip", "later")]), environment, content: "sha256:1" };
  let starts = 0;
  const counting: Sandbox = {
    id: "bubblewrap",
    probe: () => sandbox.probe(),
    start: (spec) => {
      starts += 1;
      return sandbox.start(spec);
    },
  };
  const check = async (with_: Partial<CheckRequest> = {}) => [
    (await answersOf({ ...request, ...with_ }, checkPorts({ sandbox: counting, cache })))["later"],
    starts,
  ];
  expect(await check()).toEqual(["missing", 1]);
  expect(await check()).toEqual(["missing", 1]);
  expect(await check({ content: "sha256:2" })).toEqual(["missing", 2]);
  mkdirSync(join(environment, "site"));
  writeFileSync(join(environment, "site", "later.py"), "");
  utimesSync(environment, 1, 1);
  expect(await check()).toEqual(["ok", 3]);
  expect(await check()).toEqual(["ok", 3]);
  for (const key of kept.keys()) kept.set(key, Buffer.from("damaged"));
  expect(await check()).toEqual(["ok", 4]);
});

test("unknown answers are not kept [S-35]", async () => {
  const saved: string[] = [];
  const cache: IndexCache = { load: () => undefined, save: (key) => void saved.push(key) };
  const runtime = fakeRuntime("exit 1");
  const request = { ...skill([need("pip", "x")]), content: "sha256:1" };
  await answersOf(request, checkPorts({ cache, findRuntime: runtimeInstead("python", () => runtime) }));
  expect(saved).toEqual([]);
});

test("a check that is called off says so [S-35]", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(checkDependencies([skill([need("pip", "json")])], checkPorts({ signal }))).rejects.toThrow(
    "enough",
  );
});
