import type { ClientTool, ServerTool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import type { GuardedCall, Session } from "@skillhold/core/session";
import { type AgentMiddleware, createMiddleware, ToolMessage, type ToolRuntime, tool } from "langchain";
import {
  answered,
  guardCall,
  type KitOutput,
  type KitTool,
  kitToolsOf,
  PromptWriter,
  questionOf,
  type SessionProvider,
  type SkillAnswer,
  type SkillQuestion,
  sessionOf,
  streamKitTool,
} from "./skill-kit.ts";

/** The runtime's name in the `runtime` field of a skill. */
export function name(): string {
  return "langchain";
}

/** The part of LangChain's runtime by which a session can be found. */
export interface LangChainCaller {
  readonly context?: unknown;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Gives a LangChain agent skills: `createAgent({ model, tools, middleware: [skillsMiddleware(session)] })`. All tools of
 * the agent are guarded. Code of a skill that needs an approval raises an interrupt with a `SkillQuestion`; resume with
 * `new Command({ resume: approve(question, "ada") })`.
 */
export function skillsMiddleware(source: SessionProvider<LangChainCaller>): AgentMiddleware {
  const prompt = new PromptWriter();
  const own = kitToolsOf(source);
  const names = new Set(own.map((each) => each.name));
  return createMiddleware({
    name: "Skillhold",
    tools: own.map((each) => skillTool(source, each)),
    wrapModelCall: async (request, next) => {
      const text = await prompt.write(await sessionOf(source, request.runtime));
      const separator = request.systemPrompt === "" ? "" : "\n\n";
      const systemMessage = request.systemMessage.concat(text === "" ? "" : `${separator}${text}`);
      return await next({ ...request, systemMessage });
    },
    wrapToolCall: async (request, next) => {
      const { toolCall, runtime } = request;
      if (names.has(toolCall.name)) return await next(request);
      const verdict = await guardCall(await sessionOf(source, runtime), toolCall.name, toolCall.args);
      if (!verdict.isBlocked) return await next({ ...request, tool: withCall(request.tool, verdict.call) });
      return new ToolMessage({
        content: verdict.text,
        tool_call_id: toolCall.id ?? "",
        name: toolCall.name,
        status: "error",
      });
    },
  });
}

const CALL = "skillhold";

/** The context of a call, from the second argument of a tool: the session and its active skills. */
export function skillCall(runtime: LangChainCaller): GuardedCall | undefined {
  const call = runtime.configurable?.[CALL];
  // Only `withCall` sets the field; a caller's own value under it is replaced.
  return call as GuardedCall | undefined;
}

function withCall(
  original: ClientTool | ServerTool | undefined,
  call: GuardedCall,
): ClientTool | ServerTool | undefined {
  if (original === undefined || !("invoke" in original) || typeof original.invoke !== "function")
    return original;
  const invoke = original.invoke.bind(original);
  const value = (input: unknown, config: LangChainCaller = {}) =>
    Reflect.apply(invoke, original, [
      input,
      { ...config, configurable: { ...config.configurable, [CALL]: call } },
    ]);
  return Object.create(original, { invoke: { value } });
}

function skillTool(source: SessionProvider<LangChainCaller>, { name, description, schema }: KitTool) {
  return tool(
    async (input, runtime: ToolRuntime) => {
      const session = await sessionOf(source, runtime);
      const { toolCallId: tool_call_id, signal } = runtime;
      const answer = await answerOf(session, name, input);
      const options = { signal, ...(answer === undefined ? {} : answered(answer)) };
      let last: KitOutput | undefined;
      for await (const output of streamKitTool(session, name, input, options)) {
        if ("isPartial" in output)
          runtime.writer?.({ type: "skillhold.output", tool_call_id, text: output.text });
        last = output;
      }
      const { ok = false, text = "" } = last ?? {};
      const artifact = last !== undefined && "data" in last ? last.data : undefined;
      return new ToolMessage({
        content: text,
        tool_call_id,
        name,
        artifact,
        status: ok ? "success" : "error",
      });
    },
    { name, description, schema },
  );
}

/** Raises an interrupt the first time; the tool runs again from its start with the answer. */
async function answerOf(session: Session, name: string, input: unknown): Promise<unknown> {
  const question = await questionOf(session, name, input);
  return question === undefined ? undefined : interrupt<SkillQuestion, SkillAnswer>(question);
}
