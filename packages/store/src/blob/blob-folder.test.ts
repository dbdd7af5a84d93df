import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { asNobody } from "../local/as-nobody.fixture.ts";
import { digest } from "../table/registry.fixture.ts";
import { type BlobFolder, openBlobFolder } from "./blob-folder.ts";
import { blobStoreContract } from "./blob-store.contract.ts";

let root: string;
let folder: BlobFolder;
beforeEach(async () => {
  const parent = mkdtempSync(join(tmpdir(), "skillhold-blobs-"));
  root = join(parent, "blobs");
  folder = await openBlobFolder(root, { now: () => new Date() });
  return () => rmSync(parent, { recursive: true, force: true });
});

const good = { digest: digest("good"), bytes: Buffer.from("good") };
const hex = good.digest.slice("sha256:".length);
const place = () => join(root, hex.slice(0, 2), hex);
const soon = () => new Date(Date.now() + 60_000);

blobStoreContract("a folder", async (clock) => {
  const own = mkdtempSync(join(tmpdir(), "skillhold-blobs-"));
  return {
    blobs: await openBlobFolder(join(own, "blobs"), clock),
    damage: async (name) => {
      const path = join(own, "blobs", name.slice(7, 9), name.slice(7));
      const { atime, mtime, size } = statSync(path);
      chmodSync(path, 0o600);
      writeFileSync(path, "x".repeat(size));
      utimesSync(path, atime, mtime);
    },
    close: async () => rmSync(own, { recursive: true, force: true }),
  };
});

test("files are read-only and folders are private [S-41]", async () => {
  await folder.put([good]);
  expect(statSync(place()).mode & 0o777).toBe(0o444);
  for (const path of [root, dirname(place()), join(root, "tmp")]) {
    expect(statSync(path).mode & 0o777).toBe(0o700);
  }
  expect(readdirSync(join(root, "tmp"))).toEqual([]);
});

test("rejects a folder that is a link or accessible to others [S-41]", async () => {
  const clock = { now: () => new Date() };
  symlinkSync(root, `${root}-link`);
  await expect(openBlobFolder(`${root}-link`, clock)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  chmodSync(root, 0o770);
  await expect(openBlobFolder(root, clock)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("rejects a folder whose parent is a link, another user's or accessible to others [S-41]", async () => {
  const clock = { now: () => new Date() };
  const parent = dirname(root);
  symlinkSync(parent, `${parent}-link`);
  try {
    const refused = { code: "CONFIG_INVALID", details: { root: `${parent}-link` } };
    await expect(openBlobFolder(`${parent}-link/blobs`, clock)).rejects.toMatchObject(refused);
  } finally {
    rmSync(`${parent}-link`);
  }
  chmodSync(parent, 0o755);
  await expect(openBlobFolder(root, clock)).rejects.toMatchObject({ details: { root: parent } });
  chmodSync(parent, 0o700);
  await openBlobFolder(root, clock);
  if (process.geteuid?.() !== 0) return;
  chownSync(parent, 65534, 65534);
  await expect(openBlobFolder(root, clock)).rejects.toMatchObject({ details: { root: parent } });
});

test("does not follow a link in the place of a blob and replaces it on put [S-41]", async () => {
  const target = join(root, "target");
  writeFileSync(target, "good");
  mkdirSync(dirname(place()));
  symlinkSync(target, place());
  await expect(folder.get(good.digest)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
  await folder.put([good]);
  expect(lstatSync(place()).isFile()).toBe(true);
  expect(Buffer.from(await folder.get(good.digest)).toString()).toBe("good");
});

test("an unreadable entry damages only its own blob and is replaced on put [S-41]", async () => {
  const odd = [
    ["a folder", () => mkdirSync(join(place(), "deep"), { recursive: true })],
    ["a pipe", () => execFileSync("mkfifo", [place()])],
  ] as const;
  for (const [, make] of odd) {
    mkdirSync(dirname(place()), { recursive: true });
    make();
    await expect(folder.get(good.digest)).rejects.toMatchObject({
      code: "INTEGRITY_FAILED",
      details: { problem: "is damaged" },
    });
    await folder.put([good]);
    expect(Buffer.from(await folder.get(good.digest)).toString()).toBe("good");
    rmSync(place());
  }
  await folder.sweep(soon());
  expect(readdirSync(join(root, "tmp"))).toEqual([]);
});

test("a file without read permission damages only its own blob and is replaced on put [S-41]", async () => {
  await folder.put([good]);
  chmodSync(place(), 0);
  await asNobody(dirname(root), async () => {
    await expect(folder.get(good.digest)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    await folder.put([good]);
    expect(Buffer.from(await folder.get(good.digest)).toString()).toBe("good");
  });
});

test("removes a folder in the place of a blob [S-45]", async () => {
  mkdirSync(join(place(), "deep"), { recursive: true });
  utimesSync(place(), 0, 0);
  expect(await folder.remove([good.digest], new Date(1000))).toBe(1);
  expect(existsSync(place())).toBe(false);
});

test("neither lists nor removes unknown files [S-41]", async () => {
  await folder.put([good]);
  writeFileSync(join(dirname(place()), "notes.txt"), "");
  mkdirSync(join(root, "zz"));
  writeFileSync(join(root, "zz", hex), "good");
  writeFileSync(join(root, "tmp", hex), "good");
  const listed: string[] = [];
  for await (const entry of folder.list()) listed.push(entry.digest);
  expect(listed).toEqual([good.digest]);
});

test("sweeps old leftovers of crashed writers [S-41]", async () => {
  writeFileSync(join(root, "tmp/new-1"), "half");
  writeFileSync(join(root, "tmp/new-2"), "half");
  utimesSync(join(root, "tmp/new-1"), 0, 0);
  expect(await folder.sweep(new Date(1000))).toBe(1);
  expect(readdirSync(join(root, "tmp"))).toEqual(["new-2"]);
});

test("restores a blob that was put again while a crashed process removed it [S-45]", async () => {
  await folder.put([good]);
  const trash = (before: Date) => join(root, "tmp", `trash-${before.getTime()}-${hex}-1`);
  renameSync(place(), trash(new Date(1000)));
  expect(await folder.sweep(new Date(0))).toBe(1);
  expect(Buffer.from(await folder.get(good.digest)).toString()).toBe("good");
  renameSync(place(), trash(soon()));
  expect(await folder.sweep(new Date(0))).toBe(1);
  expect(existsSync(place())).toBe(false);
  expect(readdirSync(join(root, "tmp"))).toEqual([]);
});

test("writes a blob again that is removed just before it is renewed [S-41]", async () => {
  let isRemoverDue = false;
  const now = () => {
    if (isRemoverDue) rmSync(place());
    isRemoverDue = false;
    return new Date();
  };
  const raced = await openBlobFolder(root, { now });
  await raced.put([good]);
  isRemoverDue = true;
  await raced.put([good]);
  expect(isRemoverDue).toBe(false);
  expect(Buffer.from(await raced.get(good.digest)).toString()).toBe("good");
});

test("throws STORE_FAILED for an unwritable folder and leaves no file [S-41]", async () => {
  rmSync(join(root, "tmp"), { recursive: true });
  writeFileSync(join(root, "tmp"), "");
  await expect(folder.put([good])).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect(existsSync(place())).toBe(false);
  await expect(folder.sweep(soon())).rejects.toMatchObject({ code: "STORE_FAILED" });
});
