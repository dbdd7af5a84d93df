import {
  type MemoryLibrary,
  openLayeredLibrary,
  openMemoryLibrary,
  type Viewer,
} from "@skillhold/core/library";
import { openSession } from "@skillhold/core/session";
import { skill as skillText } from "@skillhold/core/test/library/library.contract";
import { fixturePorts } from "@skillhold/core/test/session/session.fixture";
import { SkillError, type SkillEvent } from "@skillhold/protocol";
import {
  addAgent,
  changeAgent,
  grantSkill,
  removeAgent,
  revokeSkill,
  toggleSkill,
  viewerFor,
} from "@skillhold/registry/access";
import { openRegistryLibrary, type RegistryLibrary } from "@skillhold/registry/library";
import type { Grantee } from "@skillhold/registry/record";
import { purgeSkill } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, admin, engines, openScene, type Scene, skillText as textOf } from "../registry/scene.ts";
import { host, withAnswers } from "../registry-library/store.fixture.ts";

const helper: Grantee = { kind: "agent", key: "helper" };
const owner: Viewer = { runtime: "test", user: "ada" };
const eve: Viewer = { runtime: "test", user: "eve" };

describe.each(engines)("known access leaks of other registries, on %s", (engine) => {
  let scene: Scene;
  let library: RegistryLibrary;
  beforeEach(async () => {
    scene = await openScene(engine);
    await addAgent({ key: "helper", runtime: "test" }, { by: admin }, scene.context);
    library = await openRegistryLibrary({ host }, scene.context);
  });
  afterEach(async () => {
    await library.close();
    await scene.close();
  });

  const bodies = (body: string) => ({ "SKILL.md": textOf("demo", body) });

  test("a private skill is in no response to anyone but its owner [S-43]", async () => {
    await scene.publish("demo", bodies("The password is swordfish."));
    expect((await library.search(owner, "swordfish")).map(({ entry }) => entry.id)).toEqual(["demo"]);
    for (const viewer of [
      eve,
      { runtime: "test" },
      { runtime: "test", agent: "ada" },
      { runtime: "test", user: "" },
    ]) {
      expect(await library.list(viewer)).toEqual([]);
      expect(await library.search(viewer, "swordfish demo")).toEqual([]);
      const session = await openSession(library, viewer, fixturePorts());
      expect(JSON.stringify([await session.catalogue(), await session.slash("/list-skills")])).not.toContain(
        "demo",
      );
      const refused = await session.activate("demo").catch((error: unknown) => error);
      const unknown = await session.activate("none").catch((error: unknown) => error);
      expect(wordsOf(refused).replaceAll("demo", "none")).toBe(wordsOf(unknown));
      await session.close();
    }
  });

  test("an open session sees a grant and its revocation with the next call [S-43] [S-55]", async () => {
    await scene.publish("demo");
    const session = await openSession(
      library,
      await viewerFor("helper", undefined, scene.context),
      fixturePorts(),
    );
    const ids = async () => (await session.catalogue()).inline;
    expect(await ids()).toEqual([]);
    await grantSkill("demo", helper, { by: admin }, scene.context);
    expect(await ids()).toEqual(["demo"]);
    await session.activate("demo");
    await toggleSkill("demo", false, { by: admin }, scene.context);
    expect(await ids()).toEqual([]);
    await expect(session.resource("demo", "SKILL.md")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
    await toggleSkill("demo", true, { by: admin }, scene.context);
    expect(await ids()).toEqual(["demo"]);
    await revokeSkill("demo", helper, { by: ada }, scene.context);
    expect(await ids()).toEqual([]);
    await session.close();
  });

  test("an agent keeps its pinned revision through publishes and rollbacks until the pin changes [S-43]", async () => {
    const { context } = scene;
    await scene.publish("demo", bodies("First."));
    await scene.publish("demo", bodies("Second."));
    await grantSkill("demo", helper, { by: admin, pin: 1 }, context);
    const viewer = await viewerFor("helper", undefined, context);
    const read = async () => (await library.read(viewer, "demo")).body.trim();
    expect(await read()).toBe("First.");
    await scene.publish("demo", bodies("Third."));
    expect(await read()).toBe("First.");
    expect((await library.search(viewer, "demo"))[0]?.entry.revision).toBe(1);
    expect((await library.read(owner, "demo")).body.trim()).toBe("Third.");
    // A pin in the agent's own record grants no additional access.
    await changeAgent("helper", { pins: { demo: 2 } }, { by: admin }, context);
    expect(await read()).toBe("First.");
    await grantSkill("demo", helper, { by: admin }, context);
    expect(await read()).toBe("Second.");
    await changeAgent("helper", { pins: {} }, { by: admin }, context);
    expect(await read()).toBe("Third.");
    await grantSkill("demo", helper, { by: admin, pin: 1 }, context);
    scene.pass(1000);
    await purgeSkill("demo", { by: ada, keep: 1, graceMs: 0 }, context);
    await expect(read()).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
    expect((await library.explain(viewer, "demo"))[0]).toMatchObject({ state: "hidden", reason: "pin" });
  });

  test("a pinned revision that is purged while it is read is not replaced by another [S-43]", async () => {
    const { context } = scene;
    await scene.publish("demo", bodies("First."));
    await scene.publish("demo", bodies("Second."));
    await grantSkill("demo", helper, { by: admin, pin: 1 }, context);
    const { store } = context;
    let purge = async () => {};
    const racing = withAnswers(store, {
      findTree: async (hash) => {
        await purge();
        throw new SkillError("INTEGRITY_FAILED", `The tree ${hash} is not in the store.`);
      },
    });
    const raced = await openRegistryLibrary({ host }, { ...context, store: racing });
    purge = async () => {
      scene.pass(1000);
      await purgeSkill("demo", { by: ada, keep: 1, graceMs: 0 }, context);
    };
    const viewer = { runtime: "test", agent: "helper" };
    await expect(raced.read(viewer, "demo")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
    await raced.close();
  });

  test("changes of an agent apply to open sessions, and a removed agent sees no skills [S-65]", async () => {
    const { context } = scene;
    await scene.publish("demo");
    await scene.publish("other");
    const viewer = await viewerFor("helper", "ada", context);
    const ids = async () => (await library.list(viewer)).map(({ id }) => id);
    expect(await ids()).toEqual(["demo", "other"]);
    await changeAgent("helper", { allow: ["other"] }, { by: admin }, context);
    expect(await ids()).toEqual(["other"]);
    await removeAgent("helper", { by: admin }, context);
    expect(await ids()).toEqual([]);
    expect((await library.explain(viewer, "demo"))[0]).toMatchObject({ reason: "not-allowed" });
  });

  test("uses of skills do not reload them, and changes do [S-55]", async () => {
    const { store } = scene.context;
    await scene.publish("demo");
    let reads = 0;
    const counted = withAnswers(store, {
      listCurrent: (ids) => {
        reads += 1;
        return store.listCurrent(ids);
      },
    });
    const watched = await openRegistryLibrary({ host }, { ...scene.context, store: counted });
    reads = 0;
    const session = await openSession(watched, owner, { ...fixturePorts(), audit: { record: append } });
    await session.activate("demo");
    await session.resource("demo", "SKILL.md");
    expect(await watched.list(owner)).toHaveLength(1);
    expect(reads).toBe(0);
    await toggleSkill("demo", false, { by: admin }, scene.context);
    expect(await watched.list(owner)).toEqual([]);
    expect(reads).toBe(1);
    await session.close();
    await watched.close();
  });

  async function append(event: SkillEvent): Promise<void> {
    await scene.context.store.transaction((tx) => tx.append(event));
  }

  test("a pinned viewer finds only the text of that revision [S-43] [S-61]", async () => {
    const { context } = scene;
    await scene.publish("demo", bodies("About walruses."));
    await scene.publish("demo", bodies("About zebras."));
    await grantSkill("demo", { kind: "user", key: "eve" }, { by: ada, pin: 1 }, context);
    const near = {
      ...skillText("demo", "description: Near.", "About lemurs.\n"),
      trust: "third_party" as const,
    };
    const under = openLayeredLibrary([openMemoryLibrary([near], { host }), library]);
    for (const each of [library, under]) {
      const found = async (viewer: Viewer, word: string) =>
        (await each.search(viewer, word)).map(({ entry, snippet }) => [entry.revision, snippet.trim()]);
      expect(await found(eve, "walruses")).toEqual([[1, "About walruses."]]);
      expect(await found(eve, "zebras")).toEqual([]);
      expect(await found(owner, "zebras")).toEqual([[2, "About zebras."]]);
      expect(await found(owner, "walruses")).toEqual([]);
    }
    await grantSkill("demo", { kind: "user", key: "eve" }, { by: ada }, context);
    expect(await library.search(eve, "walruses")).toEqual([]);
    expect(await library.search(eve, "zebras")).toHaveLength(1);
  });

  test("an id that is also an object property is not a pin [S-43]", async () => {
    await scene.publish("constructor");
    await changeAgent("helper", { pins: { demo: 1 } }, { by: admin }, scene.context);
    const viewer = await viewerFor("helper", "ada", scene.context);
    expect(await library.find(viewer, "constructor")).toMatchObject({ revision: 1 });
  });

  describe("in layers", () => {
    const local = (body: string) => ({
      ...skillText("demo", "description: The local one.", body),
      trust: "third_party" as const,
    });
    const over = (folders: MemoryLibrary) => openLayeredLibrary([folders, library]);

    test("a hidden skill neither blocks nor reveals another skill with its name [S-15] [S-43]", async () => {
      await scene.publish("demo", bodies("The password is swordfish."));
      const layers = over(openMemoryLibrary([local("Plain words.\n")], { host }));
      expect(await layers.find(owner, "demo")).toMatchObject({ source: "registry" });
      expect(await layers.find(eve, "demo")).toMatchObject({ source: "memory" });
      expect((await layers.list(eve)).map(({ source }) => source)).toEqual(["memory"]);
      expect((await layers.read(eve, "demo")).body).toBe("Plain words.\n");
      expect((await layers.resource(eve, "demo", "SKILL.md")).content).toContain("The local one.");
      expect(await layers.search(eve, "swordfish")).toEqual([]);
      expect((await layers.search(eve, "plain words")).map(({ entry }) => entry.source)).toEqual(["memory"]);
      expect((await layers.search(owner, "swordfish")).map(({ entry }) => entry.source)).toEqual([
        "registry",
      ]);
      expect(await layers.search(owner, "plain words")).toEqual([]);
      await grantSkill("demo", { kind: "user", key: "eve" }, { by: ada }, scene.context);
      expect(await layers.find(eve, "demo")).toMatchObject({ source: "registry" });
      expect((await layers.search(eve, "swordfish")).map(({ entry }) => entry.id)).toEqual(["demo"]);
    });

    test("a disabled skill is not replaced for viewers who may use it [S-44]", async () => {
      await scene.publish("demo");
      const layers = over(openMemoryLibrary([local("Plain words.\n")], { host }));
      await toggleSkill("demo", false, { by: admin }, scene.context);
      expect(await layers.find(owner, "demo")).toBeUndefined();
      expect(await layers.find(eve, "demo")).toMatchObject({ source: "memory" });
    });

    test("an agent with a pin gets that revision and not a folder with the same name [S-43]", async () => {
      const { context } = scene;
      await scene.publish("demo", bodies("First."));
      await scene.publish("demo", bodies("Second."));
      await changeAgent("helper", { pins: { demo: 1 } }, { by: admin }, context);
      const folders = openMemoryLibrary([{ ...local("Near.\n"), trust: "user" }], { host });
      const layers = openLayeredLibrary([folders, library]);
      const viewer = await viewerFor("helper", "ada", context);
      expect((await layers.read(owner, "demo")).body).toBe("Near.\n");
      expect(await layers.read(viewer, "demo")).toMatchObject({ entry: { source: "registry", revision: 1 } });
      expect((await layers.search(viewer, "demo")).map(({ entry }) => entry.revision)).toEqual([1]);
      await changeAgent("helper", { pins: { demo: 9 } }, { by: admin }, context);
      expect(await layers.find(viewer, "demo")).toBeUndefined();
      expect((await layers.explain(viewer, "demo"))[0]).toMatchObject({ reason: "pin" });
    });
  });
});

function wordsOf(error: unknown): string {
  if (!(error instanceof SkillError)) throw error;
  return `${error.code} ${error.message} ${error.hint}`;
}
