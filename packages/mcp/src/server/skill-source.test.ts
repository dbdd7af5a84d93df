import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { type Library, openLibrary, type Viewer } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { type SkillEntry, withLimits } from "@skillhold/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { unservable } from "./served-skill.ts";
import { connectOld, openHttp, openSkills, skill } from "./server.fixture.ts";

const pdf = skill("pdf", {
  yaml: 'license: MIT\nmetadata:\n  version: "1.0"\n',
  files: {
    "references/Q&A 100%.md": "Answers.",
    "references/deep/er/x.txt": "x",
    "assets/logo.bin": new Uint8Array([0, 255, 7]),
    "nested/SKILL.md": "---\nname: nested\ndescription: x\n---\n",
  },
});

/** Everything that a client of the extension gets, checked by digest, size and frontmatter as it is read. */
async function readAll(client: Client) {
  const extension = new SkillsClient(client);
  const { skills, invalid } = await extension.list();
  const files: Record<string, string> = {};
  for (const each of skills)
    for (const { uri } of each.resources === "dynamic" ? [] : each.resources)
      files[uri] = Buffer.from((await extension.read(each, uri)).bytes).toString("latin1");
  return { skills, invalid, files };
}

describe("the skills extension", () => {
  test.each(["2025-11-25", "2026-07-28"] as const)(
    "lists skills with digests and serves their files, which %s verifies [S-57]",
    async (revision) => {
      const { connect, handler } = openHttp(openSkills([pdf, skill("mail")]).skills);
      const client = await connect(revision);
      const { skills, invalid, files } = await readAll(client);
      expect(invalid).toEqual([]);
      expect(skills.map(({ uri }) => uri)).toEqual(["skill://mail/SKILL.md", "skill://pdf/SKILL.md"]);
      expect(skills[1]?.frontmatter).toEqual({
        name: "pdf",
        description: "About pdf.",
        license: "MIT",
        metadata: { version: "1.0" },
      });
      expect(Object.keys(files)).toHaveLength(6);
      expect(files["skill://pdf/references/Q&A%20100%25.md"]).toBe("Answers.");
      expect(files["skill://pdf/assets/logo.bin"]).toBe("\0\xff\x07");
      await client.close();
      await handler.close();
    },
  );

  test("records every read and every denied read [S-57] [S-62]", async () => {
    const { skills, events } = openSkills([pdf, skill("mail")], { viewer: { allow: ["pdf"] } });
    const { client } = await connectOld(skills);
    const extension = new SkillsClient(client);
    const { skill: entry } = await extension.get("skill://pdf/SKILL.md");
    expect(events.map(({ type }) => type)).toEqual(["session.opened"]);
    await extension.read(entry);
    expect(events.at(-1)).toMatchObject({ type: "skill.resource_read", skill: "pdf", path: "SKILL.md" });
    await expect(client.readResource({ uri: "skill://mail/SKILL.md" })).rejects.toMatchObject({
      code: -32602,
    });
    expect(events.at(-1)).toMatchObject({ type: "skill.denied", skill: "mail" });
    await expect(extension.get("skill://mail/SKILL.md")).rejects.toMatchObject({ code: -32602 });
  });

  test("serves the current content of a skill, and no content of a removed one [S-17] [S-57]", async () => {
    const { skills, library } = openSkills([pdf]);
    const { client } = await connectOld(skills);
    const read = (path: string) => client.readResource({ uri: `skill://pdf/${path}` });
    expect((await read("references/deep/er/x.txt")).contents).toMatchObject([{ text: "x" }]);
    library.replace([skill("pdf", { files: { "references/deep/er/x.txt": "y" } })]);
    expect((await read("references/deep/er/x.txt")).contents).toMatchObject([{ text: "y" }]);
    await expect(read("assets/logo.bin")).rejects.toMatchObject({ code: -32602 });
    library.replace([skill("Pdf", { files: { "references/deep/er/x.txt": "z" } })]);
    await expect(read("references/deep/er/x.txt")).rejects.toMatchObject({ code: -32602 });
    library.replace([]);
    await expect(read("SKILL.md")).rejects.toMatchObject({ code: -32602 });
  });

  test("reads a file that is longer than one session read [S-57]", async () => {
    const long = `${"ä€𝄞 line\n".repeat(200_000)}`;
    const { client } = await connectOld(openSkills([skill("pdf", { files: { "a.md": long } })]).skills);
    const extension = new SkillsClient(client);
    const [entry] = (await extension.list()).skills;
    if (entry === undefined) throw new Error("no skill");
    const read = await extension.read(entry, "skill://pdf/a.md");
    expect({ verified: read.verified, same: Buffer.from(read.bytes).toString() === long }).toEqual({
      verified: true,
      same: true,
    });
  });

  test("accepts equivalent URIs and rejects invalid ones [S-26] [S-57]", async () => {
    const { client } = await connectOld(openSkills([pdf]).skills);
    for (const path of ["Q%26A%20100%25.md", "%51&A%20100%25.md", "x/%2e%2e/Q&A 100%25.md"]) {
      const { contents } = await client.readResource({ uri: `skill://pdf/references/${path}` });
      expect(contents).toMatchObject([{ text: "Answers." }]);
    }
    for (const uri of [
      "skill://pdf/../mail/SKILL.md",
      "skill://pdf/references%2fQ&A.md",
      "skill://pdf/references",
      "skill://pdf/SKILL.md?x",
      "skill://pdf/SKILL.md#x",
      "skill://PDF/SKILL.md",
      "skill://pdf:80/SKILL.md",
      "skill://pdf//SKILL.md",
      "skill://pdf/",
      "skill://pdf/missing.md",
      "file:///etc/passwd",
    ])
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code: expect.any(Number) });
  });

  test("reads folders in pages and rejects a file as a folder [S-57]", async () => {
    const files = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`data/${at}.txt`, "x"]));
    const { client } = await connectOld(openSkills([pdf, skill("many", { files })]).skills);
    const extension = new SkillsClient(client);
    const { resources } = await extension.readDirectory("skill://pdf");
    expect(resources.map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ["SKILL.md", "text/markdown"],
      ["assets", "inode/directory"],
      ["nested", "inode/directory"],
      ["references", "inode/directory"],
    ]);
    const below = await extension.readDirectory("skill://pdf/references/deep");
    expect(below.resources.map(({ uri }) => uri)).toEqual(["skill://pdf/references/deep/er"]);
    const Page = z.object({ resources: z.array(z.unknown()), nextCursor: z.string().optional() });
    const first = await client.request(
      { method: "resources/directory/read", params: { uri: "skill://many/data" } },
      Page,
    );
    expect([first.resources.length, typeof first.nextCursor]).toEqual([200, "string"]);
    const all = (await extension.readDirectory("skill://many/data")).resources.map(({ uri }) => uri);
    expect(new Set(all).size).toBe(450);
    await expect(extension.readDirectory("skill://pdf/SKILL.md")).rejects.toMatchObject({ code: -32602 });
  });

  test("lists each of many skills once in pages, also as resources [S-57]", async () => {
    const names = Array.from({ length: 130 }, (_, at) => `skill-${String(at).padStart(3, "0")}`);
    // The first page has no servable skill.
    const unserved = Array.from({ length: 60 }, (_, at) => skill(`Aa ${at}`));
    const { client } = await connectOld(
      openSkills([...unserved, ...names.map((name) => skill(name))]).skills,
    );
    const { skills } = await new SkillsClient(client).list();
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(names);
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(names);
    await expect(client.listResources({ cursor: "rubbish" })).rejects.toMatchObject({ code: -32602 });
  });
});

describe("a skill that cannot be served", () => {
  const odd = [
    skill("Big Name"),
    skill("typed", { yaml: "metadata:\n  version: 1.0\n" }),
    skill("multi", { yaml: 'note: "one\n  two"\n' }),
    skill("large", { files: { "a.bin": new Uint8Array(2 * 1024 * 1024) } }),
    { folder: "other", files: { "SKILL.md": "---\nname: another\ndescription: x\n---\n" } },
  ];

  test("is not listed or readable as a resource, and stays available to the tools [S-57]", async () => {
    const { client } = await connectOld(openSkills([pdf, ...odd]).skills);
    const { skills } = await new SkillsClient(client).list();
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["large", "pdf"]);
    await expect(client.readResource({ uri: "skill://typed/SKILL.md" })).rejects.toThrow();
    for (const id of ["big-name", "typed", "multi", "other"]) {
      const read = await client.callTool({ name: "read_skill", arguments: { skill_id: id } });
      expect(read.isError, id).toBeUndefined();
    }
  });

  test("is reported with the reason [S-19] [S-57]", async () => {
    const { library, skills } = openSkills([pdf, ...odd]);
    const named = await unservable(library, skills.viewer, withLimits({ mcpBytes: 1024 * 1024 }));
    expect(named.map(({ id, reasons }) => [id, reasons.join(" ")])).toEqual([
      ["big-name", expect.stringMatching(/name/)],
      ["large", expect.stringMatching(/MCP clients must accept/)],
      ["multi", expect.stringMatching(/quoted/)],
      ["other", expect.stringMatching(/must match the last path segment/)],
      ["typed", expect.stringMatching(/version/)],
    ]);
  });
});

test("a skill is served again when its broken edit is reverted [S-18] [S-57]", async () => {
  const root = mkdtempSync(join(tmpdir(), "skillhold-served-"));
  const write = (text: string) => writeFileSync(join(root, "pdf/SKILL.md"), text);
  const good = "---\nname: pdf\ndescription: About pdf.\n---\n# Steps\n";
  mkdirSync(join(root, "pdf"));
  write(good);
  const source = { label: "skills", kind: "user", trust: "user", root } as const;
  const library = await openLibrary({ sources: [source], host: nodeHost(process), watch: true });
  const { skills } = openSkills([]);
  const { client } = await connectOld({ ...skills, library });
  const names = async () => (await new SkillsClient(client).list()).skills.map(({ uri }) => uri);
  expect(await names()).toEqual(["skill://pdf/SKILL.md"]);
  write("---\nname: [\n---\n");
  await library.reload();
  expect(await names()).toEqual([]);
  write(good);
  await library.reload();
  expect(await names()).toEqual(["skill://pdf/SKILL.md"]);
  await client.close();
  await library.close();
  rmSync(root, { recursive: true, force: true });
});

test("a skill of another server is neither served nor fetched [S-57]", async () => {
  const { skills, library } = openSkills([pdf, skill("remote")]);
  const read: string[] = [];
  const foreign: Library = new Proxy(library, {
    get: (target, key) => {
      if (key === "list")
        return async (viewer: Viewer) => (await target.list(viewer)).map((entry) => asForeign(entry));
      if (key === "find")
        return async (viewer: Viewer, id: string) => {
          const entry = await target.find(viewer, id);
          return entry === undefined ? undefined : asForeign(entry);
        };
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]) => {
        if (key === "read" || key === "resource" || key === "files") read.push(String(args[1]));
        return Reflect.apply(value, target, args);
      };
    },
  });
  const { client } = await connectOld({ ...skills, library: foreign });
  const listed = await new SkillsClient(client).list();
  expect(listed.skills.map(({ uri }) => uri)).toEqual(["skill://pdf/SKILL.md"]);
  await expect(client.readResource({ uri: "skill://remote/SKILL.md" })).rejects.toMatchObject({
    code: -32602,
  });
  expect(await unservable(foreign, skills.viewer)).toEqual([]);
  expect(read).not.toContain("remote");
});

function asForeign(entry: SkillEntry): SkillEntry {
  return entry.id === "remote" ? { ...entry, source: "mcp:theirs" } : entry;
}
