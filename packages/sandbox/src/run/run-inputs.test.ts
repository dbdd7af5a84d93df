import type { RunPorts } from "@skillhold/core/run";
import { memorySecrets } from "@skillhold/core/secret";
import { fixtureLibrary, skill } from "@skillhold/core/test/session/session.fixture";
import { expect, test } from "vitest";
import { fixtureRuns } from "./run.fixture.ts";
import { collectRunInputs, HOME } from "./run-inputs.ts";

async function inputs(yaml: string, ports: Partial<RunPorts>, agent?: string) {
  const library = fixtureLibrary([skill("demo", { yaml: `metadata: {openclaw: ${yaml}}` })]);
  const entry = await library.find({ runtime: "test" }, "demo");
  if (entry === undefined) throw new Error("the fixture has no skill");
  return await collectRunInputs(entry, agent, fixtureRuns(ports));
}

test("prefers the agent's own secret over the shared one, and that over the host's variable [S-33]", async () => {
  const secrets = memorySecrets();
  const env = (name: string) => `host-${name}`;
  const yaml = "{requires: {env: [KEY]}}";
  expect((await inputs(yaml, { secrets, env }, "ada")).values.get("KEY")).toBe("host-KEY");
  await secrets.set({ skill: "demo" }, "KEY", "for-all");
  expect((await inputs(yaml, { secrets, env }, "ada")).values.get("KEY")).toBe("for-all");
  await secrets.set({ skill: "demo", agent: "ada" }, "KEY", "for-ada");
  expect((await inputs(yaml, { secrets, env }, "ada")).values.get("KEY")).toBe("for-ada");
  expect((await inputs(yaml, { secrets, env }, "bob")).values.get("KEY")).toBe("for-all");
});

test("reads only declared variables, and none that change how programs load [S-29]", async () => {
  const asked: string[] = [];
  const env = (name: string) => {
    asked.push(name);
    return "x";
  };
  const { values } = await inputs("{primaryEnv: MAIN_KEY, requires: {env: [KEY, LD_PRELOAD, PATH]}}", {
    env,
  });
  expect([...values.keys()].sort()).toEqual(["KEY", "MAIN_KEY"]);
  expect(asked.sort()).toEqual(["KEY", "MAIN_KEY"]);
});

test("mounts a declared configuration file where programs look for it, never above the home folder [S-29]", async () => {
  const config = () => import.meta.filename;
  const yaml = "{requires: {config: ['~/.tool/rc', 'local.json', '/etc/tool.conf', '~/../../etc/x']}}";
  const { mounts } = await inputs(yaml, { config });
  expect(mounts.map(({ target, isWritable }) => [target, isWritable])).toEqual([
    [`${HOME}/.tool/rc`, false],
    [`${HOME}/local.json`, false],
    ["/etc/tool.conf", false],
    [`${HOME}/etc/x`, false],
  ]);
});

test("rejects a socket, a device or a folder as a configuration file [S-29]", async () => {
  for (const source of ["/dev/null", import.meta.dirname]) {
    const attempt = inputs("{requires: {config: ['x.json']}}", { config: () => source });
    await expect(attempt).rejects.toMatchObject({ code: "NOT_READY" });
  }
});

test("includes the mounts and network that the owner grants [S-28]", async () => {
  const mount = { source: "/data", target: "/mnt/data", isWritable: false };
  const grant = () => ({ network: "open" as const, mounts: [mount] });
  expect(await inputs("{}", { grant })).toMatchObject({ network: "open", mounts: [mount] });
  expect(await inputs("{}", {})).toMatchObject({ network: "none", mounts: [] });
});
