import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeHost } from "../../fake-host.ts";
import { main } from "../../main.ts";
import { registryScene } from "../../registry.fixture.ts";

const { root, storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

describe("seed", () => {
  test("publishes the skills of a folder as public system skills [S-40] [S-60]", async () => {
    skill("seeds/core");
    expect((await text(["seed", "seeds"])).out).toBe("seeds-core revision 1: added\n");
    expect((await text(["seed", "seeds"])).out).toBe("seeds-core revision 1: unchanged\n");
    skill("seeds/core", "Do more.\n");
    const { code, data } = await json(["seed", "seeds"]);
    expect(code).toBe(0);
    expect(data.skills).toEqual([
      {
        id: "seeds-core",
        path: "core",
        status: "updated",
        revision: 2,
        restored: [],
        state: "active",
        missing: [],
      },
    ]);
    const { data: versions } = await json(["versions", "seeds-core"]);
    expect(versions.skill).toMatchObject({ isSystem: true, visibility: "public" });
    expect((await json(["publish", "seeds/core"])).code).toBe(6);
  });

  test("archives a skill with missing dependencies, reports it and keeps it listed [S-38] [S-40]", async () => {
    skill("seeds/core");
    write("seeds/core/scripts/read.py", "import zzz_none\n");
    const { out, err } = await text(["seed", "seeds"]);
    expect(out).toBe("seeds-core revision 1: added\n");
    expect(err).toBe("seeds-core: archived, missing: pip:zzz_none\n");
    expect((await json(["list"])).data.skills).toMatchObject([{ id: "seeds-core" }]);
  });

  test("reports an empty folder and a missing folder [S-40] [S-60]", async () => {
    expect(await text(["seed", "."])).toEqual({ code: 0, out: "", err: "No skills in ..\n" });
    expect((await text(["seed", "nowhere"])).code).toBe(5);
    skill("seeds/good");
    write("seeds/bad/SKILL.md", "none\n");
    const { code, out, err } = await text(["seed", "seeds"]);
    expect({ code, out }).toEqual({ code: 3, out: "seeds-good revision 1: added\n" });
    expect(err).toMatch(/^bad: SKILL_INVALID: /);
  });

  test("--watch publishes each change until it is interrupted [S-40]", async () => {
    skill("seeds/core");
    const env = { XDG_DATA_HOME: join(root(), "../data"), PATH: process.env["PATH"] };
    const { host, texts, emit } = fakeHost(root(), { env });
    const running = main(["seed", "seeds", "--watch", "--json"], host);
    const lines = () =>
      texts()
        .out.split("\n")
        .filter((line) => line !== "");
    await expect.poll(lines).toHaveLength(1);
    skill("seeds/core", "Do more.\n");
    await expect.poll(() => texts().out).toContain('"status":"updated"');
    emit("SIGINT");
    expect(await running).toBe(130);
    expect(lines().map((line) => JSON.parse(line).ok)).toEqual(lines().map(() => true));
  });
});

describe("fsck", () => {
  test("reports an undamaged store as sound [S-41] [S-60]", async () => {
    skill("pdf");
    await text(["publish", "pdf"]);
    expect(await text(["fsck"])).toEqual({
      code: 0,
      out: "",
      err: "1 skill, 1 revision, 1 file (48 B), 2 events: sound\n",
    });
    expect((await json(["fsck"])).data).toMatchObject({
      isClean: true,
      findings: [],
      checked: { skills: 1, revisions: 1, blobs: 1, events: 2 },
    });
  });

  test("finds a changed byte, exits with 7 and prints a hint [S-41]", async () => {
    skill("pdf");
    await text(["publish", "pdf"]);
    damage("another text of another length");
    const { code, out, err } = await text(["fsck"]);
    expect(code).toBe(7);
    expect(out).toMatch(/^error [A-Z_]+ /);
    expect(err).toContain("damaged\nRun `skillhold fsck --repair` to repair the damage where possible.\n");
    expect((await json(["fsck"])).data.isClean).toBe(false);
    expect(await json(["versions", "pdf", "--file", "SKILL.md"])).toMatchObject({
      code: 7,
      error: { code: "INTEGRITY_FAILED", hint: "Run `skillhold fsck` to find the damage." },
    });
  });

  test("finds missing bytes, and publishing them again repairs the store [S-41]", async () => {
    skill("pdf");
    await text(["publish", "pdf"]);
    damage(undefined);
    expect((await json(["fsck"])).code).toBe(7);
    expect((await json(["fsck", "--repair"])).code).toBe(7);
    expect((await text(["publish", "pdf"])).out).toBe("pdf revision 1: unchanged\n");
    expect((await json(["fsck"])).code).toBe(0);
  });
});

/** Replaces or deletes the bytes of the only file in the store. */
function damage(content: string | undefined): void {
  const blobs = join(`${storeFile()}.d`, "blobs");
  const [file] = readdirSync(blobs, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  if (file === undefined) throw new Error("The store has no file.");
  const path = join(file.parentPath, file.name);
  rmSync(path);
  if (content !== undefined) writeFileSync(path, content);
}
