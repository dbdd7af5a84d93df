import type { RuntimeKind } from "@skillhold/core/run";
import { expect, test } from "vitest";
import { rememberRuntimes } from "./runtime-memory.ts";

test("an interpreter is looked for once, and again while there is none [S-35]", async () => {
  const asked: RuntimeKind[] = [];
  let isThere = false;
  const find = rememberRuntimes(async (kind) => {
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
