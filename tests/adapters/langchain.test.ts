import { Command, MemorySaver } from "@langchain/langgraph";
import { approve, refuse, type SkillQuestion } from "@skillhold/adapters";
import { type LangChainCaller, name, skillCall, skillsMiddleware } from "@skillhold/adapters/langchain";
import { createAgent, tool } from "langchain";
import { describe } from "vitest";
import { z } from "zod";
import { type AgentSetup, type AgentUnderTest, describeAdapter, type Step } from "./adapter.contract.ts";
import { LangChainModel } from "./langchain-model.ts";

describe("the LangChain adapter", () => describeAdapter({ runtime: name(), make, streamsOutput: true }));

function make({ sessionOf, model, instructions, lookup, onOutput }: AgentSetup): AgentUnderTest {
  const lookupTool = tool(({ word }, runtime: LangChainCaller) => lookup(word, skillCall(runtime)), {
    name: "lookup",
    description: "Looks a word up.",
    schema: z.object({ word: z.string() }),
  });
  const makeAgent = (checkpointer: MemorySaver) =>
    createAgent({
      model: new LangChainModel(model),
      tools: [lookupTool],
      systemPrompt: instructions,
      middleware: [skillsMiddleware(({ configurable }) => sessionOf(String(configurable?.["user"])))],
      checkpointer,
    });
  const checkpointer = new MemorySaver();
  // One agent for all users.
  const agent = makeAgent(checkpointer);
  const go = async (
    target: typeof agent,
    input: Parameters<typeof agent.stream>[0],
    user: string,
    signal?: AbortSignal,
  ): Promise<Step> => {
    const config = { configurable: { thread_id: user, user }, ...(signal === undefined ? {} : { signal }) };
    for await (const part of await target.stream(input, { ...config, streamMode: "custom" }))
      onOutput?.(JSON.stringify(part));
    const state = await target.graph.getState(config);
    const question: SkillQuestion | undefined = state.tasks[0]?.interrupts[0]?.value;
    return {
      text: state.values.messages.at(-1)?.text ?? "",
      question: question?.reason,
      answer: async (isApproved) => {
        if (question === undefined) throw new Error("There is no question.");
        // Another process reads the checkpoint from its store, and the question from its user's browser.
        const seen = JSON.parse(JSON.stringify(question));
        const resume = isApproved ? approve(seen, user) : refuse(seen, user);
        return await go(makeAgent(checkpointer), new Command({ resume }), user);
      },
    };
  };
  return {
    run: (user, prompt, signal) => go(agent, { messages: [{ role: "user", content: prompt }] }, user, signal),
  };
}
