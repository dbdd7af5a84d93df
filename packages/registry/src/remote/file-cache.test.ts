import { hash, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Digest } from "@skillhold/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderCache } from "./file-cache.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-file-cache-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("files that arrive together stay within the size limit [S-66]", async () => {
  const mostBytes = 10_000;
  const cache = await openFolderCache(join(root, "cache"), {
    ...{ address: "https://skills.example", mostBytes },
    ids: { next: () => randomUUID() },
  });
  const files = Array.from({ length: 40 }, (_, index) => Buffer.alloc(1000, `${index} `));
  await Promise.all(
    files.map((bytes) => {
      const digest = Digest.parse(`sha256:${hash("sha256", bytes, "hex")}`);
      return cache.keep({ digest, size: bytes.length }, bytes);
    }),
  );
  const [name = ""] = readdirSync(join(root, "cache"));
  const folder = join(root, "cache", name);
  const kept = readdirSync(folder).reduce((sum, each) => sum + statSync(join(folder, each)).size, 0);
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(mostBytes);
});
