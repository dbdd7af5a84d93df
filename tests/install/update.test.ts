import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type GitServer, openGitServer, type Repository, skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";

const { project, home, root, text, json, read, write, has } = installScene({ beforeEach, afterEach });
const run = promisify(execFile);

let server: GitServer;
beforeAll(async () => {
  server = await openGitServer();
});
afterAll(async () => {
  await server.close();
});

let count = 0;
const LINES = Array.from({ length: 12 }, (_, at) => `Line ${at}.\n`);
const body = (changes: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, at) => changes[at] ?? line).join("");

function repository(): Repository {
  count += 1;
  const repo = server.repository(`acme/update-${count}`);
  repo.write({ "skills/pdf/SKILL.md": skillText("pdf", body()), "skills/pdf/references/a.md": "A\n" });
  repo.commit();
  return repo;
}

const PLACES = [
  ["the store", [] as readonly string[]],
  ["a project's folder", ["--target", "project"] as readonly string[]],
] as const;

describe.each(PLACES)("in %s", (_, place) => {
  const isFolder = place.length > 0;
  /** Edits the installed skill as a user would. */
  async function edit(content: string): Promise<void> {
    if (isFolder) write(".agents/skills/pdf/SKILL.md", content);
    else {
      await json(["export", "pdf", "--out", "edited", "--format", "folder"]);
      write("edited/pdf/SKILL.md", content);
      expect((await text(["publish", "edited/pdf"])).code).toBe(0);
    }
  }
  async function current(path = "SKILL.md"): Promise<string> {
    if (isFolder) return read(`.agents/skills/pdf/${path}`);
    const { data } = await json(["versions", "pdf"]);
    const [{ revision }] = data.versions;
    return (await text(["versions", "pdf", String(revision), "--file", path])).out;
  }
  const all = ["--yes", "--now", ...place];

  test("an update that touches other lines keeps local edits [S-47]", async () => {
    const repo = repository();
    expect((await text(["install", repo.url, "--yes", ...place])).code).toBe(0);
    await edit(skillText("pdf", body({ 1: "Mine.\n" })));
    repo.write({
      "skills/pdf/SKILL.md": skillText("pdf", body({ 10: "Theirs.\n" })),
      "skills/pdf/references/b.md": "B\n",
    });
    repo.commit();
    const { code, data } = await json(["update", "pdf", ...all]);
    expect({ code, skills: data.skills }).toMatchObject({
      code: 0,
      skills: [{ id: "pdf", status: "merged" }],
    });
    expect(await current()).toBe(skillText("pdf", body({ 1: "Mine.\n", 10: "Theirs.\n" })));
    expect(await current("references/b.md")).toBe("B\n");
    // The next update starts from what the source had, not from the merge.
    repo.write({ "skills/pdf/SKILL.md": skillText("pdf", body({ 10: "Theirs again.\n" })) });
    repo.commit();
    expect((await json(["update", "--all", ...all])).data.skills).toMatchObject([{ status: "merged" }]);
    expect(await current()).toBe(skillText("pdf", body({ 1: "Mine.\n", 10: "Theirs again.\n" })));
  });

  test("a conflict changes nothing, shows both sides and opens a proposal [S-47] [S-49]", async () => {
    const repo = repository();
    await text(["install", repo.url, "--yes", ...place]);
    await edit(skillText("pdf", body({ 5: "Mine.\n" })));
    repo.write({ "skills/pdf/SKILL.md": skillText("pdf", body({ 5: "Theirs.\n" })) });
    repo.commit();
    const before = await current();
    const { code, data } = await json(["update", "pdf", ...all]);
    expect({ code, failed: data.skills[0].error.code }).toEqual({ code: 6, failed: "CONFLICT" });
    expect(data.skills[0].conflicts[0].text).toContain(
      "<<<<<<< here\nMine.\n=======\nTheirs.\n>>>>>>> source\n",
    );
    expect(await current()).toBe(before);
    expect((await text(["update", "pdf", ...all])).err).toContain("Theirs.");
    const proposals = (await json(["proposal", "list", "--role", "admin"])).data.proposals;
    expect(proposals).toMatchObject([{ id: data.skills[0].proposal, origin: "merge", state: "pending" }]);
    const shown = await text(["proposal", "show", proposals[0].id, "--role", "admin"]);
    expect(shown.out).toContain("<<<<<<< here");
    await text(["proposal", "approve", proposals[0].id, "--role", "admin"]);
    expect((await text(["proposal", "apply", proposals[0].id, "--role", "admin"])).code).toBe(0);
    expect(await current()).toBe(skillText("pdf", body({ 5: "Theirs.\n" })));
  });

  test("a release waits until it is three days old, and a pinned skill stays [S-47]", async () => {
    const repo = repository();
    await text(["install", repo.url, "--yes", ...place]);
    repo.write({ "skills/pdf/SKILL.md": skillText("pdf", body({ 3: "New.\n" })) });
    repo.commit();
    const outdated = async () => (await json(["outdated", ...place])).data.skills[0];
    expect(await outdated()).toMatchObject({ id: "pdf", status: "waiting", isEdited: false });
    expect((await json(["update", "pdf", "--yes", ...place])).data).toMatchObject({
      skills: [],
      notes: [expect.stringContaining("waits until")],
    });
    expect(await current()).toBe(skillText("pdf", body()));
    expect((await json(["outdated", "--min-age", "0", ...place])).data.skills[0].status).toBe("outdated");
    await text(["pin", "pdf", ...place]);
    expect(await outdated()).toMatchObject({ status: "pinned" });
    expect((await json(["update", "--all", ...all])).data.skills).toEqual([]);
    await text(["pin", "pdf", "--off", ...place]);
    expect((await json(["update", "pdf", "--dry-run", ...all])).data.skills[0].status).toBe("updated");
    expect(await current()).toBe(skillText("pdf", body()));
    expect((await json(["update", "pdf", ...all])).data.skills[0].status).toBe("updated");
    expect(await current()).toBe(skillText("pdf", body({ 3: "New.\n" })));
    expect(await outdated()).toMatchObject({ status: "current" });
  });

  test("another publisher has to be accepted again [S-47]", async () => {
    const repo = repository();
    await text(["install", repo.url, "--yes", ...place]);
    const other = server.repository(`mallory/update-${count}`);
    other.write({ "skills/pdf/SKILL.md": skillText("pdf", body({ 3: "Evil.\n" })) });
    other.commit();
    const refused = await json(["install", other.url, "--yes", ...place]);
    expect({ code: refused.code, error: refused.error.code }).toEqual({
      code: 4,
      error: "APPROVAL_REQUIRED",
    });
    expect(await current()).toBe(skillText("pdf", body()));
    expect((await json(["install", other.url, "--yes", "--accept-changes", ...place])).code).toBe(0);
  });

  test("does not replace a user's own skill unless asked to [S-47]", async () => {
    const repo = repository();
    if (isFolder) write(".agents/skills/pdf/SKILL.md", skillText("pdf", "My own.\n"));
    else {
      write("own/pdf/SKILL.md", skillText("pdf", "My own.\n"));
      await text(["publish", "own/pdf"]);
    }
    const { code, data } = await json(["install", repo.url, "--yes", ...place]);
    expect({ code, error: data.skills[0].error.code }).toEqual({ code: 6, error: "CONFLICT" });
    expect(await current()).toBe(skillText("pdf", "My own.\n"));
    expect((await text(["install", repo.url, "--yes", "--replace", ...place])).code).toBe(0);
    expect(await current()).toBe(skillText("pdf", body()));
  });
});

/** The real `skills` command line. */
async function skillsCli(cwd: string, ...args: readonly string[]): Promise<string> {
  const quiet = { CI: "1", NO_COLOR: "1", DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1" };
  const argv = [resolve("node_modules/skills/bin/cli.mjs"), ...args];
  const env = { HOME: home(), PATH: process.env["PATH"], ...quiet };
  return (await run(resolve("node_modules/.bin/node"), argv, { cwd, env })).stdout;
}

test("keeps an edit that an update by the skills command line overwrites [S-47]", async () => {
  const repo = repository();
  const other = join(root(), "other");
  mkdirSync(other);
  await skillsCli(other, "add", repo.url, "--skill", "pdf", "--agent", "universal", "--copy", "-y");
  await text(["install", repo.url, "--target", "project", "--yes"]);
  const edited = skillText("pdf", body({ 1: "Mine.\n" }));
  const theirs = join(other, ".agents/skills/pdf/SKILL.md");
  writeFileSync(theirs, edited);
  write(".agents/skills/pdf/SKILL.md", edited);
  repo.write({ "skills/pdf/SKILL.md": skillText("pdf", body({ 10: "Theirs.\n" })) });
  repo.commit();
  await skillsCli(other, "update", "-p", "-y");
  expect((await text(["update", "pdf", "--target", "project", "--yes", "--now"])).code).toBe(0);
  expect(readFileSync(theirs, "utf8")).toBe(skillText("pdf", body({ 10: "Theirs.\n" })));
  expect(read(".agents/skills/pdf/SKILL.md")).toBe(skillText("pdf", body({ 1: "Mine.\n", 10: "Theirs.\n" })));
});

describe("the lock of a project", () => {
  const place = ["--target", "project", "--yes"] as const;

  test("is read by the skills command line, and its entry by us [S-46] [S-47]", async () => {
    const repo = repository();
    await text(["install", repo.url, ...place]);
    expect(await skillsCli(project(), "list")).toContain("pdf");
    const ours = JSON.parse(read("skills-lock.json"));
    expect(ours.skills.pdf).toMatchObject({
      sourceType: "git",
      sourceUrl: repo.url,
      skillPath: "skills/pdf/SKILL.md",
    });
    // Their own install of the same repository records the same hash.
    mkdirSync(join(root(), "other"));
    await skillsCli(join(root(), "other"), "add", repo.url, "--all", "--copy", "-y");
    const theirs = JSON.parse(readFileSync(join(root(), "other/skills-lock.json"), "utf8"));
    expect(theirs.skills.pdf.computedHash).toBe(ours.skills.pdf.computedHash);
    writeFileSync(join(project(), "skills-lock.json"), JSON.stringify(theirs, undefined, 2));
    expect((await json(["outdated", "--target", "project"])).data.skills[0]).toMatchObject({ id: "pdf" });
  });

  test("is enough to install from, and any difference exits 7 [S-47]", async () => {
    const repo = repository();
    await text(["install", repo.url, ...place]);
    const lock = read("skills-lock.json");
    repo.write({ "skills/pdf/SKILL.md": skillText("pdf", body({ 2: "Later.\n" })) });
    repo.commit();
    await text(["remove", "pdf", "--target", "project"]);
    write("skills-lock.json", lock);
    expect((await text(["install", "--frozen", "--target", "project"])).code).toBe(0);
    expect(read(".agents/skills/pdf/SKILL.md")).toBe(skillText("pdf", body()));
    expect(read("skills-lock.json")).toBe(lock);
    write(".agents/skills/pdf/references/a.md", "Edited.\n");
    expect((await text(["install", "--frozen", "--target", "project"])).code).toBe(7);
    await text(["remove", "pdf", "--target", "project", "--force"]);
    write("skills-lock.json", lock.replace(/"treeHash": "sha256:./, '"treeHash": "sha256:0'));
    const { code, error } = await json(["install", "--frozen", "--target", "project"]);
    expect({ code, error: error.code }).toEqual({ code: 7, error: "INTEGRITY_FAILED" });
    expect(has(".agents/skills/pdf")).toBe(false);
  });

  test("of another version is rejected and kept [S-46]", async () => {
    const repo = repository();
    write("skills-lock.json", '{"version": 9, "skills": {}}');
    expect((await text(["install", repo.url, ...place])).code).toBe(2);
    expect(read("skills-lock.json")).toBe('{"version": 9, "skills": {}}');
  });

  test("outside of projects is the one that skills and gh share, in version 3 [S-46]", async () => {
    const repo = repository();
    expect((await text(["install", repo.url, "--target", "global", "--yes"])).code).toBe(0);
    const lock = JSON.parse(readFileSync(join(home(), ".agents/.skill-lock.json"), "utf8"));
    expect(lock).toMatchObject({
      version: 3,
      skills: {
        pdf: {
          sourceType: "git",
          skillFolderHash: expect.stringMatching(/^[0-9a-f]{40}$/),
          installedAt: expect.any(String),
        },
      },
    });
  });
});
