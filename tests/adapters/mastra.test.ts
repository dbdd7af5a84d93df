import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { RequestContext } from "@mastra/core/request-context";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { approve, refuse } from "@skillhold/adapters";
import { mastraSkills, name, skillCall } from "@skillhold/adapters/mastra";
import { describe } from "vitest";
import { z } from "zod";
import { type AgentSetup, type AgentUnderTest, describeAdapter, type Step } from "./adapter.contract.ts";
import { mastraModel } from "./mastra-model.ts";

describe("the Mastra adapter", () => describeAdapter({ runtime: name(), make, streamsOutput: true }));

function make({ sessionOf, model, instructions, lookup, onOutput }: AgentSetup): AgentUnderTest {
  const storage = new InMemoryStore();
  const makeAgent = () => {
    const tools = {
      lookup: createTool({
        id: "lookup",
        description: "Looks a word up.",
        inputSchema: z.object({ word: z.string() }),
        execute: async ({ word }) => lookup(word, skillCall()),
      }),
    };
    const skills = mastraSkills(({ requestContext }) => sessionOf(String(requestContext?.get("user"))), {
      tools,
    });
    const agent = new Agent({ id: "host", name: "host", instructions, model: mastraModel(model), ...skills });
    new Mastra({ agents: { host: agent }, storage, logger: false });
    return agent;
  };
  // One agent for all users.
  const agent = makeAgent();
  const finish = async (user: string, output: Awaited<ReturnType<typeof agent.stream>>): Promise<Step> => {
    for await (const part of output.fullStream) {
      if (part.type === "error") throw part.payload.error;
      if (part.type === "tool-output") onOutput?.(JSON.stringify(part.payload));
    }
    const [asked] = [await output.suspendPayload];
    const { runId } = output;
    return {
      text: await output.text,
      question: asked?.suspendPayload?.reason,
      answer: async (isApproved) => {
        const seen = JSON.parse(JSON.stringify(asked));
        const question = seen.suspendPayload;
        const resume = isApproved ? approve(question, user) : refuse(question, user);
        const options = { runId, toolCallId: seen.toolCallId, requestContext: contextOf(user) };
        return await finish(user, await makeAgent().resumeStream(resume, options));
      },
    };
  };
  return {
    run: async (user, prompt, signal) => {
      const options = {
        requestContext: contextOf(user),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      };
      return await finish(user, await agent.stream(prompt, options));
    },
  };
}

function contextOf(user: string): RequestContext {
  return new RequestContext([["user", user]]);
}
