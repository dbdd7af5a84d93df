import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "./fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-open-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("sources", () => {
  test("are the discovered folders, with the project untrusted unless --trust-project is given [S-14]", async () => {
    mkdirSync(join(root, "work/.git"), { recursive: true });
    writeFile(root, "work/.claude/skills/a/SKILL.md", skillText("a", "x"));
    writeFile(root, "home/.agents/skills/b/SKILL.md", skillText("b", "x"));
    const env = { HOME: join(root, "home") };
    const plain = await runJson(["list", "-C", "work"], root, { env });
    expect(trusts(plain.data)).toEqual({ a: "third_party", b: "user" });
    const trusted = await runJson(["list", "-C", "work", "--trust-project"], root, { env });
    expect(trusts(trusted.data)).toEqual({ a: "user", b: "user" });
  });

  test("that are named replace the discovered ones and keep their names [S-14] [S-60]", async () => {
    writeFile(root, "skills/a/SKILL.md", skillText("a", "x"));
    writeFile(root, "more/b/SKILL.md", skillText("b", "x"));
    const { data } = await runJson(["list", "./more", "--root", "more/b/SKILL.md"], root);
    expect(data.skills.map(({ id, source }: Row) => [id, source])).toEqual([["b", "./more"]]);
  });

  test.each([
    [["list", "nowhere"], 5, "PATH_NOT_FOUND", "nowhere does not exist"],
    [["search", "x", "--root", "nowhere"], 5, "PATH_NOT_FOUND", "nowhere does not exist"],
    [["list", "skills/a/notes.txt"], 5, "PATH_NOT_FOUND", "is not a folder"],
    [["list", "--source", "skils"], 2, "USAGE", "No source is labeled skils."],
  ])("%j exits %i with %s [S-60]", async (argv, exit, code, message) => {
    writeFile(root, "skills/a/notes.txt", "");
    const result = await runJson(argv, root);
    expect(result).toMatchObject({ code: exit, error: { code, message: expect.stringContaining(message) } });
  });

  test("can be chosen by label, and a misspelled label gets a suggestion [S-60]", async () => {
    writeFile(root, "skills/a/SKILL.md", skillText("a", "x"));
    writeFile(root, ".agents/skills/b/SKILL.md", skillText("b", "x"));
    const { data } = await runJson(["list", "--source", "skills"], root);
    expect(data.skills.map(({ id }: Row) => id)).toEqual(["a"]);
    expect((await runMain(["list", "--source", "skils"], root)).err).toContain("Did you mean skills?");
  });

  test("win by distance or by trust [S-15]", async () => {
    writeFile(root, "work/skills/a/SKILL.md", skillText("a", "near"));
    writeFile(root, "home/.agents/skills/a/SKILL.md", skillText("a", "home"));
    const env = { HOME: join(root, "home") };
    const argv = ["list", "-C", "work", "--trust-project", "--precedence"];
    expect((await runJson([...argv, "local"], root, { env })).data.skills[0].description).toBe("near");
    const untrusted = ["list", "-C", "work", "--precedence", "trust"];
    expect((await runJson(untrusted, root, { env })).data.skills[0].description).toBe("home");
  });

  test("follow links out of the folder only with --follow-links [S-16]", async () => {
    writeFile(root, "outside/a/SKILL.md", skillText("a", "x"));
    mkdirSync(join(root, "in"));
    symlinkSync(join(root, "outside/a"), join(root, "in/a"));
    expect((await runJson(["list", "in"], root)).data.skills).toEqual([]);
    expect((await runJson(["list", "in", "--follow-links"], root)).data.skills).toHaveLength(1);
  });
});

describe("the viewer", () => {
  test.each([
    [[], ["anyone"]],
    [
      ["--runtime", "other"],
      ["anyone", "for-other"],
    ],
    [
      ["--as", "user"],
      ["anyone", "for-users"],
    ],
    [
      ["--allow", "for-users,anyone", "--as", "user"],
      ["anyone", "for-users"],
    ],
    [["--allow", ""], []],
  ])("of %j sees %j [S-22] [S-27]", async (argv, ids) => {
    writeFile(root, "skills/anyone/SKILL.md", skillText("anyone", "x"));
    writeFile(root, "skills/for-other/SKILL.md", skillText("for-other", "x", "", "runtime: [other]\n"));
    writeFile(
      root,
      "skills/for-users/SKILL.md",
      skillText("for-users", "x", "", "disable-model-invocation: true\n"),
    );
    const { data } = await runJson(["list", ...argv], root);
    expect(data.skills.map(({ id }: Row) => id)).toEqual(ids);
  });
});

describe("the cache", () => {
  test("is in the user's cache folder, and --no-cache disables it [S-17]", async () => {
    writeFile(root, "skills/a/SKILL.md", skillText("a", "x"));
    const options = { env: { XDG_CACHE_HOME: join(root, "cache") } };
    const file = join(root, "cache/skillhold/index.db");
    await runMain(["list", "--no-cache"], root, options);
    expect(existsSync(file)).toBe(false);
    const first = await runMain(["list"], root, options);
    expect(existsSync(file)).toBe(true);
    expect(await runMain(["list"], root, options)).toEqual(first);
  });
});

interface Row {
  readonly id: string;
  readonly source: string;
  readonly trust: string;
}

function trusts(data: { readonly skills: readonly Row[] }): Readonly<Record<string, string>> {
  return Object.fromEntries(data.skills.map(({ id, trust }) => [id, trust]));
}
