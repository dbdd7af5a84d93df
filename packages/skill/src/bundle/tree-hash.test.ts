import type { Digest } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { treeHashInput } from "./tree-hash.ts";

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Digest> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  // Web Crypto returns 32 bytes.
  return `sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("")}` as Digest;
}

async function file(path: string, text: string, executable = false) {
  const bytes = new TextEncoder().encode(text);
  return { path, size: bytes.length, executable, digest: await sha256(bytes) };
}

test("gives the documented bytes, in the byte order of the paths [S-13]", async () => {
  const empty = await file("a.md", "");
  const script = await file("B.sh", "echo\n", true);
  const head = new TextEncoder().encode("skillhold-tree-1\n");
  const input = treeHashInput([empty, script]);
  expect(input).toEqual(treeHashInput([script, empty]));
  expect(input.subarray(0, head.length)).toEqual(head);
  const lines = new TextDecoder("latin1").decode(input.subarray(head.length));
  expect(lines.startsWith("B.sh\0x\0")).toBe(true);
  expect(lines.slice(7 + 32, 7 + 32 + 7)).toBe("a.md\0-\0");
  expect(input.length).toBe(head.length + 2 * (7 + 32));
});

test("hashes with Web Crypto to the tree hash of the product [S-13]", async () => {
  const hash = await sha256(treeHashInput([await file("SKILL.md", "x")]));
  expect(hash).toBe("sha256:2807b54e18ca31f6e88902a811258857d7248fd2ea477de46f202c4ff3c67e34");
});

test("changes with a path, an execute bit and a digest [S-13]", async () => {
  const one = await file("a", "x");
  const inputs = [one, { ...one, path: "b" }, { ...one, executable: true }, await file("a", "y")];
  expect(new Set(inputs.map((each) => String(treeHashInput([each])))).size).toBe(4);
});
