import { makeFolder, removeFolders } from "@skillhold/deps/test/environment/environment.fixture";
import { Progress } from "@skillhold/gateway";
import { toggleSkill } from "@skillhold/registry/access";
import { rollback } from "@skillhold/registry/release";
import { afterEach, describe, expect, test } from "vitest";
import { closedSandbox, dependencyPorts, listenTo, publishImports } from "./dependency.fixture.ts";
import { openFolderGateway } from "./folder.fixture.ts";
import {
  answerOf,
  ask,
  type Changed,
  openTestGateway,
  problemOf,
  type TestGateway,
} from "./gateway.fixture.ts";
import { putFiles } from "./session.fixture.ts";

const MISSING = "zzz-skillhold-missing";
const opened: TestGateway[] = [];

afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close();
  removeFolders();
});

async function open(change: Changed = {}) {
  const progress = new Progress();
  const heard = listenTo(progress);
  const gateway = await openTestGateway({ dependencies: dependencyPorts(), progress, ...change });
  opened.push(gateway);
  return {
    gateway,
    heard,
    missing: async (id: string) => (await gateway.registry.store.findSkill(id))?.missing,
  };
}

describe("in the background", () => {
  test("serves requests before the dependency check, and stores results before publishing them [S-39] [S-54]", async () => {
    const url = `sqlite:${makeFolder()}/registry.db`;
    const before = await openTestGateway({ url });
    await publishImports("lacks", [MISSING], before.registry);
    await publishImports("whole", ["node:fs"], before.registry);
    await before.close();

    const closed = closedSandbox();
    const { gateway, heard, missing } = await open({
      url,
      dependencies: dependencyPorts({ sandbox: closed.sandbox }),
    });
    await heard.until((events) => events.length === 2);
    expect((await ask(gateway, "GET", "/healthz")).status).toBe(200);
    const headers = await gateway.asRole("admin");
    expect((await ask(gateway, "GET", "/v1/status", { headers })).status).toBe(200);
    expect(heard.events.map(({ type }) => type)).toEqual(["skill.deps.checking", "skill.deps.checking"]);

    const kept: unknown[] = [];
    gateway.context.progress.listen(
      (event) => event.type === "skill.deps.checked" && kept.push(missing(event.slug)),
    );
    closed.open();
    await heard.untilChecked("whole");
    expect(heard.events.slice(2)).toEqual([
      { type: "skill.deps.checked", slug: "lacks", ok: false, missing: [`npm:${MISSING}`] },
      { type: "skill.deps.checked", slug: "whole", ok: true, missing: [] },
    ]);
    expect(await Promise.all(kept)).toEqual([[`npm:${MISSING}`], []]);
  });

  test("checks skills that another process publishes or rolls back [S-39] [S-55]", async () => {
    const url = `sqlite:${makeFolder()}/registry.db`;
    const other = await openTestGateway({ url });
    opened.push(other);
    const { heard, missing } = await open({ url });
    await publishImports("skill", [MISSING], other.registry);
    await heard.untilChecked("skill");
    expect(await missing("skill")).toEqual([`npm:${MISSING}`]);
    await publishImports("skill", [], other.registry);
    await heard.untilChecked("skill", 2);
    expect(await missing("skill")).toEqual([]);
    await rollback("skill", 1, { by: { user: "ann", role: "publisher" } }, other.registry);
    await heard.untilChecked("skill", 3);
    expect(await missing("skill")).toEqual([`npm:${MISSING}`]);
  });

  test("a published skill with missing dependencies stays active, and a bundled one is archived [S-38]", async () => {
    const { gateway, heard } = await open();
    const { store } = gateway.registry;
    await publishImports("mine", [MISSING], gateway.registry);
    await publishImports("bundled", [MISSING], gateway.registry, { by: { user: "system", role: "system" } });
    await heard.untilChecked("bundled");
    await heard.untilChecked("mine");
    expect(await store.findSkill("mine")).toMatchObject({ status: "active", missing: [`npm:${MISSING}`] });
    expect(await store.findSkill("bundled")).toMatchObject({ status: "archived", reason: "deps" });
    const headers = await gateway.asRole("admin");
    const body = { skill: "bundled", dep: `npm:${MISSING}` };
    await answerOf(
      "installDependency",
      await ask(gateway, "POST", "/v1/skills/install-dep", { headers, body }),
    );
    expect(await store.findSkill("bundled")).toMatchObject({ status: "active", missing: [] });
  });

  test("a check without a result does not change the record [S-35] [S-38]", async () => {
    const url = `sqlite:${makeFolder()}/registry.db`;
    const first = await open({ url });
    await publishImports("skill", [MISSING], first.gateway.registry);
    await first.heard.untilChecked("skill");
    const start = () => Promise.reject(new TypeError("no sandbox today"));
    const dependencies = dependencyPorts();
    const sandbox = { id: dependencies.sandbox.id, probe: () => dependencies.sandbox.probe(), start };
    const { gateway, heard, missing } = await open({ url, dependencies: { ...dependencies, sandbox } });
    await heard.untilChecked("skill");
    expect(heard.events.at(-1)).toMatchObject({ ok: false, missing: [`npm:${MISSING}`] });
    expect(await missing("skill")).toEqual([`npm:${MISSING}`]);
    const headers = await gateway.asRole("admin");
    const response = await ask(gateway, "POST", "/v1/skills/rescan-deps", { headers });
    const { skills } = await answerOf("rescanDependencies", response);
    expect(skills).toEqual([
      {
        skill: "skill",
        ok: false,
        missing: [`npm:${MISSING}`],
        error: expect.stringContaining("no sandbox"),
      },
    ]);
  });

  test("checks a disabled skill only when it is enabled [S-39] [S-44]", async () => {
    const { gateway, heard } = await open();
    const by = { by: { user: "ann", role: "publisher" } } as const;
    await publishImports("off", [MISSING], gateway.registry);
    await heard.untilChecked("off");
    await toggleSkill("off", false, by, gateway.registry);
    const headers = await gateway.asRole("admin");
    const response = await ask(gateway, "POST", "/v1/skills/rescan-deps", { headers });
    expect((await answerOf("rescanDependencies", response)).skills).toEqual([]);
    await toggleSkill("off", true, by, gateway.registry);
    await heard.untilChecked("off", 2);
  });
});

describe("rescan-deps", () => {
  test("runs one rescan for concurrent requests [S-53]", async () => {
    const closed = closedSandbox();
    const { gateway, heard } = await open({ dependencies: dependencyPorts({ sandbox: closed.sandbox }) });
    const headers = await gateway.asRole("admin");
    const rescan = async () =>
      await answerOf("rescanDependencies", await ask(gateway, "POST", "/v1/skills/rescan-deps", { headers }));
    await publishImports("skill", [MISSING], gateway.registry);
    await closed.tried;
    const starts = closed.starts();
    const asked = [rescan(), rescan(), rescan()];
    closed.open();
    const answers = await Promise.all(asked);
    for (const { skills } of answers)
      expect(skills).toEqual([{ skill: "skill", ok: false, missing: [`npm:${MISSING}`] }]);
    // One rescan ran before the requests, and one for all three.
    expect(heard.events.filter(({ type }) => type === "skill.deps.checking")).toHaveLength(2);
    expect(closed.starts()).toBe(2 * starts);
  });

  test("returns only skills that the publisher sees or manages [S-43] [S-53]", async () => {
    const { gateway } = await open();
    await publishImports("anns", [MISSING], gateway.registry);
    await publishImports("bobs", [MISSING], gateway.registry, { by: { user: "bob", role: "publisher" } });
    const rescan = async (headers: Readonly<Record<string, string>>) =>
      await ask(gateway, "POST", "/v1/skills/rescan-deps", { headers });
    const seen = async (role: "admin" | "publisher", user: string) => {
      const response = await rescan(await gateway.asRole(role, user));
      return (await answerOf("rescanDependencies", response)).skills.map(({ skill }) => skill);
    };
    expect(await seen("publisher", "ann")).toEqual(["anns"]);
    expect(await seen("publisher", "cid")).toEqual([]);
    expect(await seen("admin", "root")).toEqual(["anns", "bobs"]);
    for (const role of ["viewer", "agent"] as const)
      expect((await rescan(await gateway.asRole(role))).status).toBe(403);
  });
});

describe("the dependencies of a skill", () => {
  test("lists dependencies by id and UUID with install specs [S-34] [S-53]", async () => {
    const { gateway } = await open();
    await publishImports("skill", [MISSING], gateway.registry);
    const uid = (await gateway.registry.store.findSkill("skill"))?.uid;
    const headers = await gateway.asRole("publisher", "ann");
    for (const key of ["skill", uid]) {
      const response = await ask(gateway, "GET", `/v1/skills/${key}/dependencies`, { headers });
      expect(await answerOf("getDependencies", response)).toMatchObject({
        skill: "skill",
        state: { state: "missing", missing: [`npm:${MISSING}`] },
        needs: [
          {
            name: MISSING,
            kind: "npm",
            status: "missing",
            install: `npm:${MISSING}`,
            seen: [{ file: "scripts/a.mjs", line: 1 }],
          },
          { name: "node", kind: "runtime", status: "ok" },
        ],
      });
    }
    const admin = await gateway.asRole("admin");
    const shown = await ask(gateway, "GET", "/v1/skills/skill/dependencies", { headers: admin });
    expect((await answerOf("getDependencies", shown)).needs).toHaveLength(2);
  });

  test("gives the error of a missing skill when the skill is hidden [S-43]", async () => {
    const { gateway } = await open();
    await publishImports("secret", [MISSING], gateway.registry);
    const uid = (await gateway.registry.store.findSkill("secret"))?.uid ?? "";
    const headers = await gateway.asRole("publisher", "bob");
    const refused = async (key: string) => {
      const response = await ask(gateway, "GET", `/v1/skills/${key}/dependencies`, { headers });
      return JSON.stringify(await problemOf(response)).replaceAll(key, "<key>");
    };
    const absent = await refused("nothing");
    expect(absent).toContain("SKILL_NOT_FOUND");
    expect([await refused("secret"), await refused(uid)]).toEqual([absent, absent]);
  });
});

test("lists runtimes, with paths only for administrators [S-37] [S-53]", async () => {
  const { gateway } = await open();
  const list = async (role: "admin" | "viewer") => {
    const headers = await gateway.asRole(role);
    return await answerOf("listRuntimes", await ask(gateway, "GET", "/v1/skills/runtimes", { headers }));
  };
  const { runtimes } = await list("admin");
  expect(runtimes.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["python3", "node", "npm", "bwrap"]),
  );
  expect(runtimes.find(({ name }) => name === "npm")).toMatchObject({
    available: true,
    path: expect.any(String),
  });
  expect((await list("viewer")).runtimes.filter((runtime) => "path" in runtime)).toEqual([]);
});

test("a gateway without a data folder returns NOT_READY [S-53]", async () => {
  const gateway = await openTestGateway();
  opened.push(gateway);
  const headers = await gateway.asRole("admin");
  expect(await problemOf(await ask(gateway, "POST", "/v1/skills/rescan-deps", { headers }))).toMatchObject({
    code: "NOT_READY",
    hint: expect.stringContaining("--data"),
  });
});

test("skills in folders are checked by a rescan, and when they are enabled; runtimes say whether all are ready [S-37] [S-44]", async () => {
  const files = {
    "lacks/SKILL.md": "---\nname: lacks\ndescription: About it.\n---\nDo it.\n",
    "lacks/scripts/a.mjs": `import x from "${MISSING}";\n`,
  };
  const gateway = await openFolderGateway(files, { dependencies: dependencyPorts() });
  opened.push(gateway);
  const headers = await gateway.asRole("admin", "root");
  const rescan = await ask(gateway, "POST", "/v1/skills/rescan-deps", { headers });
  const { skills } = await answerOf("rescanDependencies", rescan);
  expect(skills).toContainEqual({ skill: "lacks", ok: false, missing: [`npm:${MISSING}`] });
  const toggle = (enabled: boolean) =>
    ask(gateway, "POST", "/v1/skills/lacks/toggle", { headers, body: { enabled } });
  await toggle(false);
  expect(await answerOf("toggleSkill", await toggle(true))).toMatchObject({
    enabled: true,
    missing: [`npm:${MISSING}`],
  });
  const install = await ask(gateway, "POST", "/v1/skills/install-deps", { headers, body: {} });
  expect(JSON.stringify(await install.json())).toContain(MISSING);
  const runtimes = await answerOf(
    "listRuntimes",
    await ask(gateway, "GET", "/v1/skills/runtimes", { headers }),
  );
  expect(runtimes.ready).toBe(runtimes.runtimes.every(({ available, required }) => available || !required));
});

test("without a sandbox, a missing dependency has no installation and makes the skill unsupported [S-38]", async () => {
  const ports = dependencyPorts();
  const probe = async () => ({ ...(await ports.sandbox.probe()), isAvailable: false });
  const { gateway } = await open({
    dependencies: { ...ports, sandbox: { ...ports.sandbox, probe } },
  });
  const text = `---\nname: lacks\ndescription: Needs a program.\ndeps: [${MISSING}]\n---\nDo it.\n`;
  await putFiles(gateway, "lacks", { user: "ann", role: "publisher" }, { "SKILL.md": text });
  const headers = await gateway.asRole("admin");
  const rescan = await ask(gateway, "POST", "/v1/skills/rescan-deps", { headers });
  expect((await answerOf("rescanDependencies", rescan)).skills).toMatchObject([
    { skill: "lacks", ok: false, isUnsupported: true },
  ]);
  const found = await ask(gateway, "GET", "/v1/skills/lacks/dependencies", { headers });
  const { state, needs } = await answerOf("getDependencies", found);
  expect(state).toMatchObject({
    state: "missing",
    isUnsupported: true,
    warnings: [expect.stringContaining("packages cannot be installed here")],
  });
  expect(needs.find(({ name }) => name === MISSING)).toMatchObject({ status: "missing" });
  expect(needs.filter(({ install }) => install !== undefined)).toEqual([]);
});
