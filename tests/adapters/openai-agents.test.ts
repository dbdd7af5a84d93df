import { Agent, Runner, RunState, tool } from "@openai/agents";
import { restoreQuestions, saveQuestions } from "@skillhold/adapters";
import { name, openAiSkills, skillCall } from "@skillhold/adapters/openai-agents";
import { openTestSession } from "@skillhold/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSetup, type AgentUnderTest, describeAdapter, type Step } from "./adapter.contract.ts";
import { openAiModel } from "./openai-model.ts";
import { ScriptedModel } from "./scripted-model.ts";

interface Caller {
  readonly user: string;
}

const runner = new Runner({ tracingDisabled: true });

describe("the OpenAI Agents adapter", () => {
  describeAdapter({ runtime: name(), make, streamsOutput: false });

  test("gives an agent that is a tool of another the skills of its own session [S-58]", async () => {
    const skill = {
      folder: "pdf",
      files: { "SKILL.md": "---\nname: pdf\ndescription: Reads PDF files.\n---\n" },
    };
    await using testing = await openTestSession([skill], { runtime: name(), allow: [] });
    const helping = await testing.open({ agent: "helper" });
    const scripted = new ScriptedModel({
      "go on": [{ calls: [{ name: "help", input: { input: "help out" } }] }, { text: "Done." }],
      "help out": [{ calls: [{ name: "read_skill", input: { skill_id: "pdf" } }] }, { text: "Helped." }],
    });
    const model = openAiModel(scripted);
    const helper = new Agent({ name: "helper", model, ...openAiSkills(helping) });
    const help = helper.asTool({ toolName: "help", toolDescription: "Helps." });
    const agent = new Agent({ name: "host", model, ...openAiSkills(testing.session, { tools: [help] }) });
    expect((await runner.run(agent, "go on")).finalOutput).toBe("Done.");
    expect(scripted.calls.map(({ system }) => system.includes("Reads PDF files."))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(helping.active().map(({ skill: id }) => id)).toEqual(["pdf"]);
  });
});

function make({ sessionOf, model, instructions, lookup }: AgentSetup): AgentUnderTest {
  const makeAgent = () => {
    const lookupTool = tool({
      name: "lookup",
      description: "Looks a word up.",
      parameters: z.object({ word: z.string() }),
      execute: async ({ word }, context, details) => lookup(word, skillCall(context, details)),
    });
    const skills = openAiSkills<Caller>(({ context }) => sessionOf(context.user), {
      instructions,
      tools: [lookupTool],
    });
    return new Agent<Caller>({ name: "host", model: openAiModel(model), ...skills });
  };
  // One agent for all users.
  const agent = makeAgent();
  const go = async (
    target: typeof agent,
    user: string,
    input: string | RunState<Caller, typeof agent>,
    signal?: AbortSignal,
  ): Promise<Step> => {
    const result = await runner.run(target, input, {
      context: { user },
      ...(signal === undefined ? {} : { signal }),
    });
    const state = result.state.toString();
    const questions = JSON.stringify(saveQuestions(await sessionOf(user)));
    const [asked] = result.interruptions;
    return {
      text: asked === undefined ? (result.finalOutput ?? "") : "",
      question: asked === undefined ? undefined : `${asked.name} ${asked.arguments}`,
      answer: async (isApproved) => {
        restoreQuestions(await sessionOf(user), JSON.parse(questions));
        const other = makeAgent();
        const restored = await RunState.fromString<Caller, typeof agent>(other, state);
        for (const each of restored.getInterruptions())
          if (isApproved) restored.approve(each);
          else restored.reject(each);
        return await go(other, user, restored);
      },
    };
  };
  return { run: (user, prompt, signal) => go(agent, user, prompt, signal) };
}
