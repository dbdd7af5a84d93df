import { execFile } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keyFile } from "./key-file.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-key-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("creates the key once, with 32 bytes, private to its owner, and leaves no other file [S-33]", async () => {
  const path = join(root, "deep/er/secret.key");
  const key = await keyFile(path).key();
  expect(key).toHaveLength(32);
  expect(readFileSync(path).equals(key)).toBe(true);
  expect(modeOf(path)).toBe(0o600);
  expect(modeOf(join(root, "deep"))).toBe(0o700);
  expect(modeOf(join(root, "deep/er"))).toBe(0o700);
  expect(readdirSync(join(root, "deep/er"))).toEqual(["secret.key"]);
  expect(await keyFile(path).key()).toEqual(key);
});

test("every key is different [S-33]", async () => {
  expect(await keyFile(join(root, "a")).key()).not.toEqual(await keyFile(join(root, "b")).key());
});

test("concurrent callers get the same key [S-33]", async () => {
  for (let round = 0; round < 10; round += 1) {
    const path = join(root, `${round}.key`);
    const takers = Array.from({ length: 24 }, async (_, turns) => {
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      return Buffer.from(await keyFile(path).key()).toString("hex");
    });
    expect(new Set(await Promise.all(takers)).size).toBe(1);
  }
  expect(readdirSync(root)).toHaveLength(10);
});

test("concurrent processes get the same key [S-33]", async () => {
  const module = pathToFileURL(join(import.meta.dirname, "key-file.ts")).href;
  const script = `import { keyFile } from ${JSON.stringify(module)};
    process.stdout.write(Buffer.from(await keyFile(process.argv[1]).key()).toString("hex"));`;
  const options = [
    "--conditions=@skillhold/source",
    "--input-type=module",
    "-e",
    script,
    join(root, "secret.key"),
  ];
  const runs = await Promise.all(
    Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, options)),
  );
  const keys = runs.map(({ stdout }) => stdout);
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(keys).size).toBe(1);
});

test.each([0o640, 0o604, 0o620, 0o644])(
  "rejects a key file of mode %o and names the command that fixes it [S-33]",
  async (mode) => {
    const path = join(root, "my secret.key");
    await keyFile(path).key();
    chmodSync(path, mode);
    await expect(keyFile(path).key()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: `The key file ${path} is open to others.`,
      hint: `Run \`chmod 600 '${path}'\`.`,
    });
  },
);

test("rejects a key file that is a link, even a dangling one [S-33]", async () => {
  writeFileSync(join(root, "real.key"), Buffer.alloc(32, 1), { mode: 0o600 });
  for (const [name, target] of [
    ["link.key", "real.key"],
    ["loose.key", "nothing"],
  ] as const) {
    symlinkSync(join(root, target), join(root, name));
    const failure = { code: "CONFIG_INVALID", message: expect.stringContaining("is a link") };
    await expect(keyFile(join(root, name)).key()).rejects.toMatchObject(failure);
  }
  expect(readdirSync(root).toSorted()).toEqual(["link.key", "loose.key", "real.key"]);
});

test.each([0, 31, 33, 4096])("rejects and keeps a key file of %i bytes [S-33]", async (size) => {
  const path = join(root, "secret.key");
  writeFileSync(path, Buffer.alloc(size, 1), { mode: 0o600 });
  await expect(keyFile(path).key()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(readFileSync(path)).toHaveLength(size);
});

test("rejects a folder in its place [S-33]", async () => {
  mkdirSync(join(root, "secret.key"));
  await expect(keyFile(join(root, "secret.key")).key()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("reports when the file cannot be created [S-33]", async () => {
  writeFileSync(join(root, "file"), "");
  await expect(keyFile(join(root, "file/secret.key")).key()).rejects.toMatchObject({ code: "IO_FAILED" });
});
