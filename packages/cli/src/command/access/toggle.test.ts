import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { skillText } from "../../fake-host.ts";
import { registryScene } from "../../registry.fixture.ts";

const { storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

const asAdmin = ["--role", "admin"];

function folderSkill(name: string): void {
  write(`.agents/skills/${name}/SKILL.md`, skillText(name, `Does ${name}.`));
}

async function listed(...options: readonly string[]): Promise<readonly string[]> {
  const { data } = await json(["list", ...options]);
  return data.skills.map(({ id }: { readonly id: string }) => id);
}

describe("a skill of the store", () => {
  beforeEach(async () => {
    skill("pdf");
    await text(["publish", "pdf"]);
  });

  test("leaves every list when disabled and returns when enabled [S-44]", async () => {
    const { code, data } = await json(["disable", "pdf"]);
    expect({ code, data }).toMatchObject({
      code: 0,
      data: { ok: true, id: "pdf", scope: "registry", enabled: false, status: "active", isDryRun: false },
    });
    expect(await listed("--source", "registry")).toEqual([]);
    expect((await text(["catalog", "--source", "registry"])).out).not.toContain("pdf");
    expect(await json(["read", "pdf", "--source", "registry"])).toMatchObject({
      code: 5,
      error: {
        message: "The skill pdf is hidden from this viewer. The skill is disabled.",
        hint: expect.stringContaining("Run `skillhold enable pdf` to switch it on"),
      },
    });
    expect((await text(["enable", "pdf", ...asAdmin])).out).toBe("pdf: on in the store, active\n");
    expect(await listed("--source", "registry")).toEqual(["pdf"]);
  });

  test("can be enabled by the user who disabled it or by an administrator [S-44]", async () => {
    await text(["disable", "pdf"]);
    expect(await json(["enable", "pdf"])).toMatchObject({ code: 0, data: { enabled: true } });
    await text(["disable", "pdf", ...asAdmin, "--user", "root-of-all"]);
    expect(await json(["enable", "pdf"])).toMatchObject({
      code: 4,
      error: { code: "POLICY_DENIED", hint: expect.stringContaining("--role admin") },
    });
  });

  test("gets a new dependency check when enabled [S-38] [S-44]", async () => {
    skill("needy");
    write("needy/x.py", "import zzz_none\n");
    await text(["publish", "needy"]);
    await text(["disable", "needy"]);
    const { out, err } = await text(["enable", "needy", ...asAdmin]);
    expect(out).toBe("needy: on in the store, archived\n");
    expect(err).toBe("warning: missing dependencies: pip:zzz_none\n");
    expect((await json(["enable", "needy", ...asAdmin])).data).toMatchObject({
      enabled: true,
      status: "archived",
      reason: "deps",
      missing: ["pip:zzz_none"],
    });
    // The skill stays listed, and its users get a warning.
    expect(await listed("--source", "registry")).toContain("needy");
  });

  test("--dry-run prints the result and changes no data [S-60]", async () => {
    expect((await text(["disable", "pdf", "--dry-run"])).out).toBe(
      "pdf: would be off in the store, active\n",
    );
    expect(await listed("--source", "registry")).toEqual(["pdf"]);
    await text(["disable", "pdf"]);
    expect((await json(["enable", "pdf", "--dry-run", ...asAdmin])).data).toMatchObject({
      enabled: true,
      isDryRun: true,
    });
    expect(await listed("--source", "registry")).toEqual([]);
  });

  test("of another user can be switched only by an administrator [S-43] [S-44]", async () => {
    const { code, error } = await json(["disable", "pdf", "--user", "bob", "--source", "registry"], {
      env: { SKILLHOLD_USER: "bob" },
    });
    expect({ code, message: error.message }).toEqual({ code: 5, message: "There is no skill pdf." });
    const admin = ["disable", "pdf", "--source", "registry", "--user", "bob", ...asAdmin];
    expect((await json(admin, { env: { SKILLHOLD_USER: "bob" } })).data.enabled).toBe(false);
  });

  test("that is bundled can be switched by administrators, also by uid [S-44]", async () => {
    skill("system/core");
    await text(["seed", "system"]);
    expect((await json(["disable", "system-core"])).code).not.toBe(0);
    const { data } = await json(["disable", "system-core", ...asAdmin]);
    expect(data).toMatchObject({ id: "system-core", enabled: false });
    expect((await json(["enable", data.uid, ...asAdmin])).data).toMatchObject({ enabled: true });
  });

  test("is archived with a reason until it is unarchived [S-38] [S-44]", async () => {
    const archive = ["archive", "pdf", "--reason", "Use docx."];
    expect((await text([...archive, "--dry-run"])).out).toBe("pdf: would be archived: Use docx.\n");
    const { out, err } = await text(archive);
    expect(out).toBe("pdf: archived: Use docx.\n");
    expect(err).toBe("Run `skillhold unarchive pdf` to undo this.\n");
    expect((await text(archive)).out).toBe("pdf: already archived\n");
    expect(await listed("--source", "registry")).toEqual([]);
    expect((await text(["explain", "pdf"])).out).toContain("The skill is archived: Use docx.");
    await text(["disable", "pdf"]);
    expect((await text(["enable", "pdf", ...asAdmin])).err).toBe(
      "warning: pdf stays hidden because it is archived: Use docx.\n",
    );
    expect((await text(["unarchive", "pdf"])).out).toBe("pdf: unarchived\n");
    expect((await text(["unarchive", "pdf"])).out).toBe("pdf: not archived\n");
    expect(await listed("--source", "registry")).toEqual(["pdf"]);
  });

  test("needs a reason to be archived, other than the dependency check's [S-44] [S-60]", async () => {
    for (const argv of [[], ["--reason", " "], ["--reason", "deps"], ["--reason", "a\nb"]])
      expect((await json(["archive", "pdf", ...argv])).code).toBe(2);
    expect((await json(["archive", "pdf", "--reason", "x", "--user", "bob"])).code).toBe(5);
  });
});

describe("a skill in a folder", () => {
  beforeEach(() => folderSkill("notes"));

  test("is disabled in the user's store, which is created if needed, for every view of the folder [S-44]", async () => {
    const { code, data } = await json(["disable", "notes"]);
    expect({ code, data }).toEqual({
      code: 0,
      data: {
        ok: true,
        id: "notes",
        scope: "folder",
        enabled: false,
        by: "ann",
        at: expect.stringMatching(/^\d{4}-/),
        isDryRun: false,
      },
    });
    expect(existsSync(storeFile())).toBe(true);
    for (const options of [[], ["--root", ".agents/skills"], ["--source", ".agents/skills"]]) {
      expect(await listed(...options)).toEqual([]);
      expect((await json(["list", ...options])).data.hidden).toEqual([
        { id: "notes", source: ".agents/skills", reason: "disabled" },
      ]);
      expect((await json(["read", "notes", ...options])).code).toBe(5);
      expect((await text(["catalog", ...options])).out).not.toContain("notes");
    }
    expect((await text(["explain", "notes"])).out).toContain("The skill is disabled.");
    expect(await listed("--no-store")).toEqual(["notes"]);
    expect((await text(["enable", "notes"])).out).toBe("notes: on in folders\n");
    expect(await listed()).toEqual(["notes"]);
  });

  test("--dry-run does not create the store [S-60]", async () => {
    expect((await text(["disable", "notes", "--dry-run"])).out).toBe("notes: would be off in folders\n");
    expect(existsSync(storeFile())).toBe(false);
  });

  test("and a stored skill with the same id have separate switches, and the winning one is switched [S-44]", async () => {
    skill("notes", "Published.\n");
    await text(["publish", "notes"]);
    const trusted = "--trust-project";
    expect((await json(["disable", "notes", trusted])).data.scope).toBe("folder");
    // Another skill with the same id does not replace a disabled one.
    expect(await listed(trusted)).toEqual([]);
    expect(await listed("--source", "registry")).toEqual(["notes"]);
    expect((await json(["disable", "notes", "--source", "registry"])).data.scope).toBe("registry");
    expect((await json(["enable", "notes", trusted])).data.scope).toBe("folder");
    expect(await listed(trusted)).toEqual(["notes"]);
  });

  test("that is gone can be enabled, and an unknown id is rejected [S-44] [S-60]", async () => {
    await text(["disable", "notes"]);
    write("elsewhere/README.txt", "");
    const gone = await json(["enable", "notes", "-C", "elsewhere"]);
    expect(gone.data).toMatchObject({ scope: "folder", enabled: true });
    expect(await json(["disable", "ntes"])).toMatchObject({
      code: 5,
      error: { code: "SKILL_NOT_FOUND", hint: "Did you mean notes?" },
    });
  });

  test("can be enabled only by the user who disabled it or by an administrator [S-44]", async () => {
    await text(["disable", "notes"]);
    const asBob = { env: { SKILLHOLD_USER: "bob" } };
    expect(await json(["enable", "notes"], asBob)).toMatchObject({
      code: 4,
      error: { message: "ann disabled notes." },
    });
    expect((await json(["enable", "notes", ...asAdmin], asBob)).code).toBe(0);
  });
});
