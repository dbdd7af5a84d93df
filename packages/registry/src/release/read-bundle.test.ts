import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { hashSkillFile } from "@skillhold/core/bundle";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ReadBundle, readBundle } from "./read-bundle.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-read-bundle-"));
  for (let number = 0; number < 300; number += 1) writeFileSync(join(folder, `${number}.txt`), `${number}`);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("reads every byte once and hashes these bytes [S-13]", async () => {
  const { bundle, files } = await readBundle(folder, {}, defaultLimits);
  expect(files).toHaveLength(300);
  expect(bundle.bytes).toBe(files.reduce((sum, { content }) => sum + content.length, 0));
  for (const { path, content, digest } of files) {
    expect(`${new TextDecoder().decode(content)}.txt`).toBe(path);
    expect(digest).toBe(hashSkillFile(content));
  }
});

test.each<[string, (number: number) => void]>([
  ["grows", () => appendFileSync(join(folder, "0.txt"), "x")],
  ["is rewritten with the same size", (number) => writeFileSync(join(folder, "9.txt"), `${number % 10}`)],
  ["gains files", (number) => writeFileSync(join(folder, `new-${number}.txt`), "")],
])("rejects a folder that %s while it is read [S-41]", async (_, change) => {
  let isDone = false;
  const reading = readBundle(folder, {}, defaultLimits).finally(() => {
    isDone = true;
  });
  const refused = expect(reading).rejects.toMatchObject({ code: "IO_FAILED" });
  for (let number = 0; !isDone; number += 1) {
    change(number);
    await setImmediate();
  }
  await refused;
});

test("rejects a folder that is replaced for a moment [S-41]", async () => {
  const twin = mkdtempSync(join(tmpdir(), "skillhold-read-bundle-"));
  const swap = (one: string, other: string) => {
    renameSync(one, `${one}-aside`);
    renameSync(other, one);
    renameSync(`${one}-aside`, other);
  };
  try {
    for (let number = 0; number < 300; number += 1)
      writeFileSync(join(twin, `${number}.txt`), "x".repeat(`${number}`.length));
    let accepted = 0;
    for (let turn = 0; turn < 12 || accepted === 0; turn += 1) {
      const reading = readBundle(folder, {}, defaultLimits).catch((error: unknown) => error);
      for (let waited = 0; waited < turn; waited += 1) await setImmediate();
      swap(folder, twin);
      await setImmediate();
      swap(folder, twin);
      const read = await reading;
      if (read instanceof Error) expect(read).toMatchObject({ code: "IO_FAILED" });
      else {
        accepted += 1;
        for (const { path, content } of (read as ReadBundle).files)
          expect(`${new TextDecoder().decode(content)}.txt`).toBe(path);
      }
    }
  } finally {
    rmSync(twin, { recursive: true, force: true });
  }
});

test("rejects a folder that is replaced by a link [S-41]", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "skillhold-read-bundle-"));
  try {
    const inside = join(folder, "inside");
    mkdirSync(inside);
    writeFileSync(join(inside, "SKILL.md"), "mine");
    writeFileSync(join(elsewhere, "SKILL.md"), "theirs");
    const place = { roots: [folder] };
    expect(await readBundle(inside, place, defaultLimits)).toMatchObject({ bundle: { root: inside } });
    renameSync(inside, join(folder, "moved"));
    symlinkSync(elsewhere, inside);
    await expect(readBundle(inside, place, defaultLimits)).rejects.toMatchObject({ code: "POLICY_DENIED" });
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
});

test("rejects a bundle that is too large before reading it [S-66]", async () => {
  writeFileSync(join(folder, "big.bin"), new Uint8Array(1024 * 1024 + 1));
  const limits = withLimits({ archiveBytes: 1024 * 1024 });
  await expect(readBundle(folder, {}, limits)).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
    message: expect.stringContaining("archiveBytes"),
  });
});
