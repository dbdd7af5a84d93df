import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeHost } from "./fake-host.ts";
import { main } from "./main.ts";
import { registryScene } from "./registry.fixture.ts";

const { root, storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

beforeEach(async () => {
  skill("pdf", "# Steps\nSee [the forms](forms.md).\n");
  write("pdf/forms.md", "All about forms.\n");
  write("pdf/scripts/hello.sh", "#!/bin/sh\necho hello $1\n");
  await text(["publish", "pdf"]);
  rmSync(join(root(), "pdf"), { recursive: true });
});

interface Listed {
  readonly id: string;
  readonly source: string;
}

async function listed(...options: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const { data } = await json(["list", ...options]);
  return data.skills.map(({ id, source }: Listed) => [id, source]);
}

describe("a library over the store", () => {
  test("includes the user's own store by default [S-64]", async () => {
    expect(await listed()).toEqual([["pdf", "registry"]]);
    expect((await text(["list"])).err).toBe("1 skill: run `skillhold show <id>` for details\n");
  });

  test("finds, shows and reads published skills [S-26] [S-61]", async () => {
    expect((await json(["search", "forms"])).data.hits).toMatchObject([{ id: "pdf" }]);
    expect((await text(["read", "--raw", "pdf"])).out).toBe("# Steps\nSee [the forms](forms.md).\n");
    expect((await text(["resource", "pdf", "forms.md"])).out).toBe("All about forms.\n");
    expect((await json(["resource", "pdf", "../../registry.db"])).code).toBe(7);
    const { data } = await json(["show", "pdf"]);
    expect(data.entry).toMatchObject({ source: "registry", trust: "user", revision: 1 });
    expect(data.files.map(({ path }: { path: string }) => path)).toEqual([
      "SKILL.md",
      "forms.md",
      "scripts/hello.sh",
    ]);
    expect((await text(["show", "pdf"])).out).toMatch(/\n {2}source +registry\n {2}trust +user: /);
  });

  test("prints existing paths with --locations [S-41]", async () => {
    const { out } = await text(["catalog", "--locations", "--format", "xml"]);
    expect(out).toContain("<name>pdf</name>");
    const { data } = await json(["show", "pdf"]);
    expect(existsSync(join(data.entry.path, "SKILL.md"))).toBe(true);
  });

  test.runIf(process.platform === "linux")("runs a script of a published skill [S-29] [S-41]", async () => {
    const { code, out } = await text([
      "run",
      "pdf",
      "scripts/hello.sh",
      "--yes-for-this-content",
      "--",
      "world",
    ]);
    expect({ code, out }).toEqual({ code: 0, out: "hello world\n" });
  });

  test("explain shows the store's address and its skill [S-19]", async () => {
    const { out } = await text(["explain", "pdf"]);
    expect(out).toMatch(/^visible .*\n {2}The skill is visible: ann owns it\. In the prompt\.\n/);
    expect(out).toMatch(
      /\n {2}1\. registry \(sqlite:.*registry\.db, trust user: .*published by a user\) ← has it\n/,
    );
    const { data } = await json(["explain"]);
    expect(data.store).toEqual({ label: "registry", address: expect.stringMatching(/^sqlite:/) });
    expect((await json(["explain", "--no-store"])).data.store).toBeNull();
  });

  test("explain lists the sources of an id in the order that wins [S-15] [S-19]", async () => {
    write(".agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Another.\n---\nDo.\n");
    const { out } = await text(["explain", "pdf"]);
    expect(out).toMatch(/^visible .*\(registry\)\n.*\nshadowed .*\(\.agents\/skills\)\n/);
    expect(out).toMatch(
      /\n {2}1\. registry .*← has it\n {2}2\. \.agents\/skills \(project, trust third_party: .*← has it\n/,
    );
  });

  test("is scanned for dependencies [S-34] [S-38]", async () => {
    skill("needy");
    write("needy/x.py", "import zzz_none\n");
    await text(["publish", "needy"]);
    rmSync(join(root(), "needy"), { recursive: true });
    const scanned = await json(["deps", "scan", "needy"]);
    expect(JSON.stringify(scanned.data.skills[0].dependencies)).toContain("zzz_none");
    const checked = await json(["deps", "check"]);
    expect(checked.code).toBe(3);
    expect(checked.data.skills).toMatchObject([
      { id: "needy", state: { state: "missing", missing: ["pip:zzz_none"] } },
      { id: "pdf", state: { state: "ok" } },
    ]);
    const { data } = await json(["list", "--deps"]);
    expect(data.skills.map(({ dependencies }: { dependencies: unknown }) => dependencies)).toEqual([
      { state: "missing", missing: ["pip:zzz_none"] },
      { state: "ok", missing: [] },
    ]);
  });
});

describe("source selection", () => {
  beforeEach(() => {
    write(".agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Folder.\n---\nFolder.\n");
  });

  test("a folder wins or loses by precedence, and the loser is reported [S-15]", async () => {
    const trusted = ["--trust-project"];
    expect(await listed(...trusted)).toEqual([["pdf", ".agents/skills"]]);
    expect((await json(["list", ...trusted])).data.shadowed).toMatchObject([
      { id: "pdf", source: "registry", by: { source: ".agents/skills" } },
    ]);
    // An untrusted project shadows no skill.
    expect(await listed()).toEqual([["pdf", "registry"]]);
    expect((await json(["show", "pdf", ...trusted])).data.shadowed).toMatchObject([{ source: "registry" }]);
  });

  test("--no-store, --source and --root exclude the store; --store and --source registry exclude the folders [S-15]", async () => {
    for (const options of [["--no-store"], ["--source", ".agents/skills"], ["--root", ".agents/skills"]])
      expect(await listed(...options)).toEqual([["pdf", ".agents/skills"]]);
    for (const options of [
      ["--source", "registry"],
      ["--store", `sqlite:${storeFile()}`],
    ])
      expect((await json(["explain", ...options])).data.candidates).toMatchObject([{ source: "registry" }]);
    const both = ["--source", "registry", "--source", ".agents/skills"];
    expect((await json(["explain", ...both])).data.candidates).toHaveLength(2);
    const named = ["--root", ".agents/skills", "--store", `sqlite:${storeFile()}`];
    expect((await json(["explain", ...named])).data.candidates).toHaveLength(2);
    expect(await json(["list", "--source", "registri"])).toMatchObject({
      code: 2,
      error: { code: "USAGE" },
    });
  });

  test("hints of a command name its store [S-60]", async () => {
    const { err } = await text(["list", "--store", `sqlite:${storeFile()}`]);
    expect(err).toBe(`1 skill: run \`skillhold show <id> --store sqlite:${storeFile()}\` for details\n`);
  });
});

describe("a store without skills", () => {
  test("that is empty exits 0 with a hint [S-60]", async () => {
    await text(["delete", "pdf"]);
    const { code, out, err } = await text(["list", "--source", "registry"]);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(/^No skills found\.\nLooked in the store \(sqlite:.*\)\.\nTo publish a skill: .*\n$/);
  });

  test("that is missing is an error only when it is named [S-60] [S-64]", async () => {
    const none = { env: { XDG_DATA_HOME: join(root(), "none") } };
    expect((await text(["list"], none)).code).toBe(0);
    for (const argv of [["list", "--source", "registry"], ["versions", "pdf"], ["delete", "pdf"], ["fsck"]]) {
      const { code, error } = await json(argv, none);
      expect({ code, error }).toEqual({
        code: 1,
        error: {
          code: "STORE_FAILED",
          message: "The store sqlite:none/skillhold/registry.db does not exist yet.",
          hint: "Run `skillhold publish <folder>` to create it, or name another with --store.",
        },
      });
    }
    expect(existsSync(join(root(), "none"))).toBe(false);
  });

  test("that is damaged does not block a list with --no-store [S-60]", async () => {
    writeFileSync(
      storeFile(),
      "this is no database, and it is long enough to be looked at as one. ".repeat(99),
    );
    const { code, error } = await json(["list"]);
    expect(code).not.toBe(0);
    expect(error.hint).toMatch(/Add --no-store to continue without the store\.$/);
    expect((await json(["list", "--no-store"])).code).toBe(0);
    const { data } = await json(["doctor"]);
    expect(data.checks.find(({ name }: { name: string }) => name === "store")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("--no-store"),
    });
  });
});

describe("the address of a store", () => {
  test("comes from --store, the variable, or the data folder, in this order [S-64]", async () => {
    skill("mine");
    const env = { SKILLHOLD_STORE: "sqlite:by-variable.db" };
    await text(["publish", "mine"], { env });
    expect(existsSync(join(root(), "by-variable.db"))).toBe(true);
    expect((await json(["list"], { env })).data.skills).toMatchObject([{ id: "mine" }]);
    await text(["publish", "mine", "--store", "sqlite:by-option.db"], { env });
    expect(existsSync(join(root(), "by-option.db"))).toBe(true);
    expect((await json(["versions", "mine"])).code).toBe(5);
  });

  test.each(["mysql://ann:sekret@host/db", "team.db", "sqlite:"])(
    "rejects %s without printing it [S-60]",
    async (url) => {
      for (const argv of [
        ["list", "--store", url],
        ["fsck", "--store", url],
      ]) {
        const { code, out, err } = await text(argv);
        expect({ code, out }).toEqual({ code: 2, out: "" });
        expect(err).toContain("hint: Write sqlite:<file> or postgres://");
        expect(err).not.toMatch(/sekret|team/);
      }
    },
  );

  test("of an unreachable server is printed without its password [S-60]", async () => {
    const url = "postgres://ann:sekret@127.0.0.1:1/skills";
    for (const argv of [["list"], ["versions", "pdf"], ["publish", "."]]) {
      const { code, out, err } = await text([...argv, "--store", url]);
      expect(code).toBe(1);
      expect(err).toContain("127.0.0.1");
      expect(out + err).not.toContain("sekret");
    }
    const { out } = await text(["doctor", "--store", url]);
    expect(out).toMatch(/\nfail store: /);
    expect(out).not.toContain("sekret");
  });
});

describe("doctor and watch", () => {
  test("doctor counts the skills of the store and checks their links [S-19] [S-60]", async () => {
    skill("lost", "See [this](nowhere.md).\n");
    await text(["publish", "lost"]);
    const { data } = await json(["doctor"]);
    const find = (wanted: string) => data.checks.find(({ name }: { name: string }) => name === wanted);
    expect(find("store")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^2 skills in sqlite:.*run `skillhold fsck` to verify it\.$/),
    });
    expect(find("links").details).toEqual(["lost: SKILL.md:5 nowhere.md does not exist"]);
    expect(find("sources")).toBeUndefined();
  });

  test("watch prints skills published by another process [S-18]", async () => {
    const env = { XDG_DATA_HOME: join(root(), "../data"), SKILLHOLD_USER: "ann" };
    const { host, texts, emit } = fakeHost(root(), { env });
    const running = main(["watch", "--json"], host);
    await expect.poll(() => texts().out).toContain('"skills":1');
    skill("more");
    await text(["publish", "more"]);
    await expect.poll(() => texts().out).toContain('"added":["more"]');
    emit("SIGINT");
    expect(await running).toBe(130);
  });
});
