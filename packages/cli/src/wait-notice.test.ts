import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeHost } from "./fake-host.ts";
import { main } from "./main.ts";
import { registryScene } from "./registry.fixture.ts";

const { root, storeFile, text } = registryScene({ beforeEach, afterEach });

test("prints a notice while another process locks the store [S-60]", async () => {
  const create = ["token", "create", "--name", "CI", "--role", "viewer"];
  expect((await text(create)).err).not.toContain("note:");
  const holder = new DatabaseSync(storeFile());
  holder.exec("begin immediate");
  const env = { XDG_DATA_HOME: dirname(dirname(storeFile())), SKILLHOLD_USER: "ann" };
  const { host, texts } = fakeHost(root(), { env });
  const done = main(create, host);
  try {
    await vi.waitFor(() => expect(texts().err).toContain("note: The store is not answering yet"), 120_000);
  } finally {
    holder.exec("rollback");
    holder.close();
  }
  expect(await done).toBe(0);
});
