import { cpSync } from "node:fs";
import { join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { findRuntime } from "@skillhold/sandbox/test/backend/runtime";
import { supervise } from "@skillhold/sandbox/test/backend/supervise";
import { runLimits } from "@skillhold/sandbox/test/run/run-limits";
import { afterEach, expect, test } from "vitest";
import { checkDependencies } from "./checker.ts";
import { checkPorts, installPorts, makeFolder, need, removeFolders, sandbox } from "./environment.fixture.ts";
import { environmentKey } from "./environment-folder.ts";
import { writeEnvironmentRecord } from "./environment-record.ts";
import { findTarget } from "./install-tool.ts";
import { type InstallPorts, installDependencies } from "./installer.ts";
import { findEnvironment, type SkillEnvironment } from "./skill-environment.ts";
import { readSpec } from "./spec.ts";

afterEach(removeFolders);

/** A package without dependencies that has not changed for years. */
const PACKAGE = "is-number@7.0.0";
const ABSENT = "zzz-skillhold-not-a-package";

const realPorts = (): InstallPorts => {
  const ports = installPorts();
  return { ...ports, sandbox, host: { ...ports.host, env: process.env } };
};

test("installs a real package for a skill, and its scripts import it in the sandbox [S-36]", async () => {
  const ports = realPorts();
  const skill = makeFolder({
    "scripts/a.mjs": 'import isNumber from "is-number"; console.log("esm", isNumber("7"));',
    "scripts/b.cjs": 'console.log("cjs", require("is-number")("x"));',
  });
  const request = { id: "a", folder: skill, needs: [need("npm", "is-number")] };
  const before = await checkDependencies([request], checkPorts());
  expect(before[0]?.checks[0]?.answer).toBe("missing");

  const report = await installDependencies({ skill: "a", specs: [`npm:${PACKAGE}`] }, ports);
  rejectUnreachable(report.results);
  expect(report.results).toMatchObject([{ spec: `npm:${PACKAGE}`, status: "ok", message: "" }]);
  const spec = readSpec(`npm:${PACKAGE}`);
  if (typeof spec === "string") throw new Error(spec);
  const environment = await findEnvironment([spec], ports);
  if (environment === undefined) throw new Error("There is no environment.");
  expect(environment.record.packages).toEqual([`npm:${PACKAGE}`]);
  const after = await checkDependencies([{ ...request, environment: environment.folder }], checkPorts());
  expect(after[0]?.checks[0]?.answer).toBe("ok");
  expect(await run(skill, "scripts/a.mjs", environment)).toMatchObject({ code: 0, stdout: "esm true\n" });
  expect(await run(skill, "scripts/b.cjs", environment)).toMatchObject({ code: 0, stdout: "cjs false\n" });
});

test("a package that does not exist fails by name, and another one is installed [S-36]", async () => {
  const specs = [`npm:${PACKAGE}`, `npm:${ABSENT}`];
  const { results } = await installDependencies({ skill: "a", specs }, realPorts());
  rejectUnreachable(results);
  expect(results).toMatchObject([
    { spec: specs[0], status: "ok" },
    { spec: specs[1], status: "failed", message: expect.stringContaining(ABSENT) },
  ]);
  expect(results[1]?.message).toMatch(/404|not found/i);
});

test("Python imports modules of an environment in the sandbox, including namespace packages [S-36]", async () => {
  const ports = realPorts();
  const folder = makeFolder({ "site/mine.py": "said = 'py'", "site/space/part.py": "said = 'part'" });
  const skill = makeFolder({ "scripts/a.py": "import mine, space.part\nprint(mine.said, space.part.said)" });
  const home = join(ports.home, environmentKey([], await findTarget(findRuntime)));
  cpSync(folder, home, { recursive: true });
  await writeEnvironmentRecord(home, { specs: [], failed: [] });
  const environment = await findEnvironment([], ports);
  if (environment === undefined) throw new Error("There is no environment.");
  expect(await run(skill, "scripts/a.py", environment)).toMatchObject({ code: 0, stdout: "py part\n" });
});

/** An unreachable registry is reported as such, because it does not show a defect. */
function rejectUnreachable(results: readonly { readonly message: string }[]): void {
  const found = results.find(({ message }) =>
    /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|CERT|ENETUNREACH/i.test(message),
  );
  if (found !== undefined) throw new Error(`The npm registry cannot be reached from here: ${found.message}`);
}

async function run(skill: string, script: string, environment: SkillEnvironment) {
  const runtime = await findRuntime(script.endsWith(".py") ? "python" : "node");
  const limits = runLimits("user", defaultLimits);
  const process = await sandbox.start({
    skill,
    mounts: [],
    runtimes: [...runtime.mounts, ...environment.mounts],
    network: "none",
    limits,
    hasChannel: false,
    command: (paths) => ({
      argv: [paths.of(runtime.program), join(paths.skill, script)],
      env: environment.env(paths),
    }),
  });
  try {
    const { code, stdout, stderr } = await supervise(process, limits);
    return { code, stdout, stderr };
  } finally {
    await process.dispose();
  }
}
