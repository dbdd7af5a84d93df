import { aiSkills, name } from "@skillhold/adapters/ai";
import type { ToolContext } from "@skillhold/core/session";
import { openTestSession } from "@skillhold/testing";
import { type ModelMessage, ToolLoopAgent, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSetup, describeAdapter, type Step } from "./adapter.contract.ts";
import { mockModel } from "./ai-model.ts";

describe("the AI SDK adapter", () => {
  describeAdapter({ runtime: name(), make, streamsOutput: true });

  test("denies a blocked call of a tool that runs in the client [S-30] [S-58]", async () => {
    const text = "---\nname: strict\ndescription: Reads.\nallowed-tools: Read\n---\n";
    await using testing = await openTestSession([{ folder: "strict", files: { "SKILL.md": text } }]);
    const show = tool({ description: "Shows a map.", inputSchema: z.object({}), outputSchema: z.string() });
    const { tools, toolApproval } = aiSkills(testing.session, { tools: { show } });
    const call = { toolCall: { toolName: "show", toolCallId: "1", input: {} }, messages: [] };
    expect(tools.show).toBe(show);
    expect(await toolApproval(call)).toBeUndefined();
    await testing.session.activate("strict");
    expect(await toolApproval(call)).toMatchObject({
      type: "denied",
      reason: expect.stringContaining("deactivate_skill"),
    });
  });
});

function make({ sessionOf, model, instructions, lookup, onOutput }: AgentSetup) {
  const agentFor = async (user: string) => {
    const tools = {
      lookup: tool({
        description: "Looks a word up.",
        inputSchema: z.object({ word: z.string() }),
        execute: async ({ word }, _options, ...[context]: readonly ToolContext[]) => lookup(word, context),
      }),
    };
    const skills = aiSkills(await sessionOf(user), { instructions, tools });
    return new ToolLoopAgent({ model: mockModel(model), ...skills });
  };
  const go = async (user: string, messages: ModelMessage[], signal?: AbortSignal): Promise<Step> => {
    const agent = await agentFor(user);
    const result = await agent.stream({ messages, ...(signal === undefined ? {} : { abortSignal: signal }) });
    for await (const part of result.fullStream)
      if (part.type === "tool-result" && part.preliminary === true) onOutput?.(part.output.text);
    const content = (await result.steps).at(-1)?.content ?? [];
    const asked = content.find((part) => part.type === "tool-approval-request");
    const saved = JSON.stringify([...messages, ...(await result.responseMessages)]);
    return {
      text: await result.text,
      question: asked?.reason,
      answer: (approved) => {
        const response = {
          type: "tool-approval-response",
          approvalId: asked?.approvalId ?? "",
          approved,
        } as const;
        return go(user, [...JSON.parse(saved), { role: "tool", content: [response] }]);
      },
    };
  };
  return {
    run: (user: string, prompt: string, signal?: AbortSignal) =>
      go(user, [{ role: "user", content: prompt }], signal),
  };
}
