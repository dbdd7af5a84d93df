import type { RunPorts } from "@skillhold/core/run";
import { memorySecrets } from "@skillhold/core/secret";
import { fixtureLibrary, skill } from "@skillhold/core/test/session/session.fixture";
import { expect, test } from "vitest";
import { fixtureRuns } from "./run.fixture.ts";
import { collectSupply, HOME } from "./supply.ts";

async function supply(yaml: string, ports: Partial<RunPorts>, agent?: string) {
  const library = fixtureLibrary([skill("demo", { yaml: `metadata: {openclaw: ${yaml}}` })]);
  const entry = await library.find({ runtime: "test" }, "demo");
  if (entry === undefined) throw new Error("the fixture has no skill");
  return await collectSupply(entry, agent, fixtureRuns(ports));
}

test("the agent's own secret counts before the one for all, and that before the host's variable [S-33]", async () => {
  const secrets = memorySecrets();
  const env = (name: string) => `host-${name}`;
  const yaml = "{requires: {env: [KEY]}}";
  expect((await supply(yaml, { secrets, env }, "ada")).values.get("KEY")).toBe("host-KEY");
  await secrets.set({ skill: "demo" }, "KEY", "for-all");
  expect((await supply(yaml, { secrets, env }, "ada")).values.get("KEY")).toBe("for-all");
  await secrets.set({ skill: "demo", agent: "ada" }, "KEY", "for-ada");
  expect((await supply(yaml, { secrets, env }, "ada")).values.get("KEY")).toBe("for-ada");
  expect((await supply(yaml, { secrets, env }, "bob")).values.get("KEY")).toBe("for-all");
});

test("only declared names are asked for, and none that programs act on [S-29]", async () => {
  const asked: string[] = [];
  const env = (name: string) => {
    asked.push(name);
    return "x";
  };
  const { values } = await supply("{primaryEnv: MAIN_KEY, requires: {env: [KEY, LD_PRELOAD, PATH]}}", {
    env,
  });
  expect([...values.keys()].sort()).toEqual(["KEY", "MAIN_KEY"]);
  expect(asked.sort()).toEqual(["KEY", "MAIN_KEY"]);
});

test("a declared configuration file is mounted where a program looks for it, and nowhere above [S-29]", async () => {
  const config = () => import.meta.filename;
  const yaml = "{requires: {config: ['~/.tool/rc', 'local.json', '/etc/tool.conf', '~/../../etc/x']}}";
  const { mounts } = await supply(yaml, { config });
  expect(mounts.map(({ target, isWritable }) => [target, isWritable])).toEqual([
    [`${HOME}/.tool/rc`, false],
    [`${HOME}/local.json`, false],
    ["/etc/tool.conf", false],
    [`${HOME}/etc/x`, false],
  ]);
});

test("a socket, a device or a folder is no configuration file [S-29]", async () => {
  for (const source of ["/dev/null", import.meta.dirname]) {
    const attempt = supply("{requires: {config: ['x.json']}}", { config: () => source });
    await expect(attempt).rejects.toMatchObject({ code: "NOT_READY" });
  }
});

test("what the owner of the machine grants comes along [S-28]", async () => {
  const mount = { source: "/data", target: "/mnt/data", isWritable: false };
  const grant = () => ({ network: "open" as const, mounts: [mount] });
  expect(await supply("{}", { grant })).toMatchObject({ network: "open", mounts: [mount] });
  expect(await supply("{}", {})).toMatchObject({ network: "none", mounts: [] });
});
