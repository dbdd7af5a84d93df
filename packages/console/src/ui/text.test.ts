import { expect, test } from "vitest";
import { formatBytes } from "./text.tsx";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 kB"],
  [3210, "3.1 kB"],
  [20 * 1024 ** 2, "20 MB"],
  [5 * 1024 ** 4, "5120 GB"],
])("%d bytes are %s [S-59]", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
