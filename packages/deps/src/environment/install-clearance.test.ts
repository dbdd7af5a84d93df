import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type ApprovalAnswer, type ApprovalRequest, memoryApprovals } from "@skillhold/core/approval";
import { defaultRules } from "@skillhold/core/policy";
import {
  Digest,
  type SkillEvent,
  SkillEvent as SkillEventSchema,
  SkillId,
  type Trust,
} from "@skillhold/protocol";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, expect, test } from "vitest";
import { installPorts, need, removeFolders } from "./environment.fixture.ts";
import { type ClearancePorts, installClearance } from "./install-clearance.ts";
import { installDependencies } from "./installer.ts";
import { environmentOf } from "./run-environment.ts";
import { installForSkill } from "./skill-install.ts";

afterEach(removeFolders);

const hash = Digest.parse(`sha256:${"a".repeat(64)}`);
const owner = { skill: "demo", needs: [need("npm", "one")] };

function scene(
  trust: Trust,
  answer: ApprovalAnswer["answer"] | undefined,
  settings: Partial<ClearancePorts> = {},
) {
  const asked: ApprovalRequest[] = [];
  const events: SkillEvent[] = [];
  let next = 0;
  const ask = async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
    asked.push(request);
    return answer === "approve" ? { answer, scope: "content", by: "me" } : { answer: "deny", by: "me" };
  };
  const clear = installClearance(
    { entry: { id: SkillId.parse("demo"), trust }, treeHash: hash },
    {
      approvals: memoryApprovals(),
      clock: { now: () => new Date(0) },
      ids: { next: () => `id-${next++}` },
      audit: { record: (event) => void events.push(SkillEventSchema.parse(event)) },
      limits: defaultLimits,
      treeHash: async () => hash,
      ...(answer === undefined ? {} : { asker: { ask } }),
      ...settings,
    },
  );
  const ports = installPorts({ clear });
  const install = (...specs: string[]) => installForSkill({ owner, specs }, ports);
  return { asked, events, ports, install };
}

const endsOf = (events: readonly SkillEvent[]) =>
  events.filter((event) => event.type === "skill.deps_installed");

test("a person is asked for exactly what would be installed, and it is recorded before [S-28] [S-36]", async () => {
  const { asked, events, install } = scene("user", "approve");
  const { results } = await install("npm:one", "npm:two@1.0.0", "$bad");
  expect(results.map(({ spec, status }) => [spec, status])).toEqual([
    ["npm:one", "ok"],
    ["npm:two@1.0.0", "ok"],
    ["$bad", "failed"],
  ]);
  expect(asked).toMatchObject([
    { skill: "demo", treeHash: hash, act: "install", target: "npm:one,npm:two@1.0.0", network: "open" },
  ]);
  expect(events.map(({ type }) => type)).toEqual([
    "run.requested",
    "approval.granted",
    "run.approved",
    "skill.deps_installed",
  ]);
  expect(events[0]).toMatchObject({ args: ["npm:one", "npm:two@1.0.0"], sandbox: "package-manager" });
});

test.each<[Trust, ApprovalAnswer["answer"] | undefined, string]>([
  ["user", "deny", "APPROVAL_DENIED"],
  ["user", undefined, "APPROVAL_REQUIRED"],
  ["builtin", undefined, "APPROVAL_REQUIRED"],
  ["third_party", "approve", "POLICY_DENIED"],
])(
  "for a skill of %s with the answer %s nothing is installed: %s [S-28] [S-36]",
  async (trust, answer, code) => {
    const { asked, events, install } = scene(trust, answer);
    await expect(install("npm:one")).rejects.toMatchObject({ code });
    expect(asked).toHaveLength(answer !== undefined && code !== "POLICY_DENIED" ? 1 : 0);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => /approved|installed/.test(type))).toEqual([]);
  },
);

test("an administrator can let a tier install unasked [S-36]", async () => {
  const rules = { ...defaultRules, install: { ...defaultRules.install, builtin: "allow" as const } };
  const { events, install } = scene("builtin", undefined, { rules });
  expect((await install("npm:one")).results).toMatchObject([{ status: "ok" }]);
  expect(events.map(({ type }) => type)).toEqual(["run.requested", "run.approved", "skill.deps_installed"]);
});

test("a yes for a content that has changed meanwhile does not count [S-28] [S-36]", async () => {
  const other = Digest.parse(`sha256:${"b".repeat(64)}`);
  const { install } = scene("user", "approve", { treeHash: async () => other });
  await expect(install("npm:one")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
});

test("a yes to one package is none to another, and what is there already is not asked for [S-28] [S-36]", async () => {
  const { asked, install } = scene("user", "approve");
  await install("npm:one");
  await install("npm:one");
  await install("npm:two");
  expect(asked.map(({ target }) => target)).toEqual(["npm:one", "npm:one,npm:two"]);
});

test("what came of each item is recorded once, in the run that was approved [S-36] [S-62]", async () => {
  const { events, install } = scene("user", "approve");
  const { environment = "" } = await install("npm:one", "npm:bad");
  const approved = events.find((event) => event.type === "run.approved");
  expect(endsOf(events)).toEqual([
    {
      type: "skill.deps_installed",
      at: new Date(0).toISOString(),
      skill: "demo",
      hash,
      session: approved?.session,
      run: approved?.run,
      scope: "skill",
      results: [
        { spec: "npm:one", status: "ok", message: "" },
        { spec: "npm:bad", status: "failed", message: expect.stringContaining("404") },
      ],
      environment: basename(environment),
    },
  ]);
});

test("what is installed again beside the new is recorded with it [S-36] [S-62]", async () => {
  const { events, install } = scene("user", "approve");
  await install("npm:one");
  expect((await install("npm:two")).results.map(({ spec }) => spec)).toEqual(["npm:two"]);
  expect(endsOf(events)[1]?.results.map(({ spec }) => spec)).toEqual(["npm:one", "npm:two"]);
});

test("an installation by itself is recorded too, and one of nothing new is not [S-36] [S-62]", async () => {
  const { events, ports } = scene("user", "approve");
  const plan = { skill: "demo", specs: ["npm:one"], scope: "global" } as const;
  await installDependencies(plan, ports);
  await installDependencies(plan, ports);
  await installDependencies({ ...plan, specs: ["npm:two"] }, ports, { dryRun: true });
  expect(endsOf(events)).toMatchObject([{ scope: "global", results: [{ spec: "npm:one", status: "ok" }] }]);
});

test("an installation that is broken off is recorded as failed [S-36] [S-62]", async () => {
  const { events, ports } = scene("user", "approve");
  const onProgress = () => {
    throw new Error("The disk is full.");
  };
  const installing = installForSkill({ owner, specs: ["npm:one"] }, ports, { onProgress });
  await expect(installing).rejects.toThrow("The disk is full.");
  const message = "npm:one: the installation was broken off: The disk is full.";
  expect(endsOf(events)).toMatchObject([{ results: [{ spec: "npm:one", status: "failed", message }] }]);
});

test("when the end cannot be recorded the caller is told, and what was installed is used [S-36] [S-62]", async () => {
  const record = async ({ type }: SkillEvent) => {
    if (type === "skill.deps_installed") throw new Error("The disk is full.");
  };
  const { install, ports } = scene("user", "approve", { audit: { record } });
  await expect(install("npm:one")).rejects.toMatchObject({
    code: "IO_FAILED",
    message: expect.stringMatching(/^What was installed for demo stays, .* The disk is full\.$/),
  });
  const { folder = "" } = (await environmentOf(owner, ports)) ?? {};
  expect(existsSync(join(folder, "node_modules/one"))).toBe(true);
});
