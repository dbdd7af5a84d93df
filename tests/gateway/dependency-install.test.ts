import { FAKE_NPM, openSandbox, removeFolders } from "@skillhold/deps/test/environment/environment.fixture";
import { Progress } from "@skillhold/gateway";
import { afterEach, describe, expect, test } from "vitest";
import { dependencyPorts, listenTo, publishImports } from "./dependency.fixture.ts";
import {
  answerOf,
  ask,
  type Changed,
  openTestGateway,
  problemOf,
  type TestGateway,
} from "./gateway.fixture.ts";

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
  const headers = await gateway.asRole("admin", "root");
  const post = async (path: string, body?: unknown) => await ask(gateway, "POST", path, { headers, body });
  const missing = async (id: string) => (await gateway.registry.store.findSkill(id))?.missing;
  /** Publishes it and waits for its check. */
  const publish = async (
    id: string,
    packages: readonly string[],
    role: "publisher" | "agent" = "publisher",
  ) => {
    const by = { user: "ann", role, ...(role === "agent" ? { agent: "writer" } : {}) };
    await publishImports(id, packages, gateway.registry, { by });
    await heard.untilChecked(id);
  };
  return { gateway, heard, post, missing, publish };
}

describe("install-dep", () => {
  test("installs one dependency for a skill, publishes progress, and checks again [S-36] [S-54]", async () => {
    const { gateway, heard, post, missing, publish } = await open();
    await publish("skill", ["zzz-one", "zzz-two"]);
    const told = heard.events.length;
    const response = await post("/v1/skills/install-dep", { skill: "skill", dep: "node:zzz-one" });
    expect(await answerOf("installDependency", response)).toEqual({
      ok: true,
      dep: "npm:zzz-one",
      result: { spec: "npm:zzz-one", status: "ok", message: "" },
      results: [{ skill: "skill", spec: "npm:zzz-one", status: "ok", message: "" }],
    });
    expect(heard.events.slice(told)).toEqual([
      { type: "skill.dep.item.installing", slug: "skill", dep: "npm:zzz-one" },
      { type: "skill.dep.item.installed", slug: "skill", dep: "npm:zzz-one", ok: true },
      { type: "skill.deps.checking", slug: "skill" },
      { type: "skill.deps.checked", slug: "skill", ok: false, missing: ["npm:zzz-two"] },
    ]);
    expect(await missing("skill")).toEqual(["npm:zzz-two"]);
    const events = await gateway.registry.store.eventsAfter(0, 1000);
    const yes = events.map(({ event }) => event).find(({ type }) => type === "run.approved");
    expect(yes).toMatchObject({ skill: "skill", target: "npm:zzz-one", by: "root" });
    expect(events.some(({ event }) => event.type === "skill.deps_installed")).toBe(true);
  });

  test("installs one dependency for every skill that lacks it [S-36] [S-53]", async () => {
    const { post, missing, publish } = await open();
    const install = async (dep: string) =>
      await answerOf("installDependency", await post("/v1/skills/install-dep", { dep }));
    await publish("one", ["zzz-one", "zzz-two"]);
    await publish("other", ["zzz-three", "zzz-two"]);
    await install("npm:zzz-three");
    await publish("third", ["zzz-one"]);
    const done = { spec: "npm:zzz-two", status: "ok", message: "" };
    expect(await install("npm:zzz-two")).toMatchObject({
      ok: true,
      result: done,
      results: [
        { skill: "one", ...done },
        { skill: "other", ...done },
      ],
    });
    expect(await Promise.all(["one", "other", "third"].map(missing))).toEqual([
      ["npm:zzz-one"],
      [],
      ["npm:zzz-one"],
    ]);
    expect(await install("npm:zzz-two")).toMatchObject({
      ok: true,
      result: { status: "skipped", message: "No skill lacks npm:zzz-two." },
      results: [],
    });
  });

  test("reports a failed installation, and the dependency stays missing [S-36]", async () => {
    const { heard, post, missing, publish } = await open();
    await publish("skill", ["bad-package"]);
    const response = await post("/v1/skills/install-dep", { skill: "skill", dep: "npm:bad-package" });
    const answer = await answerOf("installDependency", response);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("bad-package") });
    expect(heard.events).toContainEqual(
      expect.objectContaining({ type: "skill.dep.item.installed", ok: false, error: answer.error }),
    );
    expect(await missing("skill")).toEqual(["npm:bad-package"]);
  });

  test("rejects installations for third-party skills and invalid package specs [S-28] [S-36]", async () => {
    const { gateway, post, publish } = await open();
    await gateway.asRole("agent", "ann", "writer");
    await publish("strange", ["zzz-one"], "agent");
    const denied = await post("/v1/skills/install-dep", { skill: "strange", dep: "npm:zzz-one" });
    expect(await problemOf(denied)).toMatchObject({ status: 403, code: "POLICY_DENIED" });
    for (const dep of ["npm:--prefix=/", "npm:a b", "pip:../x", "pip:-e.", "git:x", "npm:x@file:/etc"]) {
      const refused = await post("/v1/skills/install-dep", { skill: "strange", dep });
      expect([dep, await problemOf(refused)]).toMatchObject([dep, { status: 400, code: "CONFIG_INVALID" }]);
    }
    const absent = await post("/v1/skills/install-dep", { skill: "absent", dep: "npm:zzz-one" });
    expect(await problemOf(absent)).toMatchObject({ status: 404, code: "SKILL_NOT_FOUND" });
  });

  test("returns the command for system packages instead of installing them [S-36]", async () => {
    const { post, publish } = await open();
    await publish("skill", []);
    const response = await post("/v1/skills/install-dep", { skill: "skill", dep: "apt:jq" });
    expect(await answerOf("installDependency", response)).toMatchObject({
      ok: false,
      result: { status: "manual", message: expect.stringContaining("apt-get install") },
    });
  });

  test("is only for administrators, and not for their agents [S-28] [S-53]", async () => {
    const { gateway } = await open();
    const others = (["publisher", "viewer", "agent"] as const).map((role) => gateway.asRole(role));
    // A request of an agent is not an approval by a person.
    for (const asked of [...others, gateway.asRole("admin", "root", "writer")]) {
      const headers = await asked;
      const body = { skill: "skill", dep: "npm:x" };
      const refused = await ask(gateway, "POST", "/v1/skills/install-dep", { headers, body });
      expect(await problemOf(refused)).toMatchObject({ status: 403, code: "FORBIDDEN" });
    }
  });
});

describe("install-deps", () => {
  test("installs all missing dependencies, and a rejected one does not stop the others [S-36] [S-54]", async () => {
    const { gateway, heard, post, missing, publish } = await open();
    await gateway.asRole("agent", "ann", "writer");
    await publish("first", ["zzz-one"]);
    await publish("second", ["bad-two"]);
    await publish("strange", ["zzz-three"], "agent");
    await publish("whole", []);
    const told = heard.events.length;
    const answer = await answerOf("installDependencies", await post("/v1/skills/install-deps"));
    expect(answer).toMatchObject({ system: [], pip: [], npm: ["zzz-one"] });
    expect(answer.results.map(({ skill, spec, status }) => [skill, spec, status])).toEqual([
      ["first", "npm:zzz-one", "ok"],
      ["second", "npm:bad-two", "failed"],
      ["strange", "npm:zzz-three", "failed"],
    ]);
    expect(answer.errors).toHaveLength(2);
    const after = heard.events.slice(told);
    const begun = after.findIndex(({ type }) => type === "skill.deps.installing");
    const ended = after.findIndex(({ type }) => type === "skill.deps.installed");
    expect(after[begun]).toEqual({
      type: "skill.deps.installing",
      deps: ["npm:zzz-one", "npm:bad-two", "npm:zzz-three"],
    });
    expect(after[ended]).toMatchObject({ npm: ["zzz-one"], errors: answer.errors });
    const items = after.slice(begun + 1, ended).map(({ type }) => type);
    expect(new Set(items)).toEqual(new Set(["skill.dep.item.installing", "skill.dep.item.installed"]));
    expect(after.slice(ended).some(({ type }) => type === "skill.deps.checked")).toBe(true);
    expect([await missing("first"), await missing("second")]).toEqual([[], ["npm:bad-two"]]);
  });

  test("installs only for the named skills [S-36]", async () => {
    const { post, missing, publish } = await open();
    await publish("first", ["zzz-one"]);
    await publish("second", ["zzz-two"]);
    const response = await post("/v1/skills/install-deps", { skills: ["second"] });
    expect(await answerOf("installDependencies", response)).toMatchObject({ npm: ["zzz-two"] });
    expect([await missing("first"), await missing("second")]).toEqual([["npm:zzz-one"], []]);
  });

  test("does nothing without missing dependencies [S-36]", async () => {
    const { heard, post, publish } = await open();
    await publish("whole", []);
    const answer = await answerOf("installDependencies", await post("/v1/skills/install-deps"));
    expect(answer).toEqual({ results: [], system: [], pip: [], npm: [], errors: [] });
    expect(heard.events.some(({ type }) => type.includes("install"))).toBe(false);
  });
});

/** An npm that fails when another one is at work. */
const JEALOUS_NPM = `
mkdir "$(dirname "$0")/busy" || { echo "npm error: another one is at work" >&2; exit 1; }
trap 'rmdir "$(dirname "$0")/busy"' EXIT
sleep 0.1
${FAKE_NPM}`;

test("runs one installation at a time [S-36]", async () => {
  const { post, publish } = await open({
    dependencies: dependencyPorts({ npm: JEALOUS_NPM, sandbox: openSandbox }),
  });
  const names = ["one", "two", "three"];
  for (const name of names) await publish(name, [`zzz-${name}`]);
  const answers = await Promise.all(
    names.map(async (skill) =>
      answerOf("installDependency", await post("/v1/skills/install-dep", { skill, dep: `npm:zzz-${skill}` })),
    ),
  );
  expect(answers.map(({ ok, error }) => [ok, error])).toEqual(names.map(() => [true, undefined]));
});
