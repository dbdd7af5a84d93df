import { expect, test } from "vitest";
import { chooseSandbox, freshSandbox } from "./sandbox-choice.ts";

test.each([
  ["linux", "bubblewrap"],
  ["darwin", "sandbox-runtime"],
] as const)("on %s the sandbox is %s [S-29] [S-67]", (platform, id) => {
  expect(freshSandbox(platform).id).toBe(id);
});

test("chooses the same sandbox with and without a cache [S-29]", () => {
  for (const env of [{}, { XDG_CACHE_HOME: "/nowhere" }])
    expect(chooseSandbox({ env }).id).toBe(freshSandbox().id);
});
