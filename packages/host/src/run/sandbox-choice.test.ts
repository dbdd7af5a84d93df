import { expect, test } from "vitest";
import { chooseSandbox, freshSandbox } from "./sandbox-choice.ts";

test.each([
  ["none", "linux", "bubblewrap"],
  ["open", "linux", "bubblewrap"],
  [{ hosts: ["example.com"] }, "linux", "sandbox-runtime"],
  ["none", "darwin", "sandbox-runtime"],
] as const)("for network %j on %s the sandbox is %s [S-29] [S-67]", (network, platform, id) => {
  expect(freshSandbox(network, platform).id).toBe(id);
});

test("chooses the same sandbox with and without a cache [S-29]", () => {
  const network = { hosts: ["example.com"] };
  for (const env of [{}, { XDG_CACHE_HOME: "/nowhere" }])
    expect(chooseSandbox({ env }, network).id).toBe("sandbox-runtime");
});
