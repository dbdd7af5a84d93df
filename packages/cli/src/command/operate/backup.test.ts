import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, text, json, skill, write } = registryScene({ beforeEach, afterEach });
const restored = () => ({ env: { SKILLHOLD_DATA: join(root(), "restored") } });

describe("backup", () => {
  test("restores skills, secrets and keys to another data folder [S-71]", async () => {
    const fields = "metadata:\n  openclaw:\n    requires:\n      env: [TOKEN]\n";
    await json(["publish", skill("one", "Do it.\n", fields)]);
    expect((await text(["secret", "set", "one", "TOKEN"], { input: "value" })).code).toBe(0);
    expect(await json(["backup", "create", "b.tar.gz"])).toMatchObject({ code: 0, data: { files: 5 } });
    expect(await json(["backup", "verify", "b.tar.gz"])).toMatchObject({
      code: 0,
      data: { engine: "sqlite" },
    });
    const answer = await json(["backup", "restore", "b.tar.gz", "--data", "restored"]);
    expect(answer).toMatchObject({ code: 0, data: { store: { isClean: true }, audit: { isSound: true } } });
    expect((await text(["read", "one"], restored())).out).toContain("Do it.");
    expect((await json(["secret", "list"], restored())).data).toMatchObject({
      secrets: [{ skill: "one", name: "TOKEN" }],
    });
    expect(await json(["publish", skill("two")], restored())).toMatchObject({ code: 0 });
    expect(await json(["audit", "verify"], restored())).toMatchObject({ code: 0 });
  });

  test("leaves out keys on request [S-71]", async () => {
    await json(["publish", skill("one")]);
    await json(["backup", "create", "b.tar.gz", "--without-keys"]);
    await json(["backup", "restore", "b.tar.gz", "--data", "restored"]);
    expect(existsSync(join(root(), "restored/registry.db.d/audit.key"))).toBe(false);
    expect(existsSync(join(root(), "restored/registry.db.d/audit.pub"))).toBe(true);
  });

  test("overwrites neither a file nor a store [S-71]", async () => {
    await json(["publish", skill("one")]);
    write("taken.tar.gz", "mine");
    expect(await json(["backup", "create", "taken.tar.gz"])).toMatchObject({ error: { code: "CONFLICT" } });
    expect(readFileSync(join(root(), "taken.tar.gz"), "utf8")).toBe("mine");
    await json(["backup", "create", "b.tar.gz"]);
    expect(await json(["backup", "restore", "b.tar.gz"])).toMatchObject({ error: { code: "CONFLICT" } });
    expect(await json(["fsck"])).toMatchObject({ code: 0 });
  });

  test("reports a missing store, a missing file and a damaged file [S-71]", async () => {
    expect(await json(["backup", "create", "b.tar.gz"])).toMatchObject({ error: { code: "STORE_FAILED" } });
    for (const missing of ["none", "none.tar.gz"])
      expect(await json(["backup", "verify", missing])).toMatchObject({ error: { code: "PATH_NOT_FOUND" } });
    write("bad.tar.gz", "not an archive");
    expect(await json(["backup", "verify", "bad.tar.gz"])).toMatchObject({
      error: { code: "INTEGRITY_FAILED" },
    });
    expect(await json(["backup", "restore", "bad.tar.gz", "--data", "new"])).toMatchObject({
      error: { code: "INTEGRITY_FAILED" },
    });
    expect(
      (await json(["list", "--source", "registry"], { env: { SKILLHOLD_DATA: join(root(), "new") } })).data,
    ).toEqual(undefined);
  });
});

test("migrate prints the version of the store [S-64] [S-71]", async () => {
  await json(["publish", skill("one")]);
  const { data } = await json(["migrate", "--status"]);
  expect(data).toMatchObject({ isUpToDate: true, current: data.supported });
  expect(await json(["migrate"])).toMatchObject({ code: 0, data });
});
