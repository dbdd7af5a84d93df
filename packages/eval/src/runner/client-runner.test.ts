import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemTimers, type Timers } from "@skillhold/core/port";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, laidOut, limits, openEnd, tempFolder } from "../eval.fixture.ts";
import { type Trial, withTrial } from "../trial/trial.ts";
import { claudeRunner } from "./claude-runner.ts";
import { codexRunner } from "./codex-runner.ts";
import type { Runner } from "./runner.ts";
import { mentionedScript, mentionedSkill } from "./skill-mention.ts";

afterEach(cleanUp);

/** A client that prints these lines, the last one without an end, and then does what the shell line says. */
function fakeClient(lines: readonly unknown[], after = "exit 0"): string {
  const folder = tempFolder();
  const file = join(folder, "client");
  const output = join(folder, "lines.jsonl");
  writeFileSync(
    output,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/args'\nenv > '${folder}/env'\nls -aR "$HOME" > '${folder}/home'\ncat '${output}'\n${after}\n`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}

async function runTrial(
  runner: Runner,
  more: { stopAfterRead?: string; timers?: Timers } = {},
): Promise<Trial> {
  const { timers = systemTimers, ...rest } = more;
  const request = {
    prompt: "Merge it",
    skills: await laidOut(),
    files: [],
    limits,
    signal: openEnd,
    ...rest,
  };
  return await withTrial(join(tempFolder(), "trial"), request, async (trial) => trial, { runner, timers });
}

const toolUse = (name: string, input: unknown) => ({
  type: "assistant",
  message: { content: [{ type: "tool_use", name, input }] },
});
const result = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "Done.",
  num_turns: 3,
  total_cost_usd: 0.01,
  usage: { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 10 },
};
const claude = (program: string) => claudeRunner({ program, env: { ANTHROPIC_API_KEY: "k" } });
const readsOf = ({ events }: Trial) => events.flatMap(({ skillRead }) => skillRead ?? []);

describe("the claude runner", () => {
  test("reads the whole stream: other tools and skills first, and a last line without an end [S-51]", async () => {
    const lines = [
      { type: "system", subtype: "init" },
      "not json",
      toolUse("Bash", { command: "ls" }),
      toolUse("Skill", { skill: "mail" }),
      toolUse("Skill", { skill: "pdf" }),
      result,
    ];
    const trial = await runTrial(claude(fakeClient(lines)));
    expect(trial).toMatchObject({
      outcome: "done",
      output: "Done.",
      turns: 3,
      costUsd: 0.01,
      usage: { input: 15, output: 7, cached: 10 },
    });
    expect(readsOf(trial)).toEqual(["mail", "pdf"]);
  });

  test("takes a read of SKILL.md for a read of the skill [S-51]", async () => {
    const path = "/x/skills/pdf/SKILL.md";
    expect(
      readsOf(await runTrial(claude(fakeClient([toolUse("Read", { file_path: path }), result])))),
    ).toEqual(["pdf"]);
    expect(
      readsOf(await runTrial(claude(fakeClient([toolUse("Bash", { command: `cat ${path}` }), result])))),
    ).toEqual(["pdf"]);
  });

  test("calls a crash, a refusal and a missing result an error [S-51]", async () => {
    const crash = await runTrial(claude(fakeClient([toolUse("Bash", {})], "echo broken >&2; exit 3")));
    expect(crash).toMatchObject({ outcome: "error", message: "claude: broken" });
    const refusal = { ...result, is_error: true, result: "No credit" };
    expect(await runTrial(claude(fakeClient([refusal])))).toMatchObject({
      outcome: "error",
      message: "claude: No credit",
    });
    expect((await runTrial(claude(fakeClient([])))).outcome).toBe("error");
    expect((await runTrial(claude("/no/such/program"))).outcome).toBe("error");
  });

  test("calls it an error when the client does not offer the skills [S-51]", async () => {
    const init = (skills: readonly string[], tools: readonly string[]) => ({
      type: "system",
      subtype: "init",
      skills,
      tools,
    });
    const all = ["pdf", "mail", "slides"];
    expect((await runTrial(claude(fakeClient([init(all, ["Skill"]), result])))).outcome).toBe("done");
    expect(await runTrial(claude(fakeClient([init(["pdf"], ["Skill"]), result])))).toMatchObject({
      outcome: "error",
      message: "claude: The client does not offer mail, slides.",
    });
    expect((await runTrial(claude(fakeClient([init(all, ["Read"]), result])))).outcome).toBe("error");
  });

  test("ends a client that hangs, with everything that it started [S-51]", async () => {
    const timers = new ManualTimers();
    const client = fakeClient([toolUse("Bash", {})], "sleep 600 & wait");
    const args = join(client, "../home");
    const poll = setInterval(() => {
      if (existsSync(args)) timers.advance(limits.timeoutMs);
    }, 10);
    const trial = await runTrial(claude(client), { timers });
    clearInterval(poll);
    expect(trial.outcome).toBe("timeout");
  });

  test("stops the client once the skill was read, if asked to [S-51]", async () => {
    const client = fakeClient([toolUse("Skill", { skill: "pdf" }), ""], "sleep 600");
    const trial = await runTrial(claude(client), { stopAfterRead: "pdf" });
    expect(trial).toMatchObject({ outcome: "done" });
    expect(readsOf(trial)).toEqual(["pdf"]);
  });

  test("gives the client a HOME of its own with the skills, and no other variable [S-51]", async () => {
    const client = fakeClient([result]);
    process.env["SKILLHOLD_CANARY"] = "leak";
    try {
      await runTrial(claude(client));
    } finally {
      delete process.env["SKILLHOLD_CANARY"];
    }
    const env = readFileSync(join(client, "../env"), "utf8");
    expect(env).toContain("ANTHROPIC_API_KEY=k");
    expect(env).not.toMatch(/SKILLHOLD_CANARY|CLAUDECODE/);
    expect(env).not.toContain(`HOME=${process.env["HOME"]}\n`);
    expect(readFileSync(join(client, "../home"), "utf8")).toMatch(/skills\/pdf:\n\.\n\.\.\nSKILL\.md/);
    expect(readFileSync(join(client, "../args"), "utf8")).toContain("--strict-mcp-config");
  });
});

describe("the codex runner", () => {
  const codex = (program: string) =>
    codexRunner({ program, env: { K: "k" }, config: ['model_provider="fake"'] });
  const item = (fields: unknown) => ({ type: "item.completed", item: fields });
  const completed = {
    type: "turn.completed",
    usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 },
  };

  test("finds skills and scripts in commands, the answer and the usage [S-51]", async () => {
    const lines = [
      { type: "thread.started" },
      item({ type: "command_execution", command: "bash -lc 'ls'", exit_code: 0 }),
      item({
        type: "command_execution",
        command: 'bash -lc "cat /h/.agents/skills/pdf/SKILL.md"',
        exit_code: 0,
      }),
      item({
        type: "command_execution",
        command: "python3 /h/.agents/skills/pdf/scripts/merge.py a b",
        exit_code: 1,
      }),
      item({ type: "agent_message", text: "Done." }),
      completed,
    ];
    const client = fakeClient(lines);
    const trial = await runTrial(codex(client));
    expect(trial).toMatchObject({
      outcome: "done",
      output: "Done.",
      usage: { input: 9, output: 2, cached: 4 },
    });
    expect(readsOf(trial)).toEqual(["pdf"]);
    expect(trial.events.flatMap(({ scriptRun }) => scriptRun ?? [])).toEqual([
      { skill: "pdf", script: "scripts/merge.py", exitCode: 1 },
    ]);
    expect(readFileSync(join(client, "../home"), "utf8")).toContain(".agents/skills/pdf");
  });

  test("counts neither a read that failed nor the skills that come with Codex [S-51]", async () => {
    const command = (text: string, exit_code: number) =>
      item({ type: "command_execution", command: text, exit_code });
    const lines = [
      command("cat r0/pdf/SKILL.md", 1),
      command("cat /h/.codex/skills/.system/pdf/SKILL.md", 0),
      completed,
    ];
    expect(readsOf(await runTrial(codex(fakeClient(lines))))).toEqual([]);
  });

  test("calls it an error when the client's own sandbox does not start [S-51]", async () => {
    const warning = "could not create PATH aliases: Refusing to create helper binaries";
    expect(await runTrial(codex(fakeClient([completed], `echo '${warning}' >&2`)))).toMatchObject({
      outcome: "error",
      message: expect.stringContaining("sandbox does not start"),
    });
  });

  test("calls a failed turn and a crash an error [S-51]", async () => {
    const failed = await runTrial(
      codex(fakeClient([{ type: "turn.failed", error: { message: "no model" } }], "exit 1")),
    );
    expect(failed).toMatchObject({ outcome: "error", message: expect.stringContaining("no model") });
    expect((await runTrial(codex(fakeClient([completed], "exit 9")))).outcome).toBe("error");
  });
});

test("a skill is found in a path by its whole id only [S-51]", () => {
  const ids = ["pdf", "pdf-forms", "a.b"];
  expect(mentionedSkill("/s/pdf-forms/SKILL.md", ids)).toBe("pdf-forms");
  expect(mentionedSkill("cat 'pdf/SKILL.md'", ids)).toBe("pdf");
  expect(mentionedSkill("/s/mypdf/SKILL.md", ids)).toBeUndefined();
  expect(mentionedSkill("/s/axb/SKILL.md", ids)).toBeUndefined();
  expect(mentionedScript("sh pdf/scripts/x/y.sh", ids)).toEqual({ skill: "pdf", script: "scripts/x/y.sh" });
});
