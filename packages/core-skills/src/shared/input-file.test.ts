import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readInput, readJson, readText } from "./input-file.ts";
import { processIo, type ScriptIo } from "./script-io.ts";
import { makeTempFolder } from "./temp-folder.fixture.ts";

const cwd = makeTempFolder(afterAll);
const io: ScriptIo = { ...processIo(), cwd, readStdin: async () => Buffer.from('{"from":"stdin"}') };

test("reads a file from the working directory into its own buffer [S-40]", async () => {
  writeFileSync(join(cwd, "a.bin"), "hello");
  const file = await readInput("a.bin", io);
  expect(file).toMatchObject({ path: "a.bin", name: "a.bin", absolute: join(cwd, "a.bin") });
  expect(Buffer.from(file.bytes).toString()).toBe("hello");
  expect(file.bytes.buffer.byteLength).toBe(5);
});

test("gives the reason when a file cannot be read [S-40]", async () => {
  mkdirSync(join(cwd, "folder"));
  writeFileSync(join(cwd, "empty"), "");
  writeFileSync(join(cwd, "large"), "123456");
  await expect(readInput("missing", io)).rejects.toMatchObject({ code: "FILE_NOT_FOUND", exit: 1 });
  await expect(readInput("folder", io)).rejects.toMatchObject({ code: "NOT_A_FILE", exit: 3 });
  await expect(readInput("empty", io)).rejects.toMatchObject({ code: "FILE_EMPTY", exit: 3 });
  await expect(readInput("large", io, { maxBytes: 5 })).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
});

test.skipIf(process.platform === "win32")("rejects a named pipe without waiting [S-40]", async () => {
  spawnSync("mkfifo", [join(cwd, "pipe")]);
  await expect(readInput("pipe", io)).rejects.toMatchObject({ code: "NOT_A_FILE" });
});

test("reads JSON from a file, from standard input or from the argument [S-40]", async () => {
  writeFileSync(join(cwd, "a.json"), '{"from":"file"}');
  expect(await readJson("a.json", io)).toEqual({ from: "file" });
  expect(await readJson("-", io)).toEqual({ from: "stdin" });
  expect(await readJson(' {"from":"argument"}', io)).toEqual({ from: "argument" });
});

test("rejects text that is not UTF-8 and JSON that is not valid [S-40]", async () => {
  writeFileSync(join(cwd, "latin"), Buffer.from([0xe4, 0xf6, 0x41]));
  await expect(readText("latin", io)).rejects.toMatchObject({ code: "NOT_TEXT", exit: 3 });
  await expect(readJson("{oops", io)).rejects.toMatchObject({ code: "INVALID_JSON", exit: 3 });
});
