import type { CanUseTool, HookCallback, HookInput } from "@anthropic-ai/claude-agent-sdk";
import { claudeSkills, name, names } from "@skillhold/adapters/claude-agent";
import { systemRuns } from "@skillhold/sandbox";
import { openTestSession } from "@skillhold/testing";
import { expect, test, vi } from "vitest";

const frontmatter = (id: string, more = "") => `---\nname: ${id}\ndescription: Does ${id}.\n${more}---\n`;
const skills = [
  { folder: "strict", files: { "SKILL.md": frontmatter("strict", "allowed-tools: Read\n") } },
  {
    folder: "stranger",
    trust: "third_party",
    files: { "SKILL.md": frontmatter("stranger"), "scripts/act.sh": "echo acted" },
  },
] as const;
const about = { session_id: "s", transcript_path: "t", cwd: "/" };

/** Calls the one hook of an event, as the SDK does. */
async function callHook(hooks: Awaited<ReturnType<typeof claudeSkills>>["hooks"], input: HookInput) {
  const [hook] = hooks[input.hook_event_name]?.flatMap((each): readonly HookCallback[] => each.hooks) ?? [];
  return await hook?.(input, "id", { signal: new AbortController().signal });
}

const before = (tool_name: string, tool_input: unknown = {}): HookInput => {
  return { ...about, hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "id" };
};
const after: HookInput = {
  ...about,
  hook_event_name: "PostToolUse",
  tool_name: "Read",
  tool_input: {},
  tool_response: "",
  tool_use_id: "id",
};

test("the Claude Agent SDK adapter denies a blocked tool in a hook, and blocks when the hook fails [S-30] [S-58]", async () => {
  await using testing = await openTestSession(skills, { runtime: names() });
  const { hooks, systemPrompt, allowedTools } = await claudeSkills(testing.session, { append: "Be brief." });
  expect(systemPrompt).toMatchObject({ append: expect.stringMatching(/^Be brief\.[\s\S]*Does strict\./) });
  expect(allowedTools).toContain("mcp__skillhold__read_skill");
  expect(await callHook(hooks, before("Bash", { command: "ls" }))).toEqual({});
  await testing.session.activate("strict");
  expect(await callHook(hooks, before("Read", { file_path: "/a" }))).toEqual({});
  expect(await callHook(hooks, before("mcp__skillhold__read_skill"))).toEqual({});
  expect(await callHook(hooks, before("Bash", { command: "ls" }))).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("strict"),
    },
  });
  expect(hooks.PreToolUse).toEqual([expect.objectContaining({ onFailure: "block" })]);
});

test("the Claude Agent SDK adapter passes a changed catalogue on once [S-58]", async () => {
  await using testing = await openTestSession(skills, { runtime: name() });
  const { hooks } = await claudeSkills(testing.session);
  expect(await callHook(hooks, after)).toEqual({});
  testing.library.replace([...skills, { folder: "added", files: { "SKILL.md": frontmatter("added") } }]);
  expect(await callHook(hooks, after)).toMatchObject({
    hookSpecificOutput: { additionalContext: expect.stringContaining("Does added.") },
  });
  expect(await callHook(hooks, after)).toEqual({});
});

test("the Claude Agent SDK adapter asks the host's dialog only about code of a skill that needs it [S-28] [S-58]", async () => {
  await using testing = await openTestSession(skills, { runtime: name(), runs: systemRuns() });
  const ask = vi.fn<CanUseTool>(async (_tool, updatedInput) => ({ behavior: "allow", updatedInput }));
  const { canUseTool, allowedTools } = await claudeSkills(testing.session, { canUseTool: ask });
  const options = { signal: new AbortController().signal, toolUseID: "id", requestId: "r" };
  const call = async (tool: string, input: Record<string, unknown>) =>
    await canUseTool?.(tool, input, options);
  expect(allowedTools).toEqual([]);
  expect(await call("mcp__skillhold__read_skill", { skill_id: "strict" })).toMatchObject({
    behavior: "allow",
  });
  expect(ask).not.toHaveBeenCalled();
  await call("mcp__skillhold__run_skill_script", { skill_id: "stranger", script: "scripts/act.sh" });
  expect(ask.mock.lastCall?.[2].decisionReason).toContain("scripts/act.sh of stranger");
  await call("Bash", { command: "ls" });
  expect(ask).toHaveBeenCalledTimes(2);
  expect(testing.events.map(({ type }) => type)).toEqual(["session.opened"]);
});
