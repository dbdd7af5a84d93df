import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FolderLibrary, openLibrary } from "../library/open-library.ts";
import { bareHost, fixturePorts } from "./session.fixture.ts";
import { openSession } from "./session.ts";

let root: string;
let library: FolderLibrary;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "session-")));
  mkdirSync(join(root, "pdf", "references"), { recursive: true });
  writeFileSync(join(root, "secret.txt"), "secret");
  writeFileSync(
    join(root, "pdf", "SKILL.md"),
    "---\nname: pdf\ndescription: Forms.\n---\nSee {baseDir}/x.\n",
  );
  writeFileSync(join(root, "pdf", "references", "a.md"), "A reference.");
  symlinkSync("../secret.txt", join(root, "pdf", "link.txt"));
  const source = { label: "project", root, trust: "user", kind: "project" } as const;
  library = await openLibrary({ sources: [source], host: bareHost });
});

afterEach(async () => {
  await library.close();
  rmSync(root, { recursive: true, force: true });
});

test("activates a skill on disk with its folder, and rejects a link out of it [S-26]", async () => {
  const ports = fixturePorts();
  const session = await openSession(library, { runtime: "test" }, ports, { hasFileSystem: true });
  const { text, files } = await session.activate("pdf");
  expect(text).toContain(`See ${join(root, "pdf")}/x.`);
  expect(text).toContain(`Skill directory: ${join(root, "pdf")}\n`);
  expect(files.map(({ path }) => path)).toEqual(["references/a.md"]);
  expect(await session.resource("pdf", "references/a.md")).toMatchObject({ content: "A reference." });
  await expect(session.resource("pdf", "link.txt")).rejects.toMatchObject({ name: "SkillError" });
  expect(ports.events.at(-1)).toMatchObject({ type: "skill.denied", act: "read_resource", path: "link.txt" });
});

test("an edit during the session is read as a new text with its own hash [S-25]", async () => {
  const session = await openSession(library, { runtime: "test" }, fixturePorts());
  const before = await session.activate("pdf");
  writeFileSync(join(root, "pdf", "SKILL.md"), "---\nname: pdf\ndescription: Forms.\n---\nQuite new.\n");
  await library.reload();
  const after = await session.activate("pdf");
  expect(after.text).toContain("Quite new.");
  expect(after.treeHash).not.toBe(before.treeHash);
  expect(session.active()).toMatchObject([{ treeHash: after.treeHash }]);
});

test("a hidden skill is not read through the skill around it [S-26]", async () => {
  mkdirSync(join(root, "pdf", "inner"));
  writeFileSync(
    join(root, "pdf", "inner", "SKILL.md"),
    "---\nname: inner\ndescription: Secret.\n---\nSecret.\n",
  );
  writeFileSync(join(root, "pdf", "inner", "key.md"), "Secret.");
  await library.reload();
  const session = await openSession(library, { runtime: "test", allow: ["pdf"] }, fixturePorts());
  const { text, files } = await session.activate("pdf");
  expect(text).not.toContain("inner");
  expect(files.map(({ path }) => path)).toEqual(["references/a.md"]);
  for (const path of ["inner/SKILL.md", "inner/key.md", "references/../inner/key.md", "./inner/key.md"]) {
    await expect(session.resource("pdf", path)).rejects.toMatchObject({ name: "SkillError" });
  }
});
