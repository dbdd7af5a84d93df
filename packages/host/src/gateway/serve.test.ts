import { expect, test } from "vitest";
import { rejectOpenBind } from "./serve.ts";

test.each(["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"])(
  "%s is a loopback address and needs no option [S-53]",
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
])("%j is reachable by other machines, so binding to it needs an option [S-53]", (host) => {
  expect(() => rejectOpenBind(host, false)).toThrow(expect.objectContaining({ code: "USAGE" }));
  expect(() => rejectOpenBind(host, true)).not.toThrow();
});
