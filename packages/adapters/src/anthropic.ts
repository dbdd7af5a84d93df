import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import type { BetaRunnableTool, BetaToolRunContext } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import type { BetaRunnableToolset } from "@anthropic-ai/sdk/lib/tools/BetaRunnableToolset";
import type { BetaToolRunner } from "@anthropic-ai/sdk/lib/tools/BetaToolRunner";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import type { BetaContentBlock, BetaMessage, BetaToolUnion } from "@anthropic-ai/sdk/resources/beta";
import type { Session } from "@skillhold/core/session";
import {
  answered,
  guardCall,
  type KitTool,
  kitTools,
  PromptWriter,
  questionOf,
  runKitTool,
  type SkillAnswer,
  type SkillQuestion,
} from "./skill-kit.ts";

/** The runtime's name in the `runtime` field of a skill. */
export function name(): string {
  return "anthropic";
}

export type AnthropicTool = BetaToolUnion | BetaRunnableTool | BetaRunnableToolset;

export interface AnthropicSkillsOptions {
  /** The agent's own system prompt. The catalogue follows it. */
  readonly system?: string;
  /** The agent's own tools. All that the runner runs are guarded; Anthropic runs server tools itself. */
  readonly tools?: readonly AnthropicTool[];
  /** Answers to the questions of an interrupted run, by the id of the tool call. */
  readonly answers?: Readonly<Record<string, SkillAnswer>>;
}

/** A question about a tool call of a message. */
export interface AnthropicQuestion extends SkillQuestion {
  readonly toolUseId: string;
}

export interface AnthropicSkills {
  /** Parameters of `client.beta.messages.toolRunner`. Server-side threads are off, because they fix the prompt. */
  readonly params: { readonly system: string; readonly tools: AnthropicTool[]; readonly thread: false };
  /** Runs the tools that a message calls, and gives the next request the current catalogue. */
  advance(runner: BetaToolRunner<false>, message: BetaMessage): Promise<void>;
  /** The questions to ask before the tools of a message run. */
  questions(message: {
    readonly content: readonly BetaContentBlock[];
  }): Promise<readonly AnthropicQuestion[]>;
}

/**
 * Gives the tool runner of the Anthropic SDK skills:
 * `client.beta.messages.toolRunner({ model, max_tokens, messages, ...(await anthropicSkills(session)).params })`.
 * The SDK has no approvals of its own. The session's asker is asked while the tool waits, or the loop breaks on
 * `questions(message)` and a later run gets the `answers`.
 */
export async function anthropicSkills(
  session: Session,
  options: AnthropicSkillsOptions = {},
): Promise<AnthropicSkills> {
  const prompt = new PromptWriter(options.system);
  const own = kitTools(session).map((each) => skillTool(session, each, options.answers ?? {}));
  const tools = [...(options.tools ?? []).map((each) => guarded(session, each)), ...own];
  return {
    params: { system: await prompt.write(session), tools, thread: false },
    advance: async (runner, { content }) => {
      const results = await runner.generateToolResponse();
      const system = await prompt.write(session);
      if (results === null || system === runner.params.system) return;
      runner.setMessagesParams((params) => ({
        ...params,
        system,
        messages: [...params.messages, { role: "assistant", content }, results],
      }));
    },
    questions: async ({ content }) => {
      const found: AnthropicQuestion[] = [];
      for (const block of content) {
        if (block.type !== "tool_use") continue;
        const question = await questionOf(session, block.name, block.input);
        if (question !== undefined) found.push({ ...question, toolUseId: block.id });
      }
      return found;
    },
  };
}

function skillTool(
  session: Session,
  { name, description, schema }: KitTool,
  answers: Readonly<Record<string, SkillAnswer>>,
): BetaRunnableTool {
  return betaZodTool({
    name,
    description,
    inputSchema: schema,
    run: async (input, context) => {
      const id = context?.toolUse.id ?? "";
      const answer = Object.hasOwn(answers, id) ? answered(answers[id]) : {};
      const options = { signal: context?.signal ?? undefined, ...answer };
      const { ok, text } = await runKitTool(session, name, input, options);
      if (!ok) throw new ToolError(text);
      return text;
    },
  });
}

/** A blocked call fails with the reason, which the runner passes to the model. */
function guarded(session: Session, host: AnthropicTool): AnthropicTool {
  if (!("run" in host)) return host;
  const check = async (tool: string, input: unknown) => {
    const verdict = await guardCall(session, tool, input);
    if (verdict.isBlocked) throw new ToolError(verdict.text);
    return verdict.call;
  };
  if (!("parse" in host)) {
    const run: BetaRunnableToolset["run"] = async (...args) =>
      Reflect.apply(host.run, host, [...args, await check(args[1].name, args[1].input)]);
    return { ...host, run };
  }
  const run: BetaRunnableTool["run"] = async (input, context?: BetaToolRunContext) =>
    Reflect.apply(host.run, host, [input, context, await check(host.name, input)]);
  return { ...host, run };
}
