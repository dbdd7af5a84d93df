import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, expect, test } from "vitest";
import { ServeScene, writeSkill } from "./serve.fixture.ts";

const scene = new ServeScene();
afterEach(() => scene.close());

test("waits for a store that another process holds, and prints a hint meanwhile [S-53]", async () => {
  const data = scene.folder();
  const file = join(data, "registry.db");
  await (await openRegistryStore(`sqlite:${file}`)).close();
  const db = new DatabaseSync(file);
  db.exec("begin exclusive");
  const command = scene.start(["serve", "--port", "0", "--data", data, "--no-seed"]);
  await command.until(() => command.err.includes("store.waiting"));
  expect(command.err).toMatch(/another process may hold its lock\. Stop that process, or name another store/);
  expect(command.out).toBe("");
  db.exec("rollback");
  db.close();
  await command.until(() => command.out.includes("is at http://127.0.0.1:"));
});

test("records the skills of served folders once, and those that shadow a stored one [S-15] [S-62]", async () => {
  const data = scene.folder();
  const root = join(scene.folder(), "team");
  mkdirSync(root);
  writeSkill(root, "hello", {});
  const store = `sqlite:${data}/registry.db`;
  const publish = scene.start([
    "publish",
    writeSkill(scene.folder(), "hello", { "x.md": "x" }),
    "--store",
    store,
  ]);
  expect(await publish.ended).toEqual({ code: 0, signal: null });
  for (const _ of [1, 2]) {
    const gateway = scene.start(["serve", "--root", root, "--port", "0", "--data", data, "--no-seed"]);
    await gateway.until(() => gateway.out.includes("is at http://127.0.0.1:"));
    await gateway.terminate();
  }
  const opened = await openRegistryStore(store);
  const types = ["skill.discovered", "skill.shadowed"] as const;
  const counts = await Promise.all(
    types.map(async (type) => (await opened.eventsAbout("hello", type, 10)).length),
  );
  expect(counts).toEqual([1, 1]);
  await opened.close();
});
