import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxProcess, SandboxSpec } from "@skillhold/core/test/run/sandbox";
import { SkillError } from "@skillhold/protocol/error";
import { describe, expect, test, vi } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import type { Observation } from "./probe.ts";
import { selfTest } from "./self-test.ts";
import { callTable, probeCalls } from "./self-test-call.ts";
import { checkEvidence, type Evidence } from "./self-test-check.ts";
import { unconfined } from "./unconfined.ts";

describe.runIf(process.platform === "linux")("on this machine", () => {
  test("bubblewrap confines every attempt, and allows what must work [S-29]", async () => {
    const { checks, enforced } = await selfTest(bubblewrap());
    expect(checks.filter((check) => !check.isConfined)).toEqual([]);
    expect(checks.length).toBeGreaterThan(35);
    expect(enforced).toMatchObject({ wall: "run", output: "run", disk: "run", processes: "run" });
  });

  test("without a sandbox the test detects what is open, for any user [S-29]", async () => {
    const { checks } = await selfTest(unconfined());
    const open = checks.filter((check) => !check.isConfined).map((check) => check.name);
    const always = ["read-home", "read-home-through-link", "read-temporary", "write-home", "write-temporary"];
    const more = ["change-skill", "see-processes", "signal-process", "connect-loopback", "connect-socket"];
    const kernel = [
      "connect-abstract-socket",
      "gain-privileges",
      "use-any-call",
      "read-environment-of-others",
    ];
    expect(open).toEqual(expect.arrayContaining([...always, ...more, ...kernel]));
    const working = checks.filter((check) => check.title.startsWith("can "));
    expect(working.map((check) => check.isConfined)).toEqual([true, true, true]);
  });

  test("does not report a limit that fails, whatever the backend claims [S-29]", async () => {
    const bare = unconfined();
    const boastful = {
      start: async (spec: SandboxSpec): Promise<SandboxProcess> => {
        const running = await bare.start(spec);
        const enforced = { ...running.enforced, disk: "run", processes: "run" } as const;
        return new Proxy(running, {
          get: (target, key) => {
            const value: unknown = key === "enforced" ? enforced : Reflect.get(target, key, target);
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
      },
    };
    expect((await selfTest(boastful)).enforced).toMatchObject({ disk: "none", processes: "none" });
  });

  test("leaves nothing behind, also when the sandbox is unavailable [S-29]", async () => {
    // Uses its own folders, because other self-tests run at the same time.
    const folder = mkdtempSync(join(tmpdir(), "skillhold-test-"));
    chmodSync(folder, 0o755);
    vi.stubEnv("HOME", folder);
    vi.stubEnv("TMPDIR", folder);
    const unavailable = new SkillError("SANDBOX_UNAVAILABLE", "There is none.");
    await expect(selfTest({ start: () => Promise.reject(unavailable) })).rejects.toBe(unavailable);
    await selfTest(bubblewrap());
    vi.unstubAllEnvs();
    expect(readdirSync(folder, { recursive: true }).filter((name) => !isStageRoot(String(name)))).toEqual([]);
    rmSync(folder, { recursive: true });
    expect(Object.keys(process.env).filter((name) => name.startsWith("SKILLHOLD_SELF_TEST"))).toEqual([]);
  });
});

test("an untried check is not confined, and says why [S-29]", () => {
  const checks = checkEvidence(evidenceOf([]), "linux");
  expect(checks.filter((check) => check.isConfined)).toEqual([]);
  expect(checks.find((check) => check.name === "read-home")?.detail).toBe("cannot be tried: it never ran");
  const [check] = checkEvidence(
    evidenceOf([{ name: "read-home", outcome: "untried", detail: "no tool" }]),
    "linux",
  );
  expect(check).toMatchObject({ name: "read-home", isConfined: false, detail: "cannot be tried: no tool" });
});

test("without raw calls in the sandbox, an active filter counts as confined [S-29]", () => {
  const untried = { name: "use-bpf", outcome: "untried", detail: "neither perl nor python3" } as const;
  const filter = { name: "use-any-call", outcome: "refused", detail: "Seccomp is 2" } as const;
  const rights = { name: "gain-privileges", outcome: "refused", detail: "NoNewPrivs is 1" } as const;
  const find = (...observations: Observation[]) =>
    checkEvidence(evidenceOf(observations), "linux").find((check) => check.name === "use-bpf");
  expect(find(untried, filter, rights)).toMatchObject({
    isConfined: true,
    detail: "not tried; the system call filter is on",
  });
  expect(find(untried, filter)).toMatchObject({ isConfined: false });
  expect(find(untried, rights)).toMatchObject({ isConfined: false });
  expect(find(untried, rights, { ...filter, outcome: "reached", detail: "Seccomp is 0" })?.isConfined).toBe(
    false,
  );
  // A program that ended early is no proof, and a successful call overrides the filter.
  expect(find(filter, rights)).toMatchObject({ isConfined: false });
  expect(find({ ...untried, outcome: "reached" }, filter, rights)).toMatchObject({ isConfined: false });
});

test("an effect on the host overrides the program's report [S-29]", () => {
  const refused = { name: "connect-loopback", outcome: "refused", detail: "ECONNREFUSED" } as const;
  const find = (evidence: Evidence) =>
    checkEvidence(evidence, "linux").find((check) => check.name === refused.name);
  expect(find(evidenceOf([refused]))?.isConfined).toBe(true);
  expect(find({ ...evidenceOf([refused]), harms: new Set([refused.name]) })?.isConfined).toBe(false);
});

test.for([
  ["read-home", "something", true],
  ["read-home", "canary-1", false],
  ["see-processes", "1@10 2@11", true],
  ["see-processes", "1@10 77@99", false],
  ["see-processes", "ps works", false],
  ["write-home", "written", true],
] as const)("%s that got %j is confined: %s [S-29]", ([name, detail, isConfined]) => {
  const checks = checkEvidence(evidenceOf([{ name, outcome: "reached", detail }]), "linux");
  expect(checks.find((check) => check.name === name)?.isConfined).toBe(isConfined);
});

test("detects an inherited descriptor in the listing [S-29]", () => {
  const listed = "l 0 0 -> pipe:[1]\nl 1 -> pipe:[2]\nl 2 -> pipe:[3]\nl 3 -> /proc/5/fd\nl 9 -> /dev/null\n";
  const find = (output: string) =>
    checkEvidence({ ...evidenceOf([]), output }, "linux").find(
      (check) => check.name === "inherit-descriptor",
    );
  expect(find(listed)).toMatchObject({ isConfined: true });
  expect(find(`${listed}l 11 -> /home/me/key\n`)).toMatchObject({
    isConfined: false,
    detail: "11 is /home/me/key",
  });
});

test("a collected link is an escape [S-29]", () => {
  const tried = evidenceOf([{ name: "read-home-through-link", outcome: "refused", detail: "ENOENT" }]);
  const find = (evidence: Evidence) =>
    checkEvidence(evidence, "linux").find((check) => check.name === "collect-link");
  expect(find(tried)?.isConfined).toBe(true);
  expect(find({ ...tried, collected: { written: "x", link: "y" } })?.isConfined).toBe(false);
});

test("tries raw calls only where their numbers are known [S-29]", () => {
  expect(probeCalls(7, "linux", "x64")).toHaveLength(callTable.length);
  expect(probeCalls(7, "linux", "arm64").find((call) => call.name === "trace-process")).toMatchObject({
    number: 117,
    args: [0x4206, 7, 0, 0],
  });
  expect([probeCalls(7, "linux", "riscv64"), probeCalls(7, "darwin", "arm64")]).toEqual([[], []]);
  const names = checkEvidence(evidenceOf([]), "darwin").map((check) => check.name);
  expect(names).not.toContain("use-bpf");
  expect(names).toContain("connect-loopback");
});

function evidenceOf(observations: readonly Observation[]): Evidence {
  return {
    observations: new Map(observations.map((each) => [each.name, each])),
    output: "",
    harms: new Set(),
    collected: { written: undefined, link: undefined },
    ending: "it never ran",
    token: "canary-1",
    sentinel: "77@99",
  };
}

/** The stage root stays between runs. */
function isStageRoot(name: string): boolean {
  return /^skillhold-\d+(?:\/runtime.*)?$/.test(name);
}
