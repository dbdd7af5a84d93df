import type { SandboxProbe } from "@skillhold/core/run";
import { expect, test } from "vitest";
import { checkSandbox } from "./machine-check.ts";

const enforced = {
  wall: "run",
  cpu: "process",
  memory: "run",
  processes: "none",
  disk: "run",
  output: "run",
} as const;

test("reports a working sandbox with its version and weak limits [S-29] [S-60]", async () => {
  expect(await check({ isAvailable: true, version: "0.8.0", network: "proxy" })).toEqual({
    name: "sandbox",
    status: "ok",
    message: "Scripts run in bubblewrap 0.8.0, and reach the network only through the egress proxy.",
    fix: null,
    details: ["cpu is limited per process only", "processes is not limited"],
  });
});

test("warns about a missing sandbox with the install command [S-29] [S-60]", async () => {
  const problem = { message: "Bubblewrap is not installed.", hint: "Install it: apt-get install bubblewrap" };
  expect(await check({ isAvailable: false, problem })).toMatchObject({
    status: "warn",
    message: "Scripts cannot run: Bubblewrap is not installed.",
    fix: "Install it: apt-get install bubblewrap",
  });
});

test("fails for a leaking sandbox and names the leak [S-29]", async () => {
  const checks = [
    { name: "read-home", title: "cannot read the home folder", isConfined: false, detail: "it was read" },
    { name: "read-skill", title: "can read the skill", isConfined: true, detail: "" },
  ];
  expect(await check({ isAvailable: false, checks })).toMatchObject({
    status: "fail",
    details: ["cannot read the home folder: it was read"],
  });
});

function check(part: Partial<SandboxProbe>) {
  const probe = async () => ({ id: "bubblewrap", isAvailable: true, checks: [], enforced, ...part }) as const;
  return checkSandbox({ id: "bubblewrap", probe });
}
