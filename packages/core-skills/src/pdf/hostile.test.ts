import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });
const commands: readonly (readonly string[])[] = [
  ["info"],
  ["text"],
  ["tables"],
  ["fields"],
  ["images", "--out-dir", "out"],
  ["rotate", "--by", "90", "--out", "out.pdf"],
  ["extract", "--pages", "1", "--out", "out.pdf"],
  ["watermark", "--text", "X", "--out", "out.pdf"],
  ["fill", "--data", "{}", "--flatten", "--out", "out.pdf"],
];
const callAll = (name: string) =>
  Promise.all(
    commands.map(([command = "", ...rest]) =>
      call([command, name, ...rest, "--dry-run"].slice(0, isRead(command) ? -1 : undefined)),
    ),
  );
const isRead = (command: string) => ["info", "text", "tables", "fields"].includes(command);

beforeAll(async () => {
  await call(["create", "-", "--out", "sound.pdf"], "# Title\n\ntext\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
});

test.each([
  ["empty", "", "FILE_EMPTY"],
  ["text", "just some text", "NOT_A_PDF"],
  ["zip", "PK\u0003\u0004 and so on", "NOT_A_PDF"],
  ["header", "%PDF-1.7\n", "BROKEN_FILE"],
  ["end", "%PDF-1.7\nstartxref\n0\n%%EOF\n", "BROKEN_FILE"],
  [
    "loop",
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF",
    "BROKEN_FILE",
  ],
])("every command rejects a file of %s with exit code 3 and a reason [S-40]", async (name, text, code) => {
  writeFileSync(join(cwd, `${name}.pdf`), text);
  for (const outcome of await callAll(`${name}.pdf`)) {
    expect(outcome).toMatchObject({ code: 3, stdout: "", json: { ok: false, error: { code } } });
  }
});

test("rejects a truncated file as the base of another [S-40]", async () => {
  const whole = readFileSync(join(cwd, "sound.pdf"));
  for (const part of [0.3, 0.6, 0.9]) {
    writeFileSync(join(cwd, "cut.pdf"), whole.subarray(0, whole.length * part));
    for (const [command = "", ...rest] of commands.slice(5)) {
      const outcome = await call([command, "cut.pdf", ...rest]);
      expect(outcome).toMatchObject({ code: 3, json: { error: { code: "BROKEN_FILE" } } });
    }
  }
});

test("for any changed bytes, every command ends with one answer or one failure [S-40]", async () => {
  const whole = readFileSync(join(cwd, "sound.pdf"));
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
      const bytes = Buffer.from(whole);
      for (const [index, value] of changes) bytes[index] = value;
      writeFileSync(join(cwd, "changed.pdf"), bytes);
      for (const { code, stdout, stderr, json } of await callAll("changed.pdf")) {
        expect([0, 1, 3]).toContain(code);
        expect(json).toMatchObject({ ok: code === 0 });
        expect((code === 0 ? stderr : stdout).trim()).toBe("");
      }
    }),
    { numRuns: 30 },
  );
});
