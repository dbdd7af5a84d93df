import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anyone, FakeFolders } from "./fake-folders.ts";

/** Puts a link to the secret in place of the file and back, as fast as it can, until it is ended. */
const SWAP = `
const fs = require("node:fs");
const [target, secret] = process.argv.slice(1);
for (;;) {
  fs.symlinkSync(secret, target + ".link");
  fs.renameSync(target + ".link", target);
  fs.writeFileSync(target + ".file", "public");
  fs.renameSync(target + ".file", target);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 3);
}`;

let folders: FakeFolders;
beforeEach(() => {
  folders = new FakeFolders();
});
afterEach(() => folders.close());

describe("attacks on resources", () => {
  test("links, hard links and special files are not part of a skill [S-26]", async () => {
    folders.write("secret.txt", "secret");
    folders.skill("skills/a");
    mkdirSync(join(folders.root, "skills/a/references"));
    symlinkSync(join(folders.root, "secret.txt"), join(folders.root, "skills/a/references/link.md"));
    symlinkSync(folders.root, join(folders.root, "skills/a/up"));
    linkSync(join(folders.root, "secret.txt"), join(folders.root, "skills/a/references/hard.md"));
    execFileSync("mkfifo", [join(folders.root, "skills/a/references/pipe")]);
    const library = await folders.open([folders.source("skills", { trust: "third_party" })]);
    for (const path of ["references/link.md", "up/secret.txt", "references/hard.md", "references/pipe"]) {
      await expect(library.resource(anyone, "a", path)).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
    }
    expect((await library.files(anyone, "a")).map(({ path }) => path)).toEqual(["SKILL.md"]);
  });

  test("a file that is swapped for a link during a read never leaks the target [S-26]", async () => {
    const secret = folders.write("secret.txt", "secret");
    folders.skill("skills/a");
    const target = folders.write("skills/a/data.txt", "public");
    const library = await folders.open([folders.source("skills", { trust: "third_party" })]);
    const swapper = spawn(process.execPath, ["-e", SWAP, target, secret], { stdio: "ignore" });
    const counts = { public: 0, refused: 0 };
    const isEnough = () => counts.public > 10 && counts.refused > 10 && counts.public + counts.refused > 500;
    try {
      while (!isEnough()) {
        const content = await library.resource(anyone, "a", "data.txt").then(
          (resource) => resource.content,
          () => "refused",
        );
        expect(["public", "refused"]).toContain(content);
        counts[content === "public" ? "public" : "refused"] += 1;
        await setImmediate();
      }
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
    }
  });

  test("no path reads anything outside the skill [S-26]", async () => {
    folders.write("secret.txt", "secret");
    folders.skill("skills/a");
    symlinkSync("../../..", join(folders.root, "skills/a/up"));
    const library = await folders.open([folders.source("skills")]);
    const piece = fc.constantFrom(
      "..",
      ".",
      "up",
      "secret.txt",
      "/",
      "\\",
      "%2e%2e",
      "SKILL.md",
      "skills",
      "~",
      "\0",
      "C:",
      "//",
      "",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const content = await library.resource(anyone, "a", pieces.join("/")).then(
          (resource) => resource.content,
          () => "",
        );
        expect(content).not.toContain("secret");
      }),
      { numRuns: 300 },
    );
  });

  test("a skill does not include helpers beside its source or files of a nested skill [S-13] [S-26]", async () => {
    folders.write("_shared/keys.py", "SECRET");
    folders.skill("outer", "description: x", "Uses _shared/keys.py\n");
    folders.skill("outer/inner", "description: x\ndisable-model-invocation: true");
    const library = await folders.open([folders.source("outer", { trust: "third_party" })]);
    expect((await library.files(anyone, "outer")).map(({ path }) => path)).toEqual(["SKILL.md"]);
    for (const path of ["_shared/keys.py", "inner/SKILL.md"]) {
      await expect(library.resource(anyone, "outer", path)).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
    }
  });

  test("ignores a skill folder that links out of the source, unless the user allows it [S-16]", async () => {
    folders.skill("elsewhere/a");
    mkdirSync(join(folders.root, "skills"));
    symlinkSync(join(folders.root, "elsewhere/a"), join(folders.root, "skills/a"));
    const library = await folders.open([folders.source("skills")]);
    expect(await library.list(anyone)).toEqual([]);
    expect(library.inspect().sources[0]?.problems).toEqual([
      expect.objectContaining({ path: "a", reason: "link" }),
    ]);
    const following = await folders.open([folders.source("skills", { followLinks: true })]);
    expect((await following.read(anyone, "a")).entry.id).toBe("a");
  });
});
