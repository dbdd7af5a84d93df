import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { grantSkill, revokeSkill } from "@skillhold/registry/access";
import type { RegistryStore } from "@skillhold/registry/record";
import { deleteSkill } from "@skillhold/registry/release";
import { expect, test, vi } from "vitest";
import { openFolderGateway } from "./folder.fixture.ts";
import { openTestGateway } from "./gateway.fixture.ts";
import { ada, asker, put, skillText } from "./skill.fixture.ts";

/** Holds the first read until it is released. */
function holdFirst() {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const pass = async () => {
    count += 1;
    if (count > 1) return;
    begun.resolve();
    await released.promise;
  };
  return { pass, begun: begun.promise, release: released.resolve };
}

test("does not serve a cached file after access was revoked [S-43] [S-55]", async () => {
  const base = await openTestGateway();
  const { registry, context } = base;
  await put(base, "own", { files: { "a.md": "secret" } });
  const eve = { kind: "user", key: "eve" } as const;
  await grantSkill("own", eve, { by: ada, canManage: true }, registry);
  await deleteSkill("own", { by: ada }, registry);
  const hold = holdFirst();
  const findTree: RegistryStore["findTree"] = async (hash) => {
    await hold.pass();
    return await registry.store.findTree(hash);
  };
  const { skills, library } = context;
  const slow = { ...registry, store: { ...registry.store, findTree } };
  const gateway = await openTestGateway({ registry: slow, skills, library });
  try {
    const ask = asker(gateway, await base.asRole("publisher", "eve"));
    const read = async () => (await ask("GET", "/v1/skills/own/files/a.md")).status;
    const first = read();
    await hold.begun;
    await revokeSkill("own", eve, { by: ada }, registry);
    const second = read();
    // The last request was admitted last, so by its response the second one already waits for the first.
    await ask("GET", "/v1/skills");
    hold.release();
    expect([await first, await second, await read()]).toEqual([200, 404, 404]);
  } finally {
    await gateway.close();
    await base.close();
  }
});

test("never serves a file from a folder that is older than the request [S-55]", async () => {
  const files = { "fold/SKILL.md": skillText("fold"), "fold/a.txt": "one" };
  const gateway = await openFolderGateway(files);
  try {
    const { library } = gateway.context;
    const hold = holdFirst();
    const look = library.read.bind(library);
    vi.spyOn(library, "read").mockImplementation(async (...given) => {
      const found = await look(...given);
      await hold.pass();
      return found;
    });
    const ask = asker(gateway, await gateway.asRole("admin", "root"));
    const read = async () => {
      const response = await ask("GET", "/v1/skills/fold/files/a.txt");
      return [response.status, await response.text()];
    };
    const first = read();
    await hold.begun;
    await writeFile(join(gateway.root, "fold/a.txt"), "two");
    const second = read();
    await ask("GET", "/v1/skills");
    hold.release();
    expect(await second).toEqual([200, "two"]);
    await first;
  } finally {
    await gateway.close();
  }
});
