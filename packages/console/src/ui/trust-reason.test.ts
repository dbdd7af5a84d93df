import * as protocol from "@skillhold/protocol";
import { expect, test } from "vitest";
import { trustReasons } from "./trust-reason.ts";

test("the console gives the same reasons for trust as the command line [S-14]", () => {
  expect(trustReasons).toEqual(protocol.trustReasons);
  expect(Object.keys(trustReasons)).toEqual(protocol.Trust.options);
});
