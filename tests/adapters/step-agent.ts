import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, tool as openAiTool, Runner } from "@openai/agents";
import { aiSkills } from "@skillhold/adapters/ai";
import { skillsMiddleware } from "@skillhold/adapters/langchain";
import { mastraSkills } from "@skillhold/adapters/mastra";
import { openAiSkills } from "@skillhold/adapters/openai-agents";
import type { Session } from "@skillhold/core/session";
import { isStepCount, ToolLoopAgent, tool } from "ai";
import { createAgent, tool as langChainTool } from "langchain";
import { z } from "zod";
import { mockModel } from "./ai-model.ts";
import { LangChainModel } from "./langchain-model.ts";
import { mastraModel } from "./mastra-model.ts";
import { openAiModel } from "./openai-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

/** Runs one conversation of an agent with one tool: bare without a session, with the adapter otherwise. */
export type StepAgent = (model: ScriptedModel, steps: number, session?: Session) => () => Promise<unknown>;

const description = "Looks a word up.";
const schema = z.object({ word: z.string() });
const found = async () => "found";
const instructions = "You are the host's agent.";

export const stepAgents: Readonly<Record<string, StepAgent>> = {
  "AI SDK": (scripted, steps, session) => {
    const tools = { lookup: tool({ description, inputSchema: schema, execute: found }) };
    const model = mockModel(scripted);
    const stopWhen = isStepCount(steps + 1);
    const agent =
      session === undefined
        ? new ToolLoopAgent({ model, instructions, tools, stopWhen })
        : new ToolLoopAgent({ model, ...aiSkills(session, { instructions, tools }), stopWhen });
    return async () => await (await agent.stream({ prompt: "go" })).text;
  },
  LangChain: (scripted, steps, session) => {
    const tools = [langChainTool(found, { name: "lookup", description, schema })];
    const middleware = session === undefined ? [] : [skillsMiddleware(session)];
    const model = new LangChainModel(scripted);
    const agent = createAgent({ model, tools, systemPrompt: instructions, middleware });
    const options = { recursionLimit: 10 * steps };
    return async () => await agent.invoke({ messages: [{ role: "user", content: "go" }] }, options);
  },
  "OpenAI Agents": (scripted, steps, session) => {
    const lookup = openAiTool({ name: "lookup", description, parameters: schema, execute: found });
    const skills =
      session === undefined
        ? { instructions, tools: [lookup] }
        : openAiSkills(session, { instructions, tools: [lookup] });
    const agent = new Agent({ name: "host", model: openAiModel(scripted), ...skills });
    const runner = new Runner({ tracingDisabled: true });
    return async () => await runner.run(agent, "go", { maxTurns: steps + 1 });
  },
  Mastra: (scripted, steps, session) => {
    const tools = { lookup: createTool({ id: "lookup", description, inputSchema: schema, execute: found }) };
    const about = { id: "host", name: "host", instructions, model: mastraModel(scripted) };
    const agent = new MastraAgent({
      ...about,
      ...(session === undefined ? { tools } : mastraSkills(session, { tools })),
    });
    return async () => await (await agent.stream("go", { maxSteps: steps + 1 })).text;
  },
};
