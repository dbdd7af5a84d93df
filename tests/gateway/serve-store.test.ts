import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, expect, test } from "vitest";
import { ServeScene } from "./serve.fixture.ts";

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
