import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestSession } from "@skillhold/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { materialize } from "./materialize.ts";
import { skillRecords } from "./skill-record.ts";

const skill = (
  folder: string,
  body = "Do it.",
  more: Readonly<Record<string, string | Uint8Array>> = {},
) => ({
  folder,
  files: { "SKILL.md": `---\nname: ${folder}\ndescription: Does ${folder}.\n---\n${body}\n`, ...more },
});
const image = new Uint8Array([0, 255, 1, 254]);
const skills = [skill("pdf", "Read it.", { "references/a.md": "A", "assets/dot.bin": image }), skill("docx")];

describe("skill records", () => {
  test("are the visible skills with every file, each read on record [S-58]", async () => {
    await using testing = await openTestSession(skills, { allow: ["pdf"] });
    const records = await skillRecords(testing.session);
    expect(records).toEqual([
      {
        name: "pdf",
        description: "Does pdf.",
        content: "Read it.\n",
        files: expect.arrayContaining([
          { path: "references/a.md", content: Buffer.from("A"), isExecutable: false },
          { path: "assets/dot.bin", content: Buffer.from(image), isExecutable: false },
        ]),
      },
    ]);
    const reads = testing.events.filter(({ type }) => type === "skill.resource_read");
    expect(reads.map((event) => ("path" in event ? event.path : "")).toSorted()).toEqual([
      "SKILL.md",
      "assets/dot.bin",
      "references/a.md",
    ]);
    expect(testing.session.active()).toEqual([]);
  });

  test("can be limited to some ids [S-58]", async () => {
    await using testing = await openTestSession(skills);
    expect((await skillRecords(testing.session, ["docx", "no-such"])).map(({ name }) => name)).toEqual([
      "docx",
    ]);
  });
});

describe("a materialized folder", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "skillhold-seam-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const names = (folder: string) => readdirSync(folder).filter((each) => !each.startsWith("."));

  test("has each visible skill as read-only files [S-58]", async () => {
    await using testing = await openTestSession(skills);
    await using copy = await materialize(testing.session, join(root, "skills"));
    expect(names(copy.folder)).toEqual(["docx", "pdf"]);
    expect(readFileSync(join(copy.folder, "pdf/assets/dot.bin"))).toEqual(Buffer.from(image));
    for (const path of ["pdf", "pdf/references", "pdf/SKILL.md"])
      expect(statSync(join(copy.folder, path)).mode & 0o222, path).toBe(0);
  });

  test("follows added, changed and removed skills, and leaves the others alone [S-58]", async () => {
    await using testing = await openTestSession(skills);
    const synced: (readonly string[])[] = [];
    await using copy = await materialize(testing.session, root, { onSync: (ids) => synced.push(ids) });
    const before = statSync(join(root, "docx")).ino;
    testing.library.replace([skill("pdf", "Read it twice."), skill("docx"), skill("xlsx")]);
    await expect
      .poll(() => synced)
      .toEqual(
        [
          ["pdf", "docx"],
          ["pdf", "xlsx"],
        ].map((ids) => expect.arrayContaining(ids)),
      );
    expect(names(root)).toEqual(["docx", "pdf", "xlsx"]);
    expect(readFileSync(join(root, "pdf/SKILL.md"), "utf8")).toContain("Read it twice.");
    expect(existsSync(join(root, "pdf/references"))).toBe(false);
    expect(statSync(join(root, "docx")).ino).toBe(before);
    testing.library.replace([skill("docx")]);
    await expect.poll(() => names(root)).toEqual(["docx"]);
    await copy.close();
    testing.library.replace([]);
    expect(names(root)).toEqual(["docx"]);
  });

  test("goes on with the folder of an earlier call, and rejects other folders [S-58]", async () => {
    await using testing = await openTestSession(skills);
    const [own = "", other = ""] = ["own", "other"].map((name) => join(root, name));
    await (await materialize(testing.session, own)).close();
    const reads = testing.events.length;
    await (await materialize(testing.session, own)).close();
    expect(testing.events).toHaveLength(reads);
    await materialize(testing.session, other).then((copy) => copy.close());
    rmSync(join(other, ".skillhold.json"));
    await expect(materialize(testing.session, other)).rejects.toMatchObject({ code: "USAGE" });
    for (const mark of ["{}", "no JSON", '{"skills":{"../own":"x"}}']) {
      writeFileSync(join(other, ".skillhold.json"), mark);
      const again = materialize(testing.session, other).then((copy) => copy.close());
      if (mark.includes("own")) await again;
      else await expect(again).rejects.toMatchObject({ code: "USAGE" });
    }
    // An id in the mark that is no folder there removes no other folder.
    expect(names(own)).toEqual(["docx", "pdf"]);
  });
});
