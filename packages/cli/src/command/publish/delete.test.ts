import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { text, json, skill } = registryScene({ beforeEach, afterEach });

beforeEach(async () => {
  skill("pdf");
  await text(["publish", "pdf"]);
});

async function ids(): Promise<readonly string[]> {
  const { data } = await json(["list", "--source", "registry"]);
  return data.skills.map(({ id }: { id: string }) => id);
}

describe("delete and restore", () => {
  test("remove a skill from every list and restore it unchanged [S-45] [S-60]", async () => {
    expect(await text(["delete", "pdf"])).toEqual({
      code: 0,
      out: "pdf: deleted\n",
      err: "Run `skillhold restore pdf` to undo this.\n",
    });
    expect(await ids()).toEqual([]);
    expect((await json(["read", "pdf"])).code).toBe(5);
    expect((await text(["delete", "pdf"])).out).toBe("pdf: already deleted\n");
    expect((await text(["versions", "pdf"])).err).toContain("; the skill is deleted");
    expect((await text(["restore", "pdf"])).out).toBe("pdf: restored, active and private\n");
    expect(await ids()).toEqual(["pdf"]);
    expect((await text(["restore", "pdf"])).out).toBe("pdf: not deleted\n");
  });

  test("--dry-run changes no data and prints the same result [S-45]", async () => {
    expect((await text(["delete", "pdf", "--dry-run"])).out).toBe("pdf: would be deleted\n");
    expect(await ids()).toEqual(["pdf"]);
    expect((await json(["delete", "pdf", "--dry-run", "--user", "bob"])).code).toBe(5);
    expect((await json(["delete", "pdf"])).data).toMatchObject({ status: "deleted", isDryRun: false });
    expect((await text(["delete", "pdf", "--dry-run"])).out).toBe("pdf: already deleted\n");
    expect((await text(["restore", "pdf", "--dry-run"])).out).toBe(
      "pdf: would be restored, active and private\n",
    );
    expect(await ids()).toEqual([]);
  });

  test("reject skills of other users and system skills [S-43] [S-45]", async () => {
    await text(["seed", "."]);
    expect((await json(["delete", "pdf", "--user", "bob"])).error.code).toBe("SKILL_NOT_FOUND");
    skill("seeds/core");
    await text(["seed", "seeds"]);
    expect(await json(["delete", "seeds-core", "--role", "admin"])).toMatchObject({
      code: 6,
      error: { code: "CONFLICT" },
    });
    expect((await json(["delete", "none"])).code).toBe(5);
  });
});

describe("purge", () => {
  test("removes deleted skills after the grace period [S-45] [S-60]", async () => {
    await text(["delete", "pdf"]);
    expect(await text(["purge"])).toMatchObject({ code: 0, out: "" });
    expect((await text(["purge", "--grace-days", "0", "--dry-run"])).out).toBe("pdf: would be purged: 1\n");
    expect((await json(["versions", "pdf"])).data.versions[0].purgedAt).toBeUndefined();
    const { out, err } = await text(["purge", "--grace-days", "0"]);
    expect(out).toBe("pdf: purged: 1\n");
    expect(err).toContain("removed; files younger than an hour stay");
    expect(await json(["restore", "pdf"])).toMatchObject({ code: 5, error: { code: "REVISION_NOT_FOUND" } });
    expect((await text(["versions", "pdf"])).out).toMatch(/\n1 \* .* purged /);
  });

  test("--keep removes old revisions but never the current one [S-45]", async () => {
    skill("pdf", "Do more.\n");
    await text(["publish", "pdf"]);
    const { data } = await json(["purge", "pdf", "--keep", "1", "--grace-days", "0"]);
    expect(data).toMatchObject({ purged: [{ id: "pdf", revisions: [1] }], isDryRun: false });
    expect((await text(["read", "--raw", "pdf"])).out).toBe("Do more.\n");
    expect((await json(["rollback", "pdf", "1"])).code).toBe(5);
  });

  test("without an id skips skills of other users [S-43] [S-45]", async () => {
    skill("seeds/core");
    await text(["seed", "seeds"]);
    skill("his");
    await text(["publish", "his", "--user", "bob"]);
    await text(["delete", "his", "--user", "bob"]);
    expect(await json(["purge", "--grace-days", "0"])).toMatchObject({ code: 0, data: { purged: [] } });
    const { data } = await json(["purge", "--grace-days", "0", "--role", "admin"]);
    expect(data.purged).toEqual([{ id: "his", revisions: [1] }]);
  });

  test("rejects invalid counts [S-60]", async () => {
    expect(await json(["purge", "--keep", "0"])).toMatchObject({
      code: 2,
      error: { message: expect.stringContaining("--keep takes a whole number") },
    });
    expect((await json(["purge", "--grace-days", "x"])).error.message).toContain("--grace-days takes");
  });
});
