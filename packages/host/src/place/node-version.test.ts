import { expect, test } from "vitest";
import { isSupportedNode, rejectOldNode } from "./node-version.ts";

test.each([
  ["20.20.2", false],
  ["22.9.0", false],
  ["22.17.1", false],
  ["22.18.0", true],
  ["24.0.0", true],
  ["100.0.0", true],
])("Node %s is supported: %s [S-67]", (version, isSupported) => {
  expect(isSupportedNode(version)).toBe(isSupported);
});

test("names both versions [S-67]", () => {
  expect(() => rejectOldNode("22.18.0")).not.toThrow();
  expect(() => rejectOldNode("20.20.2")).toThrow(
    expect.objectContaining({
      code: "NODE_UNSUPPORTED",
      message: "Skillhold needs Node 22.18 or later; this is 20.20.2.",
    }),
  );
});
