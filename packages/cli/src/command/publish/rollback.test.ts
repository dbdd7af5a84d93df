import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { text, json, skill } = registryScene({ beforeEach, afterEach });

beforeEach(async () => {
  skill("pdf");
  await text(["publish", "pdf"]);
  skill("pdf", "Do more.\n");
  await text(["publish", "pdf"]);
});

describe("rollback", () => {
  test("makes an earlier or a later revision current [S-45] [S-60]", async () => {
    expect(await text(["rollback", "pdf", "1"])).toEqual({
      code: 0,
      out: "pdf: revision 1 is current now, in place of 2\n",
      err: "",
    });
    expect((await text(["rollback", "pdf", "1"])).out).toBe("pdf: revision 1 is already current\n");
    expect((await text(["read", "--raw", "pdf"])).out).toBe("Do it.\n");
    const { data } = await json(["rollback", "pdf", "2"]);
    expect(data).toMatchObject({ id: "pdf", from: 1, revision: 2, status: "rolled-back", isDryRun: false });
  });

  test("--dry-run changes no data and reports the same errors [S-45]", async () => {
    expect((await text(["rollback", "pdf", "1", "--dry-run"])).out).toBe(
      "pdf: revision 1 would be current, in place of 2\n",
    );
    expect((await json(["versions", "pdf"])).data.skill.revision).toBe(2);
    expect((await json(["rollback", "pdf", "1", "--dry-run", "--user", "bob"])).code).toBe(5);
  });

  test("rejects missing revisions and deleted skills [S-45]", async () => {
    expect(await json(["rollback", "pdf", "3"])).toMatchObject({
      code: 5,
      error: { code: "REVISION_NOT_FOUND" },
    });
    expect(await json(["rollback", "pdf", "one"])).toMatchObject({ code: 2, error: { code: "USAGE" } });
    await text(["delete", "pdf"]);
    expect(await json(["rollback", "pdf", "1"])).toMatchObject({ code: 6, error: { code: "CONFLICT" } });
  });
});

describe("edit", () => {
  test("overrides displayed fields until the next revision or a reset [S-45] [S-60]", async () => {
    expect((await text(["edit", "pdf", "--description", "Reads forms.", "--tags", "a, b,"])).out).toBe(
      "pdf: edited, private\n",
    );
    const shown = async () => (await json(["show", "pdf"])).data.entry;
    expect(await shown()).toMatchObject({ description: "Reads forms.", tags: ["a", "b"] });
    expect((await json(["edit", "pdf", "--reset"])).data).toMatchObject({
      status: "edited",
      skill: { override: {} },
    });
    expect(await shown()).toMatchObject({ description: "Does pdf.", tags: [] });
  });

  test("sets the visibility, and hides a private skill from other users [S-43]", async () => {
    const editAsBob = () => json(["edit", "pdf", "--name", "x", "--user", "bob"]);
    expect(await editAsBob()).toMatchObject({ code: 5, error: { code: "SKILL_NOT_FOUND" } });
    expect((await text(["edit", "pdf", "--visibility", "public", "--role", "admin"])).out).toBe(
      "pdf: edited, public\n",
    );
    expect(await editAsBob()).toMatchObject({
      code: 4,
      error: { code: "POLICY_DENIED" },
    });
    expect((await json(["edit", "pdf", "--visibility", "secret"])).code).toBe(2);
  });

  test("--dry-run changes no data, and an edit without options is a usage error [S-45]", async () => {
    expect((await text(["edit", "pdf", "--name", "PDF", "--dry-run"])).out).toBe(
      "pdf: would be edited, private\n",
    );
    expect((await json(["show", "pdf"])).data.entry.name).toBe("pdf");
    expect(await json(["edit", "pdf"])).toMatchObject({ code: 2, error: { code: "USAGE" } });
    expect((await text(["edit", "pdf", "--name", "pdf"])).out).toBe("pdf: unchanged\n");
  });
});
