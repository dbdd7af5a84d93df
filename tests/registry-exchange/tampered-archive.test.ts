import { randomBytes } from "node:crypto";
import { archiveInMemory, writeArchive } from "@skillhold/core/archive";
import { exportSkills, importSkills } from "@skillhold/registry/exchange";
import type { RegistryContext } from "@skillhold/registry/record";
import { publishFolder } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openArchive } from "./open-archive.fixture.ts";
import { admin, Bench } from "./store.fixture.ts";

describe("a tampered archive", () => {
  let bench: Bench;
  let context: RegistryContext;
  let files: Map<string, string>;
  beforeEach(async () => {
    bench = new Bench("sqlite");
    context = await bench.context();
    for (const id of ["one", "two"]) await publishFolder(bench.skill(`own/${id}`), { by: admin }, context);
    files = await openArchive((await exportSkills("all", "zip", context)).archive);
  });
  afterEach(() => bench.close());

  async function tryImport(limits = {}) {
    const archive = await writeArchive(
      "zip",
      [...files].map(([path, text]) => ({
        path,
        executable: false,
        content: new TextEncoder().encode(text),
      })),
    );
    const elsewhere = await bench.context({ limits });
    const { skills } = await importSkills(archiveInMemory(archive), { by: admin }, elsewhere);
    const stored = (await elsewhere.store.listSkills()).map(({ id }) => id);
    const one = await elsewhere.store.findSkill("one");
    const revision = one === undefined ? undefined : await elsewhere.store.findRevision(one.uid, 1);
    return { skills, stored, provenance: revision?.provenance };
  }

  test("with a damaged last file is rejected before any skill is stored [S-42]", async () => {
    const entries = [...files].map(([path, text]) => ({
      path,
      executable: false,
      content: new TextEncoder().encode(text),
    }));
    const content = new Uint8Array(randomBytes(4096));
    const archive = await writeArchive("zip", [
      ...entries,
      { path: "two/last.bin", executable: false, content },
    ]);
    const at = Buffer.from(archive).lastIndexOf(content.subarray(0, 16));
    archive[at + 100] = (archive[at + 100] ?? 0) ^ 1;
    const elsewhere = await bench.context();
    await expect(importSkills(archiveInMemory(archive), { by: admin }, elsewhere)).rejects.toMatchObject({
      code: "ARCHIVE_INVALID",
    });
    expect(await elsewhere.store.listSkills()).toEqual([]);
  });

  test("with the files of its skills in another order is imported in the order of its manifest [S-46]", async () => {
    files = new Map([...files].toReversed().sort(([a], [b]) => a.split("/").length - b.split("/").length));
    expect((await tryImport()).skills).toMatchObject([
      { id: "one", status: "published" },
      { id: "two", status: "published" },
    ]);
  });

  const failed = (id: string, code: string) => ({ id, path: id, status: "failed", error: { code } });

  test("with a changed file is rejected for that skill, and the others are imported [S-46]", async () => {
    files.set("one/SKILL.md", `${files.get("one/SKILL.md")}More.\n`);
    const { skills, stored } = await tryImport();
    expect(skills).toMatchObject([failed("one", "INTEGRITY_FAILED"), { id: "two", status: "published" }]);
    expect(JSON.stringify(skills)).toContain("the skill one");
    expect(stored).toEqual(["two"]);
  });

  test("with an extra file or a missing skill is rejected for that skill [S-46]", async () => {
    files.set("one/scripts/extra.sh", "echo\n");
    files.delete("two/SKILL.md");
    const { skills, stored } = await tryImport();
    expect(skills).toMatchObject([failed("one", "INTEGRITY_FAILED"), failed("two", "INTEGRITY_FAILED")]);
    expect(stored).toEqual([]);
  });

  test.each([
    [
      "another hash of SKILL.md",
      /"skillHash": "sha256:[0-9a-f]{64}"/,
      `"skillHash": "sha256:${"0".repeat(64)}"`,
    ],
    ["a version", /"skillHash"/, '"version": "9.9.9", "skillHash"'],
  ])("that claims %s is rejected for that skill [S-46]", async (_what, pattern, claim) => {
    const text = files.get("skillhold-export.json") ?? "";
    files.set("skillhold-export.json", text.replace(pattern, claim));
    const { skills, stored } = await tryImport();
    expect(skills).toMatchObject([failed("one", "INTEGRITY_FAILED"), { id: "two", status: "published" }]);
    expect(stored).toEqual(["two"]);
  });

  test("with a helper that a skill would include is rejected [S-46]", async () => {
    files.set("_shared/helper.mjs", "export {};\n");
    await expect(tryImport()).rejects.toMatchObject({ code: "ARCHIVE_INVALID" });
  });

  test("with a skill that the manifest does not list is rejected as a whole [S-46]", async () => {
    files.set("three/SKILL.md", files.get("one/SKILL.md") ?? "");
    await expect(tryImport()).rejects.toThrow(/three\/SKILL.md/);
  });

  test("with an invalid skill is rejected for that skill [S-46]", async () => {
    const broken = "---\nname: one\n---\n";
    files.set("one/SKILL.md", broken);
    const { skills } = await tryImport();
    expect(skills).toMatchObject([failed("one", "SKILL_INVALID"), { id: "two" }]);
    expect(skills[0]?.diagnostics.map(({ code }) => code)).toContain("DESC_MISSING");
  });

  test.each([
    ["that is not JSON", () => "{"],
    ["of another version", (text: string) => text.replace('"version": 1,', '"version": 2,')],
    ["with a path for an id", (text: string) => text.replace('"id": "one"', '"id": "../one"')],
    ["that lists a skill twice", (text: string) => text.replace('"id": "one"', '"id": "two"')],
    ["with a visibility that there is not", (text: string) => text.replace('"private"', '"world"')],
  ])("with a manifest %s is rejected as a whole [S-46]", async (_what, change) => {
    const text = files.get("skillhold-export.json") ?? "";
    files.set("skillhold-export.json", change(text));
    await expect(tryImport()).rejects.toMatchObject({ code: "ARCHIVE_INVALID" });
  });

  test("with too many skills is rejected as a whole [S-66]", async () => {
    await expect(tryImport({ archiveSkills: 1 })).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  test.each([
    ["builtin", '"trust": "builtin",', "org"],
    ["org", '"trust": "org",', "org"],
    ["user", '"trust": "user",', "user"],
    ["third_party", '"trust": "third_party",', "third_party"],
    ["nothing, as older ones do", "", "third_party"],
  ])(
    "that claims trust %s gets at most that trust and that of its importer [S-14]",
    async (_what, claim, trust) => {
      const text = files.get("skillhold-export.json") ?? "";
      files.set("skillhold-export.json", text.replaceAll('"trust": "org",', claim));
      expect((await tryImport()).skills).toMatchObject([
        { id: "one", trust },
        { id: "two", trust },
      ]);
    },
  );

  test("with an origin of more than one line is imported without it [S-46]", async () => {
    const text = files.get("skillhold-export.json") ?? "";
    const claims = '"provenance": { "originUrl": "https://a.example\\n\\u001b[2J", "ref": "main" }';
    files.set("skillhold-export.json", text.replace('"provenance": {}', claims));
    const { skills, provenance } = await tryImport();
    expect(skills).toMatchObject([{ id: "one", status: "published" }, { id: "two" }]);
    expect(provenance).toMatchObject({ source: "import", ref: "main" });
    expect(provenance?.originUrl).toBeUndefined();
  });

  test("with invalid overrides is imported without them and with a warning [S-45]", async () => {
    const text = files.get("skillhold-export.json") ?? "";
    files.set("skillhold-export.json", text.replace('"override": {}', '"override": { "name": "a\\nb" }'));
    const { skills } = await tryImport();
    expect(skills).toMatchObject([
      { id: "one", status: "published", restored: [], warnings: [expect.stringContaining("name")] },
      { id: "two" },
    ]);
  });
});
