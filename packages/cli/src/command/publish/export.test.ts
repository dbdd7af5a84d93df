import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, text, json, skill, write } = registryScene({ beforeEach, afterEach });
const other = ["--store", "sqlite:other.db"];

beforeEach(async () => {
  skill("a");
  write("b/scripts/run.sh", "echo 1\n");
  skill("b");
  await text(["publish", "a", "b"]);
});

interface Hashed {
  readonly id: string;
  readonly treeHash: string;
}

async function hashes(store: readonly string[] = []): Promise<readonly (readonly [string, string])[]> {
  const { data } = await json(["list", "--source", "registry", ...store]);
  return data.skills.map(({ id, treeHash }: Hashed) => [id, treeHash]);
}

describe("export and import", () => {
  test.each(["zip", "tar.gz"])("give the same bytes back by %s [S-46] [S-60]", async (format) => {
    const out = `all.${format}`;
    const made = await text(["export", "--all", "--out", out]);
    expect(made).toMatchObject({ code: 0, out: "a revision 1\nb revision 1\n" });
    expect(made.err).toMatch(new RegExp(`^2 skills written to ${out} \\(.*\\)\n$`));
    const { code, out: printed } = await text(["import", out, ...other]);
    expect(code).toBe(0);
    expect(printed).toMatch(/^a revision 1: published.*\nb revision 1: published.*\n$/);
    expect(await hashes(other)).toEqual(await hashes());
    expect((await text(["import", out, ...other])).out).toBe(
      "a revision 1: unchanged\nb revision 1: unchanged\n",
    );
  });

  test("--json reports the written and imported skills [S-46] [S-60]", async () => {
    const { data } = await json(["export", "a", "--out", "a.zip"]);
    expect(data).toMatchObject({
      out: "a.zip",
      format: "zip",
      bytes: expect.any(Number),
      isDryRun: false,
      skills: [{ id: "a", revision: 1 }],
    });
    const taken = await json(["import", "a.zip", ...other]);
    expect(taken.data).toMatchObject({ hasManifest: true, skills: [{ id: "a", status: "published" }] });
  });

  test("--dry-run writes no archive, folder or store [S-46]", async () => {
    expect((await text(["export", "--all", "--out", "all.zip", "--dry-run"])).err).toContain(
      "would be written",
    );
    await text(["export", "--all", "--out", "folder", "--format", "folder", "--dry-run"]);
    expect([existsSync(join(root(), "all.zip")), existsSync(join(root(), "folder"))]).toEqual([false, false]);
    await text(["export", "--all", "--out", "all.zip"]);
    expect((await text(["import", "all.zip", ...other, "--dry-run"])).out).toMatch(
      /^a revision 1: would be published/,
    );
    expect(existsSync(join(root(), "other.db"))).toBe(false);
  });

  test("an archive without a manifest is published with a note [S-46]", async () => {
    await text(["pack", "a"]);
    const { code, err } = await text(["import", "a.zip", ...other]);
    expect({ code, err }).toEqual({
      code: 0,
      err: "The archive has no manifest, so its skills were published like any archive.\n",
    });
  });

  test("a folder export has one folder per skill and a lock file with their origin [S-46]", async () => {
    const { code, data } = await json(["export", "--all", "--out", "skills", "--format", "folder"]);
    expect(code).toBe(0);
    expect(data.skills.map(({ id }: Hashed) => id)).toEqual(["a", "b"]);
    expect(readdirSync(join(root(), "skills"))).toEqual(expect.arrayContaining(["a", "b"]));
    expect(readFileSync(join(root(), "skills/b/scripts/run.sh"), "utf8")).toBe("echo 1\n");
    expect((await text(["publish", "skills"])).out).toBe(
      "a revision 1: unchanged\nb revision 1: unchanged\n",
    );
    await text(["export", "a", "--out", "more", "--format", "folder", "--lock", "skills-lock.json"]);
    const lock = JSON.parse(readFileSync(join(root(), "skills-lock.json"), "utf8"));
    expect(Object.keys(lock.skills)).toEqual(["a"]);
  });

  test("a ClawHub bundle comes with a license note [S-46]", async () => {
    const { code, err } = await text(["export", "a", "--out", "a.zip", "--format", "clawhub"]);
    expect(code).toBe(0);
    expect(err).toMatch(/^note: .*MIT-0.*\n/);
  });

  test("apply skill limits to each skill of an export, and archive limits to other archives [S-16] [S-46]", async () => {
    const hash = `sha256:${"0".repeat(64)}`;
    const rest = { visibility: "private", override: {}, grants: [], provenance: {} };
    const exported = { id: "big", treeHash: hash, skillHash: hash, ...rest };
    const manifest = { format: "skillhold-export", version: 1, skills: [exported] };
    write("in/skillhold-export.json", JSON.stringify(manifest));
    skill("in/big");
    for (let each = 0; each < 2000; each += 1) write(`in/big/${each}.txt`, "");
    const pack = (out: string, ...names: readonly string[]) =>
      execFileSync("tar", ["-czf", out, "-C", "in", ...names], { cwd: root() });
    pack("export.tar.gz", "skillhold-export.json", "big");
    expect((await json(["import", "export.tar.gz", ...other])).data.skills).toMatchObject([
      { id: "big", status: "failed", error: { code: "LIMIT_EXCEEDED" } },
    ]);
    pack("plain.tar.gz", "big");
    expect((await json(["import", "plain.tar.gz", ...other])).error.code).toBe("LIMIT_EXCEEDED");
  });

  test("report an empty export [S-46] [S-60]", async () => {
    write("skillhold-export.json", JSON.stringify({ format: "skillhold-export", version: 1, skills: [] }));
    execFileSync("tar", ["-czf", "none.tar.gz", "skillhold-export.json"], { cwd: root() });
    expect(await text(["import", "none.tar.gz", ...other])).toEqual({
      code: 0,
      out: "",
      err: "The archive has no skills.\n",
    });
  });

  test("name a path that cannot be written and write no other file [S-60]", async () => {
    write("afile", "");
    symlinkSync("nowhere", join(root(), "dangling"));
    const folder = ["--format", "folder"];
    for (const out of ["afile", "dangling"])
      expect(await json(["export", "a", "--out", out, ...folder])).toMatchObject({
        code: 2,
        error: { code: "USAGE", message: `${out} is not a folder.` },
      });
    expect(await json(["export", "a", "--out", "afile/x.zip"])).toMatchObject({
      error: { code: "IO_FAILED", message: "afile/x.zip cannot be written (ENOTDIR)." },
    });
    for (const out of ["afile/skills", "/proc/zz/skills"])
      expect((await json(["export", "a", "--out", out, ...folder])).error.code).toBe("IO_FAILED");
    const lock = ["--lock", "afile/lock.json"];
    const locked = await json(["export", "a", "--out", "skills", ...folder, ...lock]);
    expect(locked.error).toMatchObject({ code: "IO_FAILED", message: expect.stringContaining("lock.json") });
    expect(existsSync(join(root(), "skills/a"))).toBe(false);
  });

  test("reject contradictory options before writing [S-60]", async () => {
    expect(await json(["export", "--out", "x.zip"])).toMatchObject({ code: 2, error: { code: "USAGE" } });
    expect((await json(["export", "a", "--all", "--out", "x.zip"])).code).toBe(2);
    expect((await json(["export", "a", "--out", "x.rar"])).error.hint).toContain("--format");
    expect((await json(["export", "a", "--format", "folder"])).error.message).toContain("--out");
    expect(await json(["export", "a", "zzz", "--out", "x.zip"])).toMatchObject({
      code: 5,
      error: { code: "SKILL_NOT_FOUND" },
    });
    expect(existsSync(join(root(), "x.zip"))).toBe(false);
    expect((await json(["import", "nowhere.zip"])).code).toBe(5);
    write("x.zip", "no archive");
    expect(await json(["import", "x.zip"])).toMatchObject({ code: 3, error: { code: "ARCHIVE_INVALID" } });
  });
});
