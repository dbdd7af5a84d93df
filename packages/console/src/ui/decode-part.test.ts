import { expect, test } from "vitest";
import { decodePart } from "./decode-part.ts";

test("a part of an address that someone mistyped is taken as it stands [S-59]", () => {
  expect(decodePart("a%20b")).toBe("a b");
  expect(decodePart("100%")).toBe("100%");
});
