import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { installPorts, makeFolder, makeProgram, need, removeFolders } from "./environment.fixture.ts";
import { readLink } from "./environment-link.ts";
import { environmentOf } from "./run-environment.ts";
import { installForSkill } from "./skill-install.ts";

afterEach(removeFolders);

const owner = { skill: "demo", needs: [need("npm", "one"), need("npm", "two"), need("system", "jq")] };
const packagesOf = (folder: string | undefined) =>
  ["one", "two", "three"].filter((name) => existsSync(join(folder ?? "", "node_modules", name)));

test("what is installed later lies beside what was installed before [S-36]", async () => {
  const ports = installPorts();
  const first = await installForSkill({ owner, specs: ["npm:one"] }, ports);
  expect(packagesOf(first.environment)).toEqual(["one"]);
  const second = await installForSkill({ owner, specs: ["npm:two"] }, ports);
  expect(second.results).toMatchObject([{ spec: "npm:two", status: "ok" }]);
  expect(packagesOf(second.environment)).toEqual(["one", "two"]);
  expect((await environmentOf(owner, ports))?.folder).toBe(second.environment);
});

test("of two installations for a skill at a time neither is lost [S-36]", async () => {
  const ports = installPorts();
  const names = ["one", "two", "three"];
  await Promise.all(names.map((name) => installForSkill({ owner, specs: [`npm:${name}`] }, ports)));
  expect(packagesOf((await environmentOf(owner, ports))?.folder)).toEqual(names);
});

test("another version of a package takes the place of the one before [S-36]", async () => {
  const ports = installPorts();
  await installForSkill({ owner, specs: ["npm:one@1.0.0", "npm:two"] }, ports);
  await installForSkill({ owner, specs: ["npm:one@2.0.0"] }, ports);
  const link = await readLink(owner, ports);
  expect(link?.specs.map(({ text }) => text)).toEqual(["npm:two", "npm:one@2.0.0"]);
});

test("what fails is not asked for again with the next, and what was installed is used [S-36]", async () => {
  const ports = installPorts();
  const { results, environment } = await installForSkill({ owner, specs: ["npm:one", "npm:bad"] }, ports);
  expect(results.map(({ status }) => status)).toEqual(["ok", "failed"]);
  expect((await environmentOf(owner, ports))?.folder).toBe(environment);
  const next = await installForSkill({ owner, specs: ["npm:two"] }, ports);
  expect(next.results).toMatchObject([{ spec: "npm:two", status: "ok" }]);
  expect(packagesOf(next.environment)).toEqual(["one", "two"]);
});

test("what cannot be installed again keeps the environment that has it [S-36]", async () => {
  const ports = installPorts();
  const { environment } = await installForSkill({ owner, specs: ["npm:one"] }, ports);
  const npm = `while [ "$1" != -- ]; do shift; done; case "$*" in *one*) echo "npm error 404 one" >&2; exit 1;; esac`;
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

test("a dry run leaves no link, and a skill that needs something else has none [S-36]", async () => {
  const ports = installPorts();
  await installForSkill({ owner, specs: ["npm:one"] }, ports, { dryRun: true });
  expect(await readLink(owner, ports)).toBeUndefined();
  await installForSkill({ owner, specs: ["npm:one"] }, ports);
  expect(await readLink(owner, ports)).toBeDefined();
  expect(await readLink({ ...owner, skill: "other" }, ports)).toBeUndefined();
  expect(await readLink({ ...owner, needs: [...owner.needs, need("pip", "x")] }, ports)).toBeUndefined();
  expect(await readLink({ ...owner, needs: owner.needs.toReversed() }, ports)).toBeDefined();
});

test("what is installed for all skills is found in place of a skill's own [S-36]", async () => {
  const ports = installPorts();
  await installForSkill({ owner, specs: ["npm:one"] }, ports);
  const { environment } = await installForSkill({ owner, specs: ["npm:two"], scope: "global" }, ports);
  expect(packagesOf(environment)).toEqual(["one", "two"]);
  expect((await environmentOf(owner, ports))?.folder).toBe(environment);
  expect((await environmentOf({ skill: "other", needs: [] }, ports))?.folder).toBe(environment);
});

test("a link that leads nowhere is none [S-36]", async () => {
  const ports = installPorts();
  const { environment = "" } = await installForSkill({ owner, specs: ["npm:one"] }, ports);
  expect((await readLink(owner, ports))?.folder).toBe(basename(environment));
  rmSync(environment, { recursive: true });
  expect(await environmentOf(owner, ports)).toBeUndefined();
});
