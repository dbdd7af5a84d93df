import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, expect, test } from "vitest";
import { ServeScene } from "./serve.fixture.ts";

const scene = new ServeScene();
afterEach(() => scene.close());

/** A data folder with a store in it, to which something is done. */
async function storeWith(change: (db: DatabaseSync) => void) {
  const data = scene.folder();
  const file = join(data, "registry.db");
  await (await openRegistryStore(`sqlite:${file}`)).close();
  const db = new DatabaseSync(file);
  change(db);
  return { data, db };
}

const start = (data: string) => scene.start(["serve", "--port", "0", "--data", data, "--no-seed"]);

test("a store that another process holds is waited for, and meanwhile it is said what to do [S-53]", async () => {
  const { data, db } = await storeWith((held) => held.exec("begin exclusive"));
  const command = start(data);
  await command.until(() => command.err.includes("store.waiting"));
  expect(command.err).toMatch(
    /another process may hold it\. End that one, or name another store/,
  );
  expect(command.out).toBe("");
  db.exec("rollback");
  db.close();
  await command.until(() => command.out.includes("is at http://127.0.0.1:"));
});

test("a store that a newer Skillhold has changed is left to it [S-53] [S-64]", async () => {
  const { data, db } = await storeWith((newer) =>
    newer.exec("insert into migration (id, name, checksum, at) values (999, 'later', 'x', 'then')"),
  );
  db.close();
  const command = start(data);
  expect((await command.ended).code).toBeGreaterThan(0);
  expect(command.err).toContain("hint: Use the newer Skillhold that changed it, or name another store.");
  expect(command.out).toBe("");
});

test("a store that is none is not started on, and what to do is said [S-53]", async () => {
  const data = scene.folder();
  const file = join(data, "registry.db");
  writeFileSync(file, "This is not a database, and long enough to be read as one. ".repeat(100));
  chmodSync(file, 0o600);
  const command = start(data);
  expect((await command.ended).code).toBeGreaterThan(0);
  expect(command.err).toMatch(/^error: .*\nhint: \S.*\n$/s);
  expect(command.out).toBe("");
});
