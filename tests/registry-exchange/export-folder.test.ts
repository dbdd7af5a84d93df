import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pack, treeHash } from "@skillhold/core/bundle";
import { exportFolder } from "@skillhold/registry/exchange";
import type { RegistryContext } from "@skillhold/registry/record";
import { publishFolder } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { admin, Bench, getRow } from "./store.fixture.ts";

describe("an export to a folder", () => {
  let bench: Bench;
  let context: RegistryContext;
  let folder: string;
  beforeEach(async () => {
    bench = new Bench("sqlite");
    context = await bench.context();
    folder = bench.path("project/.agents/skills");
    const hello = bench.skill("own/hello", "# Hello\n", "description: Says hello. Use when greeting.");
    bench.write("own/hello/scripts/run.sh", "#!/bin/sh\necho hi\n", 0o755);
    bench.write("own/hello/references/B.md", "x\n");
    bench.write("own/hello/references/a.md", "y\n");
    bench.write("own/hello/.hidden", "z");
    await publishFolder(hello, { by: admin }, context);
  });
  afterEach(() => bench.close());

  const read = (path: string) => readFileSync(bench.path("project", path), "utf8");
  const run = (ids: readonly string[] | "all" = "all", options = {}) =>
    exportFolder(ids, folder, options, context);
  async function publishNext(body = "# Next\n"): Promise<void> {
    const hello = bench.skill("own/hello", body, "description: Says hello. Use when greeting.");
    await publishFolder(hello, { by: admin }, context);
  }
  const hashOf = async (path: string) => (await treeHash(await pack(path))).hash;

  test("writes the skill and the same lock as the skills command line [S-46]", async () => {
    const { skills, lock, notes } = await run();
    const { treeHash: hash } = await getRow("hello", context);
    expect(lock).toBe(bench.path("project/skills-lock.json"));
    expect(notes).toEqual([]);
    expect(skills).toEqual([
      {
        id: "hello",
        folder: bench.path("project/.agents/skills/hello"),
        status: "written",
        revision: 1,
        treeHash: hash,
      },
    ]);
    expect(await hashOf(bench.path("project/.agents/skills/hello"))).toBe(hash);
    expect(statSync(bench.path("project/.agents/skills/hello/SKILL.md")).mode & 0o777).toBe(0o644);
    expect(statSync(bench.path("project/.agents/skills/hello/scripts/run.sh")).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder)).toEqual(["hello"]);
    expect(readdirSync(bench.path("project")).sort()).toEqual([".agents", "skills-lock.json"]);
    // The hash was computed by skills 1.7.4.
    expect(read("skills-lock.json")).toBe(`{
  "version": 1,
  "skills": {
    "hello": {
      "source": "./.agents/skills/hello",
      "sourceType": "local",
      "computedHash": "5edfe3a6b79dfe04490487c85c9b84a0557ed700376627f1fd025bf4e8771d0a",
      "skillhold": {
        "treeHash": "${hash}",
        "revision": 1
      }
    }
  }
}
`);
  });

  test("does not write unchanged skills [S-46]", async () => {
    await run();
    const files = ["skills-lock.json", ".agents/skills/hello/SKILL.md"].map((path) =>
      bench.path("project", path),
    );
    const stamps = () => files.map((file) => [statSync(file).ino, statSync(file).mtimeMs]);
    const before = stamps();
    expect((await run()).skills).toMatchObject([{ status: "unchanged" }]);
    expect(stamps()).toEqual(before);
  });

  test("replaces an earlier export and keeps other files [S-46]", async () => {
    await run();
    bench.write("project/.agents/skills/hello/.git/HEAD", "ref: main\n");
    bench.write("project/.agents/skills/hello/references/.DS_Store", "junk");
    bench.write("own/hello/references/B.md", "x2\n");
    await publishNext();
    const { skills, notes } = await run();
    expect(skills).toMatchObject([{ status: "updated", revision: 2 }]);
    expect(notes).toEqual([
      "hello/.git is not part of the skill and was kept.",
      "hello/references/.DS_Store is not part of the skill and was kept.",
    ]);
    const { treeHash: hash } = await getRow("hello", context);
    expect(await hashOf(bench.path("project/.agents/skills/hello"))).toBe(hash);
    expect(read(".agents/skills/hello/.git/HEAD")).toBe("ref: main\n");
    expect(read(".agents/skills/hello/references/.DS_Store")).toBe("junk");
    expect(read("skills-lock.json")).toContain('"revision": 2');
    expect(readdirSync(folder)).toEqual(["hello"]);
  });

  test.each([
    ["a file was edited", () => bench.write("project/.agents/skills/hello/SKILL.md", "mine")],
    ["a file was added", () => bench.write("project/.agents/skills/hello/notes.md", "mine")],
    [
      "a file was made executable",
      () => chmodSync(bench.path("project/.agents/skills/hello/SKILL.md"), 0o755),
    ],
  ])("rejects and names a skill if %s [S-46]", async (_what, edit) => {
    await run();
    edit();
    await publishNext();
    await publishFolder(bench.skill("own/other"), { by: admin }, context);
    const before = snapshot(bench.path("project"));
    await expect(run()).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("hello"),
      details: { refused: [{ id: "hello", folder: bench.path("project/.agents/skills/hello") }] },
    });
    // No skill was written, not even the other one.
    expect(snapshot(bench.path("project"))).toEqual(before);
    expect((await run(["other"])).skills).toMatchObject([{ id: "other", status: "written" }]);
  });

  test("keeps files that are edited while it runs [S-46]", async () => {
    await publishFolder(bench.skill("own/other"), { by: admin }, context);
    await run();
    await publishNext();
    for (const [path, text] of [
      ["SKILL.md", "mine"],
      [".git/HEAD", "mine"],
    ] as const) {
      const { store } = context;
      const listRevisions: typeof store.listRevisions = async (uid) => {
        // The other skill comes second, so the first one has been checked by then.
        if (uid === (await getRow("other", context)).uid)
          bench.write(`project/.agents/skills/hello/${path}`, text);
        return await store.listRevisions(uid);
      };
      const edited = { ...context, store: { ...store, listRevisions } };
      await expect(exportFolder("all", folder, {}, edited)).rejects.toMatchObject({ code: "CONFLICT" });
      expect(read(`.agents/skills/hello/${path}`)).toBe("mine");
      expect(readdirSync(folder)).toEqual(["hello", "other"]);
      rmSync(folder, { recursive: true });
      await run();
      await publishNext(`# ${path}\n`);
    }
  });

  test("names the leftovers of an interrupted export [S-46]", async () => {
    bench.write("project/.agents/skills/.skillhold-a1b2c3/new/.git/HEAD", "mine");
    const note = expect.stringContaining(".skillhold-a1b2c3");
    expect((await run("all", { isDryRun: true })).notes).toEqual([note]);
    expect((await run()).notes).toEqual([note]);
    expect(read(".agents/skills/.skillhold-a1b2c3/new/.git/HEAD")).toBe("mine");
  });

  test.runIf(process.platform === "linux")(
    "fails at once if the folder cannot be created [S-46]",
    async () => {
      folder = "/proc/skillhold-nowhere/skills";
      await expect(run()).rejects.toMatchObject({ code: "IO_FAILED" });
    },
  );

  test("replaces any revision of the skill, whatever the lock contains [S-46]", async () => {
    await run();
    bench.write("project/skills-lock.json", '{"version":1,"skills":{}}\n');
    await publishNext();
    expect((await run()).skills).toMatchObject([{ status: "updated", revision: 2 }]);
  });

  test("replaces a skill that matches the lock, even from another registry [S-46]", async () => {
    await run();
    const elsewhere = await bench.context();
    const other = bench.skill("elsewhere/hello", "# Other\n");
    await publishFolder(other, { by: admin }, elsewhere);
    const { skills } = await exportFolder("all", folder, {}, elsewhere);
    expect(skills).toMatchObject([{ status: "updated", revision: 1 }]);
    bench.write("project/skills-lock.json", '{"version":1,"skills":{}}\n');
    await expect(run()).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("never replaces a link, a file or an unknown folder [S-46]", async () => {
    bench.write("elsewhere/hello/SKILL.md", "mine");
    mkdirSync(folder, { recursive: true });
    symlinkSync(bench.path("elsewhere/hello"), bench.path("project/.agents/skills/hello"));
    await expect(run()).rejects.toThrow(/is a link/);
    expect(readFileSync(bench.path("elsewhere/hello/SKILL.md"), "utf8")).toBe("mine");
    folder = bench.path("second/skills");
    bench.write("second/skills/hello", "mine");
    await expect(run()).rejects.toThrow(/not a folder/);
    folder = bench.path("third/skills");
    bench.write("third/skills/hello/SKILL.md", "mine");
    await expect(run()).rejects.toMatchObject({ code: "CONFLICT" });
    folder = bench.path("fourth/skills");
    mkdirSync(bench.path("fourth/skills/hello"), { recursive: true });
    expect((await run()).skills).toMatchObject([{ status: "written" }]);
  });

  test("keeps a file in the place of a new one and fails [S-46]", async () => {
    bench.write("own/hello/.gitignore", "local.md\n");
    await publishNext();
    await run();
    bench.write("project/.agents/skills/hello/local.md", "mine");
    bench.write("own/hello/.gitignore", "nothing\n");
    bench.write("own/hello/local.md", "theirs");
    await publishNext("# Newer\n");
    await expect(run()).rejects.toThrow(/local.md is in the place of a file/);
    expect(read(".agents/skills/hello/local.md")).toBe("mine");
  });

  test("keeps all other entries of the lock [S-46]", async () => {
    const lock = `{
  "version": 1,
  "skills": {
    "zeta": {
      "source": "acme/skills",
      "sourceType": "github",
      "computedHash": "00",
      "later": [
        1
      ]
    }
  },
  "note": "mine"
}
`;
    bench.write("project/skills-lock.json", lock);
    await run();
    const written = read("skills-lock.json");
    const { skills, ...rest } = JSON.parse(written);
    expect(Object.keys(skills)).toEqual(["hello", "zeta"]);
    expect(`${JSON.stringify({ version: 1, skills: { zeta: skills.zeta }, ...rest }, null, 2)}\n`).toBe(lock);
  });

  test("keeps an unreadable lock and writes no skill [S-46]", async () => {
    bench.write("project/skills-lock.json", "<<<<<<< HEAD\n");
    await expect(run()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(read("skills-lock.json")).toBe("<<<<<<< HEAD\n");
    expect(existsSync(folder)).toBe(false);
  });

  test("updates the given lock with relative paths [S-46]", async () => {
    const { lock } = await run("all", { lock: bench.path("project/locks/skills-lock.json") });
    expect(lock).toBe(bench.path("project/locks/skills-lock.json"));
    expect(read("locks/skills-lock.json")).toContain('"source": "../.agents/skills/hello"');
    folder = bench.path("plain");
    expect(dirname((await run()).lock)).toBe(folder);
  });

  test("reports the changes of a dry run without writing [S-46]", async () => {
    const { skills } = await run("all", { isDryRun: true });
    expect(skills).toMatchObject([{ id: "hello", status: "written" }]);
    expect(existsSync(bench.path("project"))).toBe(false);
  });

  test("also writes ClawHub's files on request, outside the skill's own files [S-46]", async () => {
    const clawhub = { registry: "https://registry.example" };
    const now = new Date("2026-02-03T04:05:06Z");
    context = { ...context, clock: { now: () => now } };
    await run("all", { clawhub });
    const origin = JSON.parse(read(".agents/skills/hello/.clawhub/origin.json"));
    expect(origin).toEqual({
      version: 1,
      registry: "https://registry.example",
      slug: "hello",
      installedVersion: "0.0.1",
      installedAt: now.getTime(),
      fingerprint: "286e74188338c688cb41ab3413ed232db5eef4aa37ba36bafcf524680aac1b57",
    });
    expect(JSON.parse(read(".clawhub/lock.json"))).toEqual({
      version: 1,
      skills: { hello: { version: "0.0.1", installedAt: now.getTime() } },
    });
    expect((await run("all", { clawhub })).skills).toMatchObject([{ status: "unchanged" }]);
    await publishNext();
    expect((await run("all", { clawhub })).skills).toMatchObject([{ status: "updated" }]);
    expect(JSON.parse(read(".agents/skills/hello/.clawhub/origin.json")).installedVersion).toBe("0.0.2");
  });
});

/** Every file below a folder with its mode and text. */
function snapshot(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
  const files = paths.filter((path) => statSync(path).isFile()).sort();
  return files.map((path) => `${path} ${statSync(path).mode} ${readFileSync(path, "utf8")}`);
}
