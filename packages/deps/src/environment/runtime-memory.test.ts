import type { RuntimeKind } from "@skillhold/core/run";
import { expect, test } from "vitest";
import { cacheRuntimes } from "./runtimes.ts";

test("looks up an interpreter once, and again while it is missing [S-35]", async () => {
  const asked: RuntimeKind[] = [];
  let isThere = false;
  const find = cacheRuntimes(async (kind) => {
    asked.push(kind);
    if (!isThere) throw new Error("none");
    return { program: kind, mounts: [] };
  });
  await expect(find("node")).rejects.toThrow("none");
  isThere = true;
  const [first, second] = await Promise.all([find("node"), find("node")]);
  expect(first).toBe(second);
  expect(asked).toEqual(["node", "node"]);
});
