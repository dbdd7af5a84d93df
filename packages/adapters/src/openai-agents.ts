import { defineToolInputGuardrail, type RunContext, type Tool, tool } from "@openai/agents";
import type { GuardedCall } from "@skillhold/core/session";
import { z } from "zod";
import {
  approvalFor,
  approverOf,
  askedKeys,
  guardCall,
  type KitTool,
  kitToolsOf,
  PromptWriter,
  questionOf,
  runKitTool,
  type SessionProvider,
  sessionOf,
} from "./skill-kit.ts";

/** The runtime's name in the `runtime` field of a skill. */
export function name(): string {
  return "openai-agents";
}

export interface OpenAiSkillsOptions<Context> {
  /** The agent's own instructions. The catalogue follows them. */
  readonly instructions?: string;
  /** The agent's own tools. All function tools are guarded; OpenAI runs hosted tools itself. */
  readonly tools?: readonly Tool<Context>[];
  /** Who approves, for the record. Default: the user of the session. */
  readonly approver?: string;
}

/** Settings of `Agent`. */
export interface OpenAiSkills<Context> {
  readonly instructions: (context: RunContext<Context>) => Promise<string>;
  readonly tools: Tool<Context>[];
}

/**
 * Gives an agent of the OpenAI Agents SDK skills: `new Agent({ name, ...openAiSkills(session) })`. Code of a skill that
 * needs an approval interrupts the run. To resume a serialized run in another process, save `session.snapshot()` and
 * `saveQuestions(session)` beside it.
 */
export function openAiSkills<Context = unknown>(
  source: SessionProvider<RunContext<Context>>,
  options: OpenAiSkillsOptions<Context> = {},
): OpenAiSkills<Context> {
  const prompt = new PromptWriter(options.instructions);
  return {
    instructions: async (context) => prompt.write(await sessionOf(source, context)),
    tools: [
      ...(options.tools ?? []).map((each) => guarded(source, each)),
      ...kitToolsOf(source).map((each) => skillTool(source, each, options.approver)),
    ],
  };
}

/** The calls that the guard allowed, by their id in a run. */
const allowedCalls = new WeakMap<RunContext<unknown>, Map<string, GuardedCall>>();

/** The part of the SDK's details that names a call. */
export interface CallDetails {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}

/** The context of a call, from the second and third argument of a tool: the session and its active skills. */
export function skillCall(
  context: RunContext<unknown> | undefined,
  details: CallDetails | undefined,
): GuardedCall | undefined {
  return context === undefined ? undefined : allowedCalls.get(context)?.get(details?.toolCall?.callId ?? "");
}

/** The guard is a guardrail of the tool, so a blocked call becomes a message for the model. */
function guarded<Context>(source: SessionProvider<RunContext<Context>>, host: Tool<Context>): Tool<Context> {
  if (host.type !== "function") return host;
  const guard = defineToolInputGuardrail<Context>({
    name: "skillhold",
    run: async ({ context, toolCall }) => {
      const verdict = await guardCall(await sessionOf(source, context), host.name, parse(toolCall.arguments));
      if (verdict.isBlocked) return { behavior: { type: "rejectContent", message: verdict.text } };
      const calls = allowedCalls.get(context) ?? new Map<string, GuardedCall>();
      allowedCalls.set(context, calls);
      calls.set(toolCall.callId, verdict.call);
      return { behavior: { type: "allow" } };
    },
  });
  return { ...host, inputGuardrails: [guard, ...(host.inputGuardrails ?? [])] };
}

function skillTool<Context>(
  source: SessionProvider<RunContext<Context>>,
  { name, description, schema, runsCode }: KitTool,
  approver: string | undefined,
): Tool<Context> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" });
  const asks = async (context: RunContext, input: unknown, callId = ""): Promise<boolean> => {
    // The SDK passes the run's own context, whose type it does not know here.
    const session = await sessionOf(source, context as RunContext<Context>);
    const question = await questionOf(session, name, input);
    const keys = askedKeys(session);
    // The SDK asks again on resume; the first question is the one that was answered.
    if (question !== undefined && !keys.has(callId)) keys.set(callId, question.key);
    return question !== undefined;
  };
  return tool({
    name,
    description,
    parameters: { type: "object", properties, required, additionalProperties: true },
    strict: false,
    needsApproval: runsCode && asks,
    execute: async (input, context?: RunContext<Context>, details?: CallDetails) => {
      if (context === undefined) throw new TypeError(`${name} was called outside of a run.`);
      const session = await sessionOf(source, context);
      const keys = askedKeys(session);
      const callId = details?.toolCall?.callId ?? "";
      const key = keys.get(callId);
      keys.delete(callId);
      const approval = key === undefined ? undefined : approvalFor(key, approverOf(session, approver));
      return (await runKitTool(session, name, input, { signal: details?.signal, approval })).text;
    },
  });
}

/** Text that is no JSON is judged as it is, which no pattern with a limit matches. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
