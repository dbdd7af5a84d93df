import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import type { BetaMessageParam } from "@anthropic-ai/sdk/resources/beta";
import { approve, refuse } from "@skillhold/adapters";
import { anthropicSkills, name } from "@skillhold/adapters/anthropic";
import type { ToolContext } from "@skillhold/core/session";
import { describe } from "vitest";
import { z } from "zod";
import { type AgentSetup, type AgentUnderTest, describeAdapter, type Step } from "./adapter.contract.ts";
import { serveModel } from "./model-http.ts";

describe("the Anthropic adapter", () => describeAdapter({ runtime: name(), make, streamsOutput: false }));

async function make({ sessionOf, model, instructions, lookup }: AgentSetup): Promise<AgentUnderTest> {
  const server = await serveModel(model);
  const client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
  const lookupTool = betaZodTool({
    name: "lookup",
    description: "Looks a word up.",
    inputSchema: z.object({ word: z.string() }),
    run: ({ word }, _context, ...[call]: readonly ToolContext[]) => lookup(word, call),
  });
  const go = async (
    user: string,
    messages: readonly BetaMessageParam[],
    answers: Parameters<typeof anthropicSkills>[1] = {},
    signal?: AbortSignal,
  ): Promise<Step> => {
    const session = await sessionOf(user);
    const skills = await anthropicSkills(session, { system: instructions, tools: [lookupTool], ...answers });
    const runner = client.beta.messages.toolRunner(
      { model: "fake", max_tokens: 100, messages: [...messages], ...skills.params },
      signal === undefined ? {} : { signal },
    );
    // An interrupted run goes on with the tools of its last message.
    const results = await runner.generateToolResponse();
    if (results !== null) runner.pushMessages(results);
    let text = "";
    for await (const message of runner) {
      const [asked] = await skills.questions(message);
      if (asked !== undefined) {
        const { role, content } = message;
        const saved = JSON.stringify({ asked, messages: [...runner.params.messages, { role, content }] });
        return {
          text: "",
          question: asked.reason,
          answer: async (isApproved) => {
            const seen: { asked: typeof asked; messages: BetaMessageParam[] } = JSON.parse(saved);
            const answer = isApproved ? approve(seen.asked, user) : refuse(seen.asked, user);
            return await go(user, seen.messages, { answers: { [seen.asked.toolUseId]: answer } });
          },
        };
      }
      await skills.advance(runner, message);
      text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    }
    return { text, question: undefined, answer: () => Promise.reject(new Error("There is no question.")) };
  };
  return {
    run: (user, prompt, signal) => go(user, [{ role: "user", content: prompt }], {}, signal),
    close: () => server.close(),
  };
}
