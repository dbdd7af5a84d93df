import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openSession } from "@skillhold/core/session";
import { skill } from "@skillhold/core/test/library/library.contract";
import { fixturePorts } from "@skillhold/core/test/session/session.fixture";
import { fixtureRuns } from "@skillhold/sandbox/test/run/run.fixture";
import { afterAll, describe, expect, test } from "vitest";
import { changeRow, type GivenSkill, putSkills } from "./put-skills.ts";
import { engines, FreshStores } from "./store.fixture.ts";

const demo = (line: string): GivenSkill => ({
  folder: "demo",
  trust: "org",
  files: {
    ...skill("demo", "description: Greets.", `${line}\n`).files,
    "scripts/hello.sh": 'cat "$(dirname "$0")/../references/name.md"',
    "references/name.md": "Ada",
  },
});

describe.each(engines)("a session over a registry in %s", (engine) => {
  const stores = new FreshStores(engine);
  afterAll(() => stores.close());

  test("lists, reads, reads resources and runs, and records the revision [S-25] [S-29]", async () => {
    const store = await stores.open();
    await putSkills([demo("Say hello.")], store);
    const library = await stores.library(store);
    const ports = { ...fixturePorts(), runs: fixtureRuns() };
    const session = await openSession(library, { runtime: "test" }, ports);
    expect((await session.catalogue()).text).toContain("Greets.");
    expect((await session.activate("demo")).text).toContain("Say hello.");
    expect(ports.events.at(-1)).toMatchObject({ type: "skill.activated", revision: 1, source: "registry" });
    expect((await session.resource("demo", "references/name.md")).content).toBe("Ada");
    expect(await session.run("demo", "hello.sh")).toMatchObject({ exitCode: 0, stdout: "Ada" });
    await putSkills([demo("Say good evening.")], store);
    expect((await session.activate("demo")).text).toContain("Say good evening.");
    expect(session.toolContext().activeSkills).toMatchObject([{ id: "demo", revision: 2 }]);
    await session.close();
  });

  test("a skill disabled during a session no longer runs, and the record has the reason [S-43]", async () => {
    const store = await stores.open();
    await putSkills([demo("Say hello.")], store);
    const ports = { ...fixturePorts(), runs: fixtureRuns() };
    const session = await openSession(await stores.library(store), { runtime: "test" }, ports);
    await session.activate("demo");
    await changeRow("demo", { isEnabled: false }, store);
    await expect(session.run("demo", "hello.sh")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
    expect(ports.events.at(-1)).toMatchObject({ type: "skill.denied", reason: "disabled" });
    await expect(session.resource("demo", "references/name.md")).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    await session.close();
  });

  test("an agent with a file system gets the path of an existing folder [S-41]", async () => {
    const store = await stores.open();
    await putSkills([demo("See {baseDir}/references.")], store);
    const copies = join(stores.folder, "copies");
    const library = await stores.library(store, { copies });
    const session = await openSession(library, { runtime: "test" }, fixturePorts(), { hasFileSystem: true });
    const { path } = (await session.list())[0] ?? { path: "" };
    expect((await session.activate("demo")).text).toContain(`See ${path}/references.`);
    await session.close();
  });

  test("every location in a catalogue is a file that exists, before the first read [S-21] [S-41]", async () => {
    const store = await stores.open();
    await putSkills([demo("Say hello.")], store);
    const library = await stores.library(store, { copies: join(stores.folder, "copies") });
    const session = await openSession(library, { runtime: "test" }, fixturePorts(), { hasFileSystem: true });
    const { text } = await session.catalogue({ format: "json" });
    const { location } = JSON.parse(text).available_skills[0];
    expect(await readFile(location, "utf8")).toContain("Say hello.");
    await session.close();
    const bare = await openSession(await stores.library(store), { runtime: "test" }, fixturePorts(), {
      hasFileSystem: true,
    });
    expect((await bare.catalogue({ format: "json" })).text).not.toContain("location");
    await bare.close();
  });
});
