import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  FAKE_NPM,
  installPorts,
  makeFolder,
  makeProgram,
  need,
  removeFolders,
} from "./environment.fixture.ts";
import { readLink } from "./environment-link.ts";
import { environmentOf } from "./run-environment.ts";
import { installForSkill } from "./skill-install.ts";

afterEach(removeFolders);

const owner = { skill: "demo", needs: [need("npm", "one"), need("npm", "two"), need("system", "jq")] };
const packagesOf = (folder: string | undefined) =>
  ["one", "two", "three"].filter((name) => existsSync(join(folder ?? "", "node_modules", name)));

test("installs later packages beside earlier ones [S-36]", async () => {
  const ports = installPorts();
  const first = await installForSkill({ owner, specs: ["npm:one"] }, ports);
  expect(packagesOf(first.environment)).toEqual(["one"]);
  const second = await installForSkill({ owner, specs: ["npm:two"] }, ports);
  expect(second.results).toMatchObject([{ spec: "npm:two", status: "ok" }]);
  expect(packagesOf(second.environment)).toEqual(["one", "two"]);
  expect((await environmentOf(owner, ports))?.folder).toBe(second.environment);
});

test("two concurrent installations for a skill both take effect [S-36]", async () => {
  const ports = installPorts();
  const names = ["one", "two", "three"];
  await Promise.all(names.map((name) => installForSkill({ owner, specs: [`npm:${name}`] }, ports)));
  expect(packagesOf((await environmentOf(owner, ports))?.folder)).toEqual(names);
});

test("another version of a package replaces the earlier one [S-36]", async () => {
  const ports = installPorts();
  await installForSkill({ owner, specs: ["npm:one@1.0.0", "npm:two"] }, ports);
  await installForSkill({ owner, specs: ["npm:one@2.0.0"] }, ports);
  const link = await readLink(owner, ports);
  expect(link?.specs.map(({ text }) => text)).toEqual(["npm:two", "npm:one@2.0.0"]);
});

test("a failed package is not installed again with the next one, and installed packages stay in use [S-36]", async () => {
  const ports = installPorts();
  const { results, environment } = await installForSkill({ owner, specs: ["npm:one", "npm:bad"] }, ports);
  expect(results.map(({ status }) => status)).toEqual(["ok", "failed"]);
  expect((await environmentOf(owner, ports))?.folder).toBe(environment);
  const next = await installForSkill({ owner, specs: ["npm:two"] }, ports);
  expect(next.results).toMatchObject([{ spec: "npm:two", status: "ok" }]);
  expect(packagesOf(next.environment)).toEqual(["one", "two"]);
});

test("keeps the environment when an earlier package cannot be installed again [S-36]", async () => {
  const ports = installPorts();
  const { environment } = await installForSkill({ owner, specs: ["npm:one"] }, ports);
  const npm = `case "$1 $* " in install*" one "*) echo "npm error 404 one" >&2; exit 1;; esac\n${FAKE_NPM}`;
  const folder = makeFolder();
  makeProgram("npm", npm, folder);
  const env = { ...ports.host.env, PATH: `${folder}:/usr/bin:/bin` };
  const later = { ...ports, host: { ...ports.host, env } };
  const { results } = await installForSkill({ owner, specs: ["npm:two"] }, later);
  expect(results).toMatchObject([
    { status: "failed", message: expect.stringContaining("npm:one could not") },
  ]);
  expect((await environmentOf(owner, ports))?.folder).toBe(environment);
});

test("a dry run writes no link, and a skill with other needs has none [S-36]", async () => {
  const ports = installPorts();
  await installForSkill({ owner, specs: ["npm:one"] }, ports, { dryRun: true });
  expect(await readLink(owner, ports)).toBeUndefined();
  await installForSkill({ owner, specs: ["npm:one"] }, ports);
  expect(await readLink(owner, ports)).toBeDefined();
  expect(await readLink({ ...owner, skill: "other" }, ports)).toBeUndefined();
  expect(await readLink({ ...owner, needs: [...owner.needs, need("pip", "x")] }, ports)).toBeUndefined();
  expect(await readLink({ ...owner, needs: owner.needs.toReversed() }, ports)).toBeDefined();
});

test("a global installation replaces the skill's own environment [S-36]", async () => {
  const ports = installPorts();
  await installForSkill({ owner, specs: ["npm:one"] }, ports);
  const { environment } = await installForSkill({ owner, specs: ["npm:two"], scope: "global" }, ports);
  expect(packagesOf(environment)).toEqual(["one", "two"]);
  expect((await environmentOf(owner, ports))?.folder).toBe(environment);
  expect((await environmentOf({ skill: "other", needs: [] }, ports))?.folder).toBe(environment);
});

test("ignores a link to a missing folder [S-36]", async () => {
  const ports = installPorts();
  const { environment = "" } = await installForSkill({ owner, specs: ["npm:one"] }, ports);
  expect((await readLink(owner, ports))?.folder).toBe(basename(environment));
  rmSync(environment, { recursive: true });
  expect(await environmentOf(owner, ports)).toBeUndefined();
});
