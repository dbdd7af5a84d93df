import { expect, test } from "vitest";
import { decodePart } from "./decode-part.ts";

test("keeps a mistyped part of an address unchanged [S-59]", () => {
  expect(decodePart("a%20b")).toBe("a b");
  expect(decodePart("100%")).toBe("100%");
});
