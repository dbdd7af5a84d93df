import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../packages/skillhold/bin/skillhold.js", import.meta.url));
/** A user id that no account has, as in containers. */
const UID = 54_321;
const folder = mkdtempSync(join(tmpdir(), "skillhold-no-account-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const args: Readonly<Record<string, readonly string[]>> = {
  list: [],
  validate: ["pdf"],
  publish: ["pdf"],
  search: ["read files"],
  "agent add": ["writer", "--runtime", "test"],
  grant: ["pdf", "--agent", "writer"],
  "token create": ["--name", "ci", "--role", "viewer"],
  "audit verify": [],
  "consent list": [],
  doctor: [],
  read: ["pdf"],
};

describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "a user id without an account (needs root to change the user)",
  () => {
    mkdirSync(join(folder, "pdf"));
    writeFileSync(join(folder, "pdf/SKILL.md"), "---\nname: pdf\ndescription: Reads files.\n---\nRead.\n");
    for (const path of [folder, join(folder, "pdf"), join(folder, "pdf/SKILL.md")]) chownSync(path, UID, UID);
    chmodSync(folder, 0o755);
    const run = (words: readonly string[]) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...words, "--json"], {
        cwd: folder,
        uid: UID,
        gid: UID,
        env: { PATH: process.env["PATH"], HOME: folder },
        encoding: "utf8",
        timeout: 120_000,
      });
      return { status, text: `${stdout}${stderr}` };
    };

    test("runs commands that write and read as the user uid-54321 [S-60]", () => {
      for (const [name, words] of Object.entries(args)) {
        const { status, text } = run([...name.split(" "), ...words]);
        expect([name, text.includes('"INTERNAL"')]).toEqual([name, false]);
        if (name !== "doctor") expect([name, status, text]).toEqual([name, 0, text]);
      }
      expect(run(["audit", "tail"]).text).toContain('"user":"uid-54321"');
    });
  },
);
