import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryApprovals, openSession } from "@skillhold/core";
import { fixtureLibrary, skill } from "@skillhold/core/test/session/session.fixture";
import type { SkillEvent } from "@skillhold/protocol";
import { fixedAsker, fixtureRuns } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test, vi } from "vitest";
import { openRunning, org, typesOf } from "./session-run.fixture.ts";

test.each([
  ["a.sh", "echo sh $1", "sh"],
  ["a.py", "import sys\nprint('py', sys.argv[1])", "py"],
  ["a.js", "console.log('js', process.argv[2])", "js"],
  ["a.mjs", "console.log('mjs', process.argv[2])", "mjs"],
  ["a.cjs", "console.log('cjs', process.argv[2])", "cjs"],
  ["a.ts", "const name: string = 'ts';\nconsole.log(name, process.argv[2])", "ts"],
  ["a.pl", 'print "pl $ARGV[0]\\n"', "pl"],
  ["tool", "#!/usr/bin/env -S python3 -u\nimport sys\nprint('env', sys.argv[1])", "env"],
])("scripts/%s runs by its extension or its first line [S-29]", async (file, code, name) => {
  const { session } = await openRunning([org({ [`scripts/${file}`]: code })]);
  const run = await session.run("demo", file, { args: ["a b; echo $HOME"] });
  expect(run).toMatchObject({
    exitCode: 0,
    outcome: "exited",
    stdout: `${name} a b; echo $HOME\n`,
    stderr: "",
  });
  await session.close();
});

test("run ports that load later are loaded once, by the first use of a skill [S-29]", async () => {
  const { library, ports, ...eager } = await openRunning([org({ "scripts/a.sh": "echo hi" })]);
  await eager.session.close();
  const load = vi.fn(async () => ports.runs);
  const runs = { approvals: ports.runs.approvals, load };
  const session = await openSession(library, { runtime: "test", agent: "writer" }, { ...ports, runs });
  expect(session.canRun).toBe(true);
  await session.catalogue();
  expect(load).not.toHaveBeenCalled();
  expect((await session.run("demo", "a.sh")).stdout).toBe("hi\n");
  await session.activate("demo");
  expect(load).toHaveBeenCalledTimes(1);
  await session.close();
});

test("records a run before it starts and after it ends [S-28] [S-29]", async () => {
  const { session, events } = await openRunning([org({ "scripts/a.sh": "exit 3" })]);
  const run = await session.run("demo", "scripts/a.sh", { args: ["x"] });
  expect(run.exitCode).toBe(3);
  expect(typesOf(events)).toEqual([
    "session.opened",
    "run.requested",
    "run.approved",
    "skill.script_executed",
  ]);
  expect(events[1]).toMatchObject({
    args: ["x"],
    network: "none",
    target: "scripts/a.sh",
    hash: run.treeHash,
  });
  expect(events[2]).toMatchObject({ rule: "run-trusted" });
  expect(events[3]).toMatchObject({ exitCode: 3, outcome: "exited", sandbox: "bubblewrap" });
  expect(events[3]).toHaveProperty("enforced.wall", "run");
  await session.close();
});

test.each(["run.requested", "run.approved"])(
  "when %s cannot be recorded, nothing runs [S-28]",
  async (type) => {
    const folder = mkdtempSync(join(tmpdir(), "skillhold-run-"));
    const { library, ports } = await openRunning([]);
    await library.close();
    const failing = {
      ...ports,
      audit: {
        record: (event: SkillEvent) => {
          if (event.type === type) throw new Error("disk full");
        },
      },
    };
    const outputs = join(folder, "outputs");
    const runs = fixtureRuns({ outputs });
    const skills = fixtureLibrary([org({ "scripts/a.sh": "echo hi > made" })]);
    const session = await openSession(skills, { runtime: "test" }, { ...failing, runs });
    await expect(session.run("demo", "a.sh")).rejects.toThrow("disk full");
    expect(() => readFileSync(outputs)).toThrow("ENOENT");
    rmSync(folder, { recursive: true });
  },
);

test("asks about a user's skill once for its content, and again when it changes [S-28]", async () => {
  const asker = fixedAsker("content");
  const user = (code: string) => skill("demo", { files: { "scripts/a.sh": code } });
  const { session, library } = await openRunning([user("echo one")], { asker });
  expect((await session.run("demo", "a.sh", { args: ["A.pdf"] })).stdout).toBe("one\n");
  expect((await session.run("demo", "a.sh", { args: ["B.pdf"] })).stdout).toBe("one\n");
  expect(asker.asked).toEqual(["demo scripts/a.sh A.pdf"]);
  library.replace([user("echo two")]);
  expect((await session.run("demo", "a.sh", { args: ["A.pdf"] })).stdout).toBe("two\n");
  expect(asker.asked).toHaveLength(2);
  await session.close();
});

test("an approval for one agent and user does not cover another, or other options [S-28]", async () => {
  const asker = fixedAsker("content");
  const approvals = memoryApprovals();
  const mine = skill("demo", { files: { "scripts/a.sh": "echo hi" } });
  const { session, library, ports } = await openRunning([mine], { asker, approvals });
  await session.run("demo", "a.sh", { args: ["A.pdf"] });
  await session.run("demo", "a.sh", { args: ["A.pdf", "--delete"] });
  expect(asker.asked).toHaveLength(2);
  const runs = fixtureRuns({ approvals });
  for (const viewer of [{ agent: "other" }, { agent: "writer", user: "eve" }, { user: "writer" }]) {
    const other = await openSession(library, { runtime: "test", ...viewer }, { ...ports, runs });
    expect(await other.clearance("demo", { script: "a.sh" }, { args: ["A.pdf"] })).toMatchObject({
      verdict: "ask",
      request: { requester: viewer },
    });
    await expect(other.run("demo", "a.sh", { args: ["A.pdf"] })).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    await other.close();
  }
  await session.close();
});

test("an approval for everyone with any arguments must be explicit [S-28]", async () => {
  const approvals = memoryApprovals();
  const mine = skill("demo", { files: { "scripts/a.sh": "echo hi" } });
  const widen = ["everyone", "arguments"] as const;
  const asker = { ask: async () => ({ answer: "approve", scope: "content", widen, by: "ada" }) as const };
  const { session, library, ports, events } = await openRunning([mine], { asker, approvals });
  await session.run("demo", "a.sh");
  expect(events).toContainEqual(
    expect.objectContaining({ type: "approval.granted", requester: { agent: "writer" }, widen }),
  );
  const viewer = { runtime: "test", agent: "other", user: "eve" };
  const other = await openSession(library, viewer, { ...ports, runs: fixtureRuns({ approvals }) });
  expect((await other.run("demo", "a.sh", { args: ["--delete"] })).stdout).toBe("hi\n");
  await other.close();
  await session.close();
});

test("a third-party script does not run without an asker or after a no [S-28]", async () => {
  const stranger = skill("demo", { files: { "scripts/a.sh": "echo hi" }, trust: "third_party" });
  const alone = await openRunning([stranger]);
  await expect(alone.session.run("demo", "a.sh")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
  expect(typesOf(alone.events)).toEqual(["session.opened", "run.requested", "skill.denied"]);
  const refused = await openRunning([stranger], { asker: fixedAsker("deny") });
  await expect(refused.session.run("demo", "a.sh")).rejects.toMatchObject({ code: "APPROVAL_DENIED" });
  expect(typesOf(refused.events)).not.toContain("run.approved");
  await alone.session.close();
  await refused.session.close();
});

test("does not run a skill that changes while its approval is pending [S-28]", async () => {
  const user = (code: string) => skill("demo", { files: { "scripts/a.sh": code } });
  const { session, library, events } = await openRunning([user("echo one")], {
    asker: {
      ask: async () => {
        library.replace([user("echo two")]);
        return { answer: "approve", scope: "content", by: "ada" };
      },
    },
  });
  await expect(session.run("demo", "a.sh")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
  expect(typesOf(events)).not.toContain("run.approved");
  await session.close();
});

test("denies network access to a third-party skill under any approver [S-28]", async () => {
  const asker = fixedAsker("content");
  const stranger = skill("demo", { files: { "scripts/a.sh": "echo hi" }, trust: "third_party" });
  const { session } = await openRunning([stranger], { asker });
  await expect(session.run("demo", "a.sh", { network: "open" })).rejects.toMatchObject({
    code: "POLICY_DENIED",
  });
  expect(asker.asked).toEqual([]);
  await session.close();
});

test("running without a sandbox needs both switches, and never covers a third-party skill [S-29]", async () => {
  const { unconfined } = await import("@skillhold/sandbox/test/backend/unconfined");
  const asker = fixedAsker("once");
  const files = { "scripts/a.sh": "echo hi" };
  const skills = [skill("demo", { files }), skill("other", { files, trust: "third_party" })];
  const both = await openRunning(skills, { asker, unsandboxed: unconfined() });
  const run = await both.session.run("demo", "a.sh", { isUnsandboxed: true });
  expect(run).toMatchObject({ stdout: "hi\n", sandbox: "none" });
  expect(both.events.find(({ type }) => type === "run.requested")).toMatchObject({ sandbox: "none" });
  await expect(both.session.run("other", "a.sh", { isUnsandboxed: true })).rejects.toMatchObject({
    code: "POLICY_DENIED",
  });
  const one = await openRunning(skills, { asker });
  expect((await one.session.run("demo", "a.sh", { isUnsandboxed: true })).sandbox).toBe("bubblewrap");
  const bare = await openRunning(skills, { asker, sandbox: unconfined() });
  await expect(bare.session.run("demo", "a.sh")).rejects.toMatchObject({ code: "POLICY_DENIED" });
  for (const { session } of [both, one, bare]) await session.close();
});

test("a yes for a sandboxed run does not cover an unsandboxed one [S-28]", async () => {
  const { unconfined } = await import("@skillhold/sandbox/test/backend/unconfined");
  const asker = fixedAsker("content");
  const user = skill("demo", { files: { "scripts/a.sh": "echo hi" } });
  const { session } = await openRunning([user], { asker, unsandboxed: unconfined() });
  await session.run("demo", "a.sh");
  await session.run("demo", "a.sh", { isUnsandboxed: true });
  await session.run("demo", "a.sh", { isUnsandboxed: true });
  expect(asker.asked).toHaveLength(3);
  await session.close();
});

test("detects an impossible run before it asks [S-28]", async () => {
  const full = mkdtempSync(join(tmpdir(), "skillhold-run-"));
  writeFileSync(join(full, "file"), "");
  const asker = fixedAsker("content");
  const user = skill("demo", { files: { "scripts/a.sh": "echo hi", "scripts/a.rb": "puts 1" } });
  const { session, events } = await openRunning([user], { asker });
  const failing = [
    session.run("demo", "a.sh", { outputs: full }),
    session.run("demo", "a.sh", { args: ["a\0b"] }),
    session.run("demo", "a.sh", { args: ["x".repeat(200_000)] }),
    session.run("demo", "none.sh"),
    session.run("demo", "a.sh", { signal: AbortSignal.abort() }),
  ];
  const codes = (await Promise.allSettled(failing)).map(
    (each) => each.status === "rejected" && each.reason.code,
  );
  expect(codes).toEqual(["USAGE", "USAGE", "LIMIT_EXCEEDED", "PATH_NOT_FOUND", "INTERRUPTED"]);
  expect(asker.asked).toEqual([]);
  expect(events.filter(({ type }) => type === "skill.denied")).toHaveLength(failing.length);
  expect(events.some(({ type }) => type === "run.requested")).toBe(false);
  rmSync(full, { recursive: true });
  await session.close();
});

test("records an internal failure of a run as failed, not as denied [S-62]", async () => {
  const { session, events } = await openRunning([org({ "scripts/a.sh": "echo hi" })]);
  const onOutput = () => {
    throw new Error("no screen");
  };
  await expect(session.run("demo", "a.sh", { onOutput })).rejects.toThrow("no screen");
  expect(typesOf(events)).toEqual([
    "session.opened",
    "run.requested",
    "run.approved",
    "skill.script_executed",
  ]);
  expect(events.at(-1)).toMatchObject({ outcome: "failed" });
  await session.close();
});

test("a sandbox that fails its test runs nothing [S-29]", async () => {
  const { sandbox } = fixtureRuns();
  const probe = async () => ({
    ...(await sandbox.probe()),
    isAvailable: false,
    problem: { message: "No.", hint: "Do." },
  });
  const { session, events } = await openRunning([org({ "scripts/a.sh": "echo" })], {
    sandbox: { id: sandbox.id, start: sandbox.start.bind(sandbox), probe },
  });
  await expect(session.run("demo", "a.sh")).rejects.toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    hint: "Do.",
  });
  expect(typesOf(events)).toEqual(["session.opened", "skill.denied"]);
  await session.close();
});

test("rejects a skill with missing declared requirements and lists all of them [S-8]", async () => {
  const yaml =
    "metadata: {openclaw: {requires: {env: [API_KEY], bins: [no-such-program], config: [~/.none]}}}";
  const { session } = await openRunning([org({ "scripts/a.sh": "echo" }, yaml)]);
  await expect(session.run("demo", "a.sh")).rejects.toMatchObject({
    code: "NOT_READY",
    details: {
      missing: ["the program no-such-program is not installed", "API_KEY has no value", "~/.none is missing"],
    },
  });
  await session.close();
});

test("keeps the output files of a run in the session's folder, and passes input through stdin [S-29]", async () => {
  const outputs = mkdtempSync(join(tmpdir(), "skillhold-run-"));
  const code =
    "mkdir -p deep; cat > deep/out.txt; ln -s /etc/passwd link; echo $PWD $HOME; ls /skill/scripts";
  const { session } = await openRunning([org({ "scripts/a.sh": code })], { outputs });
  const run = await session.run("demo", "a.sh", { stdin: "hello" });
  expect(run.stdout).toBe("/work /work\na.sh\n");
  expect(run.files).toEqual([{ path: "deep/out.txt", size: 5 }]);
  expect(run.refusedFiles.map(({ path }) => path)).toEqual(["link"]);
  expect(readFileSync(join(run.outputs ?? "", "deep/out.txt"), "utf8")).toBe("hello");
  rmSync(outputs, { recursive: true });
  await session.close();
});

test("closing the session ends its runs [S-29]", async () => {
  const { session, events } = await openRunning([org({ "scripts/a.sh": "echo up; sleep 600" })]);
  const up = Promise.withResolvers<void>();
  const running = session.run("demo", "a.sh", { onOutput: () => up.resolve() });
  await up.promise;
  await session.close();
  expect(await running).toMatchObject({ outcome: "aborted" });
  expect(typesOf(events).slice(-2)).toEqual(["skill.script_executed", "session.closed"]);
});

test("a missing script is an error that lists the existing ones [S-29]", async () => {
  const { session } = await openRunning([org({ "scripts/convert.py": "print(1)", "references/a.md": "A" })]);
  await expect(session.run("demo", "scripts/convrt.py")).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
  await expect(session.run("demo", "references/a.md")).rejects.toMatchObject({ code: "USAGE" });
  await expect(session.run("demo", "../other/x.sh")).rejects.toMatchObject({
    code: "RESOURCE_OUTSIDE_SKILL",
  });
  await session.close();
});

test("an active skill that allows only other tools blocks the scripts of others [S-30]", async () => {
  const files = { "scripts/a.sh": "echo hi" };
  const strict = skill("strict", { yaml: "allowed-tools: Read", files, trust: "org" });
  const { session, events } = await openRunning([strict, org(files)]);
  await session.activate("strict");
  expect((await session.run("strict", "a.sh")).stdout).toBe("hi\n");
  await expect(session.run("demo", "a.sh")).rejects.toMatchObject({ code: "TOOL_BLOCKED" });
  expect(events.at(-1)).toMatchObject({
    type: "skill.denied",
    act: "use_tool",
    skill: "strict",
    reason: "TOOL_BLOCKED",
  });
  await session.deactivate("strict");
  expect((await session.run("demo", "a.sh")).stdout).toBe("hi\n");
  await session.close();
});

test("asks about a script's input files and records them by hash [S-28] [S-62]", async () => {
  const asked: unknown[] = [];
  const asker = {
    ask: async ({ stdin }: { stdin?: unknown }) => {
      asked.push(stdin);
      return { answer: "approve", scope: "once", by: "ada" } as const;
    },
  };
  const user = skill("demo", { files: { "scripts/a.sh": "cat" } });
  const { session, events } = await openRunning([user], { asker });
  expect((await session.run("demo", "a.sh", { stdin: "abc" })).stdout).toBe("abc");
  const digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(asked).toEqual([{ bytes: 3, digest }]);
  expect(events.find(({ type }) => type === "run.requested")).toMatchObject({ stdin: { bytes: 3, digest } });
  await session.close();
});

test("a session that failed to close still works [S-29]", async () => {
  const { library, ports } = await openRunning([org({ "scripts/a.sh": "echo hi" })]);
  let isFull = true;
  const record = (event: SkillEvent) => {
    if (event.type === "session.closed" && isFull) throw new Error("disk full");
  };
  const session = await openSession(library, { runtime: "test" }, { ...ports, audit: { record } });
  await expect(session.close()).rejects.toThrow("disk full");
  expect((await session.run("demo", "a.sh")).stdout).toBe("hi\n");
  isFull = false;
  const running = session.run("demo", "a.sh");
  await session.close();
  await expect(running).rejects.toMatchObject({ code: "INTERRUPTED" });
});

test("a script imports helpers from _shared, parent folders and scripts by name [S-13] [S-35]", async () => {
  const tool =
    "from langchain_core.tools import tool\nimport office_helpers\n@tool\ndef who() -> str:\n    'Says it.'\n";
  const files = {
    "_shared/office_helpers.py": "name = 'shared'",
    "scripts/helper.py": "name = 'above'",
    "scripts/_shared/near.py": "name = 'near'",
    "scripts/sub/x.py":
      "import helper, near, office_helpers\nprint(office_helpers.name, helper.name, near.name)",
    "tools/t.py": `${tool}    return office_helpers.name\n`,
  };
  const { session } = await openRunning([org(files)]);
  expect(await session.run("demo", "scripts/sub/x.py")).toMatchObject({
    exitCode: 0,
    stdout: "shared above near\n",
  });
  expect(JSON.stringify(await session.callTool("demo", "who"))).toContain("shared");
  await session.close();
});
