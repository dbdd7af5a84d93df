import { expect, test } from "vitest";
import { rejectOpenBind } from "./serve.ts";

test.each(["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"])(
  "%s is a loopback address and needs no switch [S-53]",
  (host) => expect(() => rejectOpenBind(host, false)).not.toThrow(),
);

test.each([
  "0.0.0.0",
  "::",
  "::ffff:10.0.0.1",
  "10.0.0.1",
  "127.0.0.1.example.org",
  "localhost.example.org",
  "",
])("%j can be reached by others, so binding to it needs a switch [S-53]", (host) => {
  expect(() => rejectOpenBind(host, false)).toThrow(expect.objectContaining({ code: "USAGE" }));
  expect(() => rejectOpenBind(host, true)).not.toThrow();
});
