import { expect, test } from "vitest";
import { launch } from "./process.ts";
import { countsPerNamespace, hasResourceLimits, limitPrefix } from "./resource-limit.ts";
import { roomyLimits } from "./trial.fixture.ts";

test.each([
  ["6.1.0-13-amd64", true],
  ["5.14.0", true],
  ["5.13.19", false],
  ["4.19.0", false],
])("Linux %s counts processes per run: %s [S-29]", (version, counts) => {
  expect(countsPerNamespace(version)).toBe(counts);
});

test.runIf(process.platform === "linux")("works for a user with lower limits [S-29]", async () => {
  if (!hasResourceLimits()) throw new Error("prlimit is part of every system that this is tested on.");
  const prefix = limitPrefix(roomyLimits, false);
  expect(prefix[0]).toBe("/usr/bin/prlimit");
  const launched = await launch(["/usr/bin/prlimit", ...prefix.slice(1, -1), "--", "/bin/true"], {
    env: {},
  });
  expect(await launched.ended).toEqual({ code: 0, signal: null });
  for (const option of prefix.slice(1, -1)) expect(option).toMatch(/^--[a-z]+=\d+:\d+$/);
});
