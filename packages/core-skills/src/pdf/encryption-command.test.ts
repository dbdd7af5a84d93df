import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { checkFile, hasOracles, readPages } from "./oracle.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });
const at = (name: string) => join(cwd, name);

beforeAll(async () => {
  await call(["create", "-", "--title", "Plans", "--out", "plain.pdf"], "# Secret plans");
  await call(["encrypt", "plain.pdf", "--password", "pässword", "--no-print", "--out", "locked.pdf"]);
});

test("distinguishes encrypted from broken files, and opens them with the password only [S-40]", async () => {
  for (const argv of [["info"], ["text"], ["fields"], ["rotate", "--by", "90", "--out", "never.pdf"]]) {
    const [command = "", ...rest] = argv;
    const bare = await call([command, "locked.pdf", ...rest]);
    expect(bare).toMatchObject({ code: 3, stdout: "", json: { error: { code: "ENCRYPTED" } } });
    const wrong = await call([command, "locked.pdf", "--password", "guess", ...rest]);
    expect(wrong).toMatchObject({ code: 3, json: { error: { code: "WRONG_PASSWORD" } } });
  }
  writeFileSync(at("password.txt"), "pässword\n");
  const read = await call(["text", "locked.pdf", "--password-file", "password.txt"]);
  expect(read).toMatchObject({ code: 0, json: { text: "=== page 1 ===\nSecret plans\n" } });
  expect(await call(["info", "locked.pdf", "--password-file", "-"], "pässword")).toMatchObject({
    json: { encrypted: true, metadata: { title: "Plans" } },
  });
});

test("rejects decryption of plain files and encryption without a password [S-40]", async () => {
  const decrypted = await call(["decrypt", "plain.pdf", "--password", "x", "--out", "never.pdf"]);
  expect(decrypted).toMatchObject({ code: 1, json: { error: { code: "NOT_ENCRYPTED" } } });
  const twice = await call(["encrypt", "locked.pdf", "--password", "new", "--out", "never.pdf"]);
  expect(twice).toMatchObject({ code: 3, json: { error: { code: "ENCRYPTED" } } });
  expect(await call(["encrypt", "plain.pdf", "--out", "never.pdf"])).toMatchObject({ code: 2 });
  expect(await call(["encrypt", "plain.pdf", "--password", "", "--out", "never.pdf"])).toMatchObject({
    code: 2,
  });
});

describe.runIf(hasOracles)("compared with qpdf", () => {
  test("an encrypted file opens only with the password [S-40]", () => {
    expect(checkFile(at("locked.pdf"), "pässword")).toBe("");
    expect(checkFile(at("locked.pdf"))).toMatch(/invalid password/);
    const shown = execFileSync("qpdf", ["--show-encryption", "--password=pässword", at("locked.pdf")], {
      encoding: "utf8",
    });
    expect(shown).toMatch(/R = 6[\s\S]*AESv3/);
  });

  test.each([
    ["40", []],
    ["128", ["--use-aes=n"]],
    ["128", ["--use-aes=y"]],
    ["256", []],
  ])("decrypts files that others encrypted with %s bits %j [S-40]", async (bits, options) => {
    const args = ["--allow-weak-crypto", "--encrypt", "user", "owner", bits, ...options, "--"];
    execFileSync("qpdf", [...args, at("plain.pdf"), at("theirs.pdf")]);
    for (const password of ["user", "owner"]) {
      expect(
        await call(["decrypt", "theirs.pdf", "--password", password, "--out", "ours.pdf"]),
      ).toMatchObject({ code: 0 });
      expect(checkFile(at("ours.pdf"))).toBe("");
      expect(readPages(at("ours.pdf"))[0]).toContain("Secret plans");
      expect(await call(["info", "ours.pdf"])).toMatchObject({
        json: { encrypted: false, metadata: { title: "Plans" } },
      });
    }
  });

  test("reads a file with an empty password, and changes it only when the password is given [S-40]", async () => {
    execFileSync("qpdf", ["--encrypt", "", "owner", "256", "--", at("plain.pdf"), at("restricted.pdf")]);
    expect(await call(["text", "restricted.pdf"])).toMatchObject({ code: 0 });
    const rotate = ["rotate", "restricted.pdf", "--by", "90", "--out", "turned.pdf"];
    expect(await call(rotate)).toMatchObject({ code: 3, json: { error: { code: "ENCRYPTED" } } });
    expect(await call([...rotate, "--password", ""])).toMatchObject({
      code: 0,
      json: { warnings: ["restricted.pdf is encrypted: the new file is not."] },
    });
    expect(checkFile(at("turned.pdf"))).toBe("");
  });
});
