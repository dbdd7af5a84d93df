import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readCheckpoint, signCheckpoint } from "./checkpoint.ts";
import { checkpointFile } from "./checkpoint-file.ts";
import { findTrustedKey, publicKeyFile, signingKeyFile } from "./signing-key.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-audit-key-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const checkpoint = { origin: "skillhold/test", size: 3, root: "ab".repeat(32) };

test("concurrent processes create one key, in a private file [S-62]", async () => {
  const path = join(folder, "data/audit.key");
  const signers = await Promise.all(Array.from({ length: 8 }, () => signingKeyFile(path)));
  const notes = new Set(signers.map((signer) => signCheckpoint(checkpoint, signer)));
  expect(notes.size).toBe(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "data")).sort()).toEqual(["audit.key", "audit.pub"]);
  const trusted = await findTrustedKey(publicKeyFile(path));
  expect(trusted && readCheckpoint([...notes][0] ?? "", [trusted])).toEqual(checkpoint);
});

test("rejects a key file that others can read or that contains no key [S-62]", async () => {
  const path = join(folder, "audit.key");
  await signingKeyFile(path);
  chmodSync(path, 0o644);
  await expect(signingKeyFile(path)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  const other = join(folder, "other.key");
  writeFileSync(other, "no key", { mode: 0o600 });
  await expect(signingKeyFile(other)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(findTrustedKey(other)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("returns no key if the public key file is missing [S-62]", async () => {
  expect(await findTrustedKey(join(folder, "none.pub"))).toBeUndefined();
});

test("stores one checkpoint per line and skips a truncated one [S-62]", async () => {
  const path = join(folder, "data/checkpoints.log");
  const file = checkpointFile(path);
  expect(await file.read()).toEqual([]);
  await file.append("one\n\n— a b\n");
  writeFileSync(path, `${readFileSync(path, "utf8")}"two`);
  await Promise.all([file.append("three\n"), file.append("four")]);
  expect((await file.read()).toSorted()).toEqual(["four", "one\n\n— a b\n", "three\n"]);
});

test("throws if the checkpoint file cannot be read [S-62]", async () => {
  const path = join(folder, "checkpoints.log");
  writeFileSync(path, "", { mode: 0o666 });
  chmodSync(path, 0o666);
  await expect(checkpointFile(path).read()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});
