import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { Fetcher, readSource, resolveSource, systemGit } from "@skillhold/registry/install";
import { launch } from "@skillhold/sandbox/backend";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type GitServer, openGitServer, skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";

const { project, text, json, read, has, root } = installScene({ beforeEach, afterEach });

let server: GitServer;
beforeAll(async () => {
  server = await openGitServer();
});
afterAll(async () => {
  await server.close();
});

let count = 0;
function repository(options?: { readonly hasFilters?: boolean }) {
  count += 1;
  return server.repository(`acme/repo-${count}`, options);
}

describe.each([true, false])("git over http-backend, filters %s", (hasFilters) => {
  test("installs one skill of a repository into the store with its commit and subtree [S-47]", async () => {
    const repo = repository({ hasFilters });
    repo.write({
      "skills/pdf/SKILL.md": skillText("pdf"),
      "skills/pdf/scripts/run.sh*": "echo hi\n",
      "skills/docx/SKILL.md": skillText("docx"),
    });
    const commit = repo.commit();
    const { code, data } = await json(["install", `${repo.url}#@pdf`, "--yes"]);
    expect({ code, skills: data.skills }).toEqual({
      code: 0,
      skills: [expect.objectContaining({ id: "pdf", status: "installed", revision: 1 })],
    });
    const { data: shown } = await json(["versions", "pdf", "1"]);
    expect(shown.provenance ?? shown.revision?.provenance).toMatchObject({
      source: "git",
      originUrl: repo.url,
      path: "skills/pdf",
      commit,
      subtree: repo.git("rev-parse", `${commit}:skills/pdf`),
      verified: "none",
      firstSeen: expect.stringMatching(/^\d{4}-/),
      by: { user: "ann", role: "publisher" },
    });
  });

  test("finds a branch with a slash, a tag object, an old commit and a folder [S-47]", async () => {
    const repo = repository({ hasFilters });
    repo.write({ "tools/a/SKILL.md": skillText("a", "First.\n") });
    const first = repo.commit();
    repo.git("tag", "-a", "v1", "-m", "one");
    repo.write({ "tools/a/SKILL.md": skillText("a", "Second.\n") });
    repo.commit();
    repo.git("checkout", "-q", "-b", "feature/new/look");
    repo.write({ "tools/a/SKILL.md": skillText("a", "Third.\n") });
    repo.commit();
    const base = repo.url;
    const tree = (ref: string) => `${base.replace(/\.git$/, "")}/-/tree/${ref}`;
    const bodies: string[] = [];
    for (const source of [
      tree("feature/new/look/tools/a"),
      `${base}#v1`,
      `git+${base}#${first}:tools/a`,
      `${base}#main`,
    ]) {
      const { code, err } = await text([
        "install",
        source,
        "--target",
        "project",
        "--yes",
        "--replace",
        "--id",
        "a",
      ]);
      expect({ source, code, err: code === 0 ? "" : err }).toEqual({ source, code: 0, err: "" });
      bodies.push(read(".agents/skills/a/SKILL.md").split("---\n").at(-1) ?? "");
    }
    expect(bodies).toEqual(["Third.\n", "First.\n", "First.\n", "Second.\n"]);
  });
});

test("installs 200 skills of one repository with one fetch of their files [S-47]", async () => {
  const repo = repository();
  repo.write(
    Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`skills/s-${at}/SKILL.md`, skillText(`s-${at}`)]),
    ),
  );
  repo.commit();
  const before = server.traffic.requests;
  const { code, data } = await json(["install", repo.url, "--target", "project", "--yes"]);
  expect({
    code,
    installed: data.skills.filter(({ status }: { status: string }) => status === "installed").length,
  }).toEqual({
    code: 0,
    installed: 200,
  });
  expect(server.traffic.requests - before).toBeLessThan(12);
  expect(readdirSync(join(project(), ".agents/skills")).length).toBe(200);
});

test("lays a skill out for an agent as a relative link, or as a copy [S-47]", async () => {
  const repo = repository();
  repo.write({ "SKILL.md": skillText("solo") });
  repo.commit();
  await text(["install", repo.url, "--agent", "claude-code", "--yes"]);
  expect(readlinkSync(join(project(), ".claude/skills/solo"))).toBe("../../.agents/skills/solo");
  expect(read(".claude/skills/solo/SKILL.md")).toBe(skillText("solo"));
  await text(["install", repo.url, "--agent", "roo", "--copy", "--yes"]);
  expect(lstatSync(join(project(), ".roo/skills/solo")).isDirectory()).toBe(true);
  await text(["remove", "solo", "--agent", "claude-code"]);
  expect([has(".claude/skills/solo"), has(".agents/skills/solo")]).toEqual([false, false]);
});

describe("a hostile repository", () => {
  test("with a link in the skill is refused, and no file outside is read [S-47]", async () => {
    const repo = repository();
    repo.write({ "skills/evil/SKILL.md": skillText("evil"), "skills/evil/passwd": { link: "/etc/passwd" } });
    repo.commit();
    const { code, data } = await json(["install", repo.url, "--yes"]);
    expect({ code, skills: data.skills }).toMatchObject({
      code: 3,
      skills: [{ error: { code: "SKILL_INVALID", message: expect.stringContaining("symbolic link") } }],
    });
  });

  test("runs no hook, filter, attribute or submodule of its own [S-47]", async () => {
    const mark = join(root(), "ran");
    const repo = repository();
    repo.write({
      "skills/ok/SKILL.md": skillText("ok"),
      ".gitattributes": "* filter=evil\n",
      ".gitmodules": `[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c touch% ${mark}\n`,
      ".githooks/post-checkout*": `#!/bin/sh\ntouch ${mark}\n`,
    });
    repo.git("config", "filter.evil.smudge", `touch ${mark}`);
    repo.commit();
    expect((await text(["install", repo.url, "--target", "project", "--yes"])).code).toBe(0);
    expect(existsSync(mark)).toBe(false);
    expect(has(".agents/skills/ok/SKILL.md")).toBe(true);
  });

  test("with 100,000 files gives its one skill, and a skill of too many files is refused [S-47]", async () => {
    const repo = repository();
    repo.write({
      "skills/one/SKILL.md": skillText("one"),
      "skills/big/SKILL.md": skillText("big"),
      empty: "",
    });
    repo.commit();
    const empty = repo.git("hash-object", "empty");
    const lines = Array.from(
      { length: 100_000 },
      (_, at) => `100644 ${empty}\tskills/big/d${at % 100}/f${at}\n`,
    );
    execFileSync("git", ["update-index", "--index-info"], {
      cwd: repo.git("rev-parse", "--show-toplevel"),
      input: lines.join(""),
    });
    repo.git("commit", "--quiet", "-m", "big");
    repo.git("push", "--quiet", "origin", "main");
    const { code } = await text(["install", `${repo.url}#@one`, "--target", "project", "--yes"]);
    expect(code).toBe(0);
    const big = await json(["install", `${repo.url}#@big`, "--target", "project", "--yes"]);
    expect([big.code, big.data.skills[0].error.code]).toEqual([3, "LIMIT_EXCEEDED"]);
    expect(has(".agents/skills/big")).toBe(false);
  });

  test("with a large file that packs well gives its other skill, and the large one is refused [S-47]", async () => {
    const repo = repository();
    repo.write({
      "skills/one/SKILL.md": skillText("one"),
      "skills/big/SKILL.md": skillText("big"),
      "skills/big/zeros.bin": Buffer.alloc(60 * 1024 * 1024),
    });
    repo.commit();
    const { code } = await text(["install", `${repo.url}#@one`, "--target", "project", "--yes"]);
    expect(code).toBe(0);
    const big = await json(["install", `${repo.url}#@big`, "--target", "project", "--yes"]);
    expect([big.code, big.error?.code ?? big.data.skills[0].error.code]).toEqual([3, "LIMIT_EXCEEDED"]);
    expect(has(".agents/skills/big")).toBe(false);
  });
});

describe("bad input", () => {
  const cases = [
    ["a host without an address", () => "https://no-such-host.invalid/o/r.git", "REMOTE_FAILED", 1],
    ["a repository that is not there", () => `${server.url}/acme/none.git`, "PATH_NOT_FOUND", 5],
    ["an option in place of a URL", () => "--upload-pack=touch", "USAGE", 2],
    ["a program in place of a URL", () => "ext::sh -c true", "USAGE", 2],
    ["a file URL", () => "file:///etc", "USAGE", 2],
    ["a password in a URL", () => "https://ann:secret@example.org/r.git", "USAGE", 2],
  ] as const;
  test.each(cases)("%s has a code and a hint, and leaves no trace [S-47]", async (_, source, code, exit) => {
    // Other test runs use the shared folder at the same time.
    vi.stubEnv("TMPDIR", root());
    const { code: status, out } = await text(["install", "--yes", "--json", "--", source()]);
    const { error } = JSON.parse(out);
    expect({ status, code: error.code, hint: error.hint }).toEqual({
      status: exit,
      code,
      hint: expect.stringMatching(/./),
    });
    expect(tmpdir()).toBe(root());
    expect(readdirSync(root()).filter((name) => name.startsWith("skillhold-install-"))).toEqual([]);
  });

  test("a ref that is not there changes nothing [S-47]", async () => {
    const repo = repository();
    repo.write({ "SKILL.md": skillText("solo") });
    repo.commit();
    await text(["install", repo.url, "--target", "project", "--yes"]);
    const lock = read("skills-lock.json");
    const { code, error } = await json(["install", `${repo.url}#nope`, "--target", "project", "--yes"]);
    expect({ code, error: error.code }).toEqual({ code: 5, error: "PATH_NOT_FOUND" });
    expect(read("skills-lock.json")).toBe(lock);
  });

  test("without a terminal and without --yes installs nothing [S-47]", async () => {
    const repo = repository();
    repo.write({ "SKILL.md": skillText("solo") });
    repo.commit();
    const { code, error } = await json(["install", repo.url, "--target", "project"]);
    expect({ code, error: error.code }).toEqual({ code: 4, error: "APPROVAL_REQUIRED" });
    expect(has(".agents")).toBe(false);
    const asked = await text(["install", repo.url, "--target", "project"], { typed: "y\n" });
    expect(asked.code).toBe(0);
    expect(asked.err).toContain("1 file");
  });
});

test("git dials the address that was judged, also when the name server changes its answer [S-47]", async () => {
  const repo = repository();
  repo.write({ "skills/pdf/SKILL.md": skillText("pdf") });
  repo.commit();
  const answers = [["127.0.0.1"], ["192.0.2.1"]];
  let asked = 0;
  const resolve = async () => answers[Math.min(asked++, 1)] ?? [];
  const policy = { isPrivateAllowed: () => true, isPlainAllowed: () => true };
  const fetcher = new Fetcher({ resolve, policy, limits: defaultLimits });
  const env = { PATH: process.env["PATH"] };
  const git = systemGit({ launch, pins: fetcher.pins, env, isPlainAllowed: () => true });
  const ports = { fetcher, git, settings: { cwd: project() }, limits: defaultLimits, work: root() };
  // Only the pin knows this host.
  const url = repo.url.replace("127.0.0.1", "skills.test");
  const resolved = await resolveSource(readSource(`${url}#main`), ports);
  expect(await resolved.fetch(resolved.skills)).toMatchObject([{ name: "pdf" }]);
  expect([asked, server.seen.at(-1)?.host]).toEqual([1, new URL(url).host]);
});
