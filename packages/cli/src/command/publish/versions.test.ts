import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { text, json, skill, write } = registryScene({ beforeEach, afterEach });

async function publishTwice(): Promise<void> {
  skill("pdf", "Do it.\n", "version: 1.0.0\n");
  await text(["publish", "pdf"]);
  skill("pdf", "Do it better.\n", "version: 1.1.0\n");
  write("pdf/scripts/merge.py", "print(1)\n");
  await text(["publish", "pdf"]);
}

describe("versions", () => {
  test("lists the revisions, newest first, and marks the current one [S-45] [S-60]", async () => {
    await publishTwice();
    const { code, out, err } = await text(["versions", "pdf"]);
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(/ {2,}/).slice(0, 5))).toEqual([
      ["REVISION", "VERSION", "BY", "FROM", "FILES"],
      ["2 *", "1.1.0", "ann", "folder", "2"],
      ["1", "1.0.0", "ann", "folder", "1"],
      [""],
    ]);
    expect(err).toBe("2 revisions, * is the current one\n");
    const { data } = await json(["versions", "pdf"]);
    expect(data.skill).toMatchObject({ id: "pdf", owner: "ann", revision: 2, status: "active" });
    expect(data.versions).toMatchObject([
      { revision: 2, version: "1.1.0", isCurrent: true, files: 2 },
      { revision: 1, version: "1.0.0", isCurrent: false, files: 1 },
    ]);
    expect(data.versions[0]).not.toHaveProperty("record");
  });

  test("lists the files of a revision and prints one [S-45] [S-60]", async () => {
    await publishTwice();
    const { out, err } = await text(["versions", "pdf", "2"]);
    expect(out).toMatch(/^PATH .*\nSKILL\.md .* instructions .*\nscripts\/merge\.py .* script .*\n$/);
    expect(err).toMatch(/^sha256:[0-9a-f]{64}, trust user, from folder by ann\n$/);
    const { data } = await json(["versions", "pdf", "2"]);
    expect(data.list.map(({ path }: { path: string }) => path)).toEqual(["SKILL.md", "scripts/merge.py"]);
    expect((await text(["versions", "pdf", "1", "--file", "SKILL.md"])).out).toMatch(/---\nDo it\.\n$/);
    expect((await text(["versions", "pdf", "--file", "SKILL.md"])).out).toMatch(/---\nDo it better\.\n$/);
    expect((await json(["versions", "pdf", "--file", "SKILL.md"])).data).toMatchObject({ encoding: "utf-8" });
  });

  test("gives hints for an unknown skill, an unknown revision and an invalid revision [S-45] [S-60]", async () => {
    await publishTwice();
    expect(await json(["versions", "pdff"])).toMatchObject({
      code: 5,
      error: { code: "SKILL_NOT_FOUND", hint: "Did you mean pdf?" },
    });
    expect((await json(["versions", "zzz"])).error.hint).toBe(
      "Run `skillhold list --source registry` to see the skills.",
    );
    expect((await json(["versions", "pdff", "--user", "bob"])).error.hint).not.toContain("pdf?");
    expect(await json(["versions", "pdf", "7"])).toMatchObject({
      code: 5,
      error: { code: "REVISION_NOT_FOUND", hint: "Run `skillhold versions pdf` to list the revisions." },
    });
    expect(await json(["versions", "pdf", "0"])).toMatchObject({ code: 2, error: { code: "USAGE" } });
    expect(await json(["versions", "pdf", "--file", "../x"])).toMatchObject({ code: 7 });
    expect(await json(["versions", "pdf", "--file", "none.md"])).toMatchObject({ code: 5 });
  });
});

test("a grantee with a pin sees the pinned revision as the only one [S-43] [S-45]", async () => {
  skill("pdf", "First.\n");
  await text(["publish", "pdf"]);
  for (const body of ["Second.\n", "Third.\n"]) {
    skill("pdf", body);
    await text(["publish", "pdf"]);
  }
  expect((await text(["grant", "pdf", "--user", "bob", "--pin", "2"])).code).toBe(0);
  const asBob = ["--user", "bob"];
  const { data } = await json(["versions", "pdf", ...asBob]);
  expect(data.versions).toMatchObject([{ revision: 2, isCurrent: true }]);
  expect(data.skill).toMatchObject({ revision: 2, lastRevision: 2 });
  expect((await text(["versions", "pdf", "--file", "SKILL.md", ...asBob])).out).toContain("Second.");
  expect((await json(["versions", "pdf", "2", ...asBob])).data).toMatchObject({
    revision: 2,
    isCurrent: true,
  });
  for (const words of [
    ["versions", "pdf", "1"],
    ["versions", "pdf", "3", "--file", "SKILL.md"],
    ["diff", "pdf", "1", "2"],
    ["diff", "pdf", "2", "3"],
    ["guard", "diff", "pdf", "2", "3"],
  ])
    expect(await json([...words, ...asBob])).toMatchObject({
      code: 5,
      error: { code: "REVISION_NOT_FOUND" },
    });
  for (const words of [
    ["diff", "pdf"],
    ["guard", "diff", "pdf"],
  ])
    expect(JSON.stringify(await json([...words, ...asBob]))).not.toMatch(/First|Third/);
  expect((await json(["export", "pdf", "--out", "e.zip", ...asBob])).error.code).toBe("POLICY_DENIED");
  expect((await json(["versions", "pdf"])).data.versions).toHaveLength(3);
});

describe("diff", () => {
  test("shows the last revision's changes as a patch [S-45] [S-60]", async () => {
    await publishTwice();
    const { code, out, err } = await text(["diff", "pdf"]);
    expect(code).toBe(0);
    expect(out).toContain('frontmatter version: "1.0.0" → "1.1.0"\n');
    expect(out).toContain("-Do it.\n+Do it better.\n");
    expect(out).toContain("added: scripts/merge.py\n--- /dev/null\n+++ b/scripts/merge.py\n");
    expect(err).toBe("revision 1 → revision 2: 2 files differ\n");
    const { data } = await json(["diff", "pdf", "2", "1"]);
    expect(data.files.map(({ path, change }: { path: string; change: string }) => [path, change])).toEqual([
      ["SKILL.md", "changed"],
      ["scripts/merge.py", "removed"],
    ]);
  });

  test("compares with an unpublished folder [S-45]", async () => {
    await publishTwice();
    expect((await text(["diff", "pdf", "--folder", "pdf"])).err).toBe(
      "revision 2 → the folder: no difference\n",
    );
    skill("pdf", "Changed.\n");
    expect((await text(["diff", "pdf", "1", "--folder", "pdf"])).out).toContain("+Changed.\n");
    expect((await json(["diff", "pdf", "1", "2", "--folder", "pdf"])).code).toBe(2);
  });

  test("suggests --folder when there is only one revision [S-45]", async () => {
    skill("pdf");
    await text(["publish", "pdf"]);
    expect(await json(["diff", "pdf"])).toMatchObject({
      code: 5,
      error: { code: "REVISION_NOT_FOUND", hint: expect.stringContaining("--folder") },
    });
    expect((await json(["diff", "pdf", "x"])).code).toBe(2);
  });
});
