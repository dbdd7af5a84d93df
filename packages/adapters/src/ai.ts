import { type Session, type ToolGuard, wrapTools } from "@skillhold/core/session";
import {
  type JSONSchema7,
  jsonSchema,
  type ModelMessage,
  type Schema,
  type Tool,
  type ToolApprovalStatus,
  type ToolSet,
  tool,
} from "ai";
import { z } from "zod";
import {
  approvalFor,
  approverOf,
  guardCall,
  type KitOutput,
  type KitTool,
  kitTools,
  PromptWriter,
  questionOf,
  streamKitTool,
} from "./skill-kit.ts";

/** The runtime's name in the `runtime` field of a skill. */
export function name(): string {
  return "ai-sdk";
}

export interface AiSkillsOptions<Tools extends ToolSet> {
  /** The agent's own instructions. The catalogue follows them. */
  readonly instructions?: string;
  /** The agent's own tools. All of them are guarded. */
  readonly tools?: Tools;
  /** Who approves, for the record. Default: the user of the session. */
  readonly approver?: string;
}

/** Settings of `ToolLoopAgent`, `generateText` and `streamText`. */
export interface AiSkills<Tools extends ToolSet> {
  readonly tools: Tools & Record<string, Tool>;
  /** Asks the user before code of a skill runs, and denies blocked calls of tools that run elsewhere. */
  readonly toolApproval: (call: AiToolCall) => Promise<ToolApprovalStatus>;
  /** Writes the instructions of the next step, with the current catalogue. */
  readonly prepareStep: () => Promise<{ readonly instructions: string }>;
}

export interface AiToolCall {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly messages: readonly ModelMessage[];
}

/** Gives an AI SDK agent the skills of a session: `new ToolLoopAgent({ model, ...aiSkills(session) })`. */
export function aiSkills<Tools extends ToolSet = Record<never, never>>(
  session: Session,
  options: AiSkillsOptions<Tools> = {},
): AiSkills<Tools> {
  const prompt = new PromptWriter(options.instructions);
  const own = kitTools(session).map((each) => [each.name, skillTool(session, each, options.approver)]);
  const hosts: ToolSet = options.tools ?? {};
  const guarded = wrapTools(hosts, explainedGuard(session), { onBlocked: "throw", onUnguardable: "keep" });
  return {
    // Guarding keeps the names and the types of the tools.
    tools: { ...(guarded as Tools), ...Object.fromEntries(own) },
    toolApproval: (call) => approvalOf(session, hosts, call),
    prepareStep: async () => ({ instructions: await prompt.write(session) }),
  };
}

function skillTool(session: Session, { name, description, schema }: KitTool, approver?: string): Tool {
  return tool({
    description,
    inputSchema: schemaOf(schema),
    execute: (input, { toolCallId, abortSignal, messages }): AsyncIterable<KitOutput> => {
      const key = askedKey(messages, toolCallId);
      const approval = key === undefined ? undefined : approvalFor(key, approverOf(session, approver));
      return streamKitTool(session, name, input, { signal: abortSignal, approval });
    },
    toModelOutput: ({ output: { ok, text } }) => ({ type: ok ? "text" : "error-text", value: text }),
  });
}

/** The JSON Schema is written once: the AI SDK would convert a zod schema again in every step. */
function schemaOf(schema: KitTool["schema"]): Schema<unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
  // Draft 7 is the dialect of the type.
  return jsonSchema(json as JSONSchema7, {
    validate: (value) => {
      const { success, data, error } = schema.safeParse(value);
      return success ? { success, value: data } : { success, error };
    },
  });
}

/** A blocked call fails with the reason and the way out, which the AI SDK passes to the model. */
function explainedGuard(session: Session): ToolGuard {
  return {
    toolContext: () => session.toolContext(),
    guard: async (...call) => {
      const verdict = await session.guard(...call);
      if (verdict.verdict !== "blocked") return verdict;
      return { ...verdict, message: `${verdict.message} ${verdict.hint}` };
    },
  };
}

async function approvalOf(
  session: Session,
  hosts: ToolSet,
  { toolCall, messages }: AiToolCall,
): Promise<ToolApprovalStatus> {
  const { toolName, toolCallId, input } = toolCall;
  const host = Object.hasOwn(hosts, toolName) ? hosts[toolName] : undefined;
  if (host !== undefined) {
    if (host.execute !== undefined) return undefined;
    const verdict = await guardCall(session, toolName, input);
    return verdict.isBlocked ? { type: "denied", reason: verdict.text } : undefined;
  }
  const question = await questionOf(session, toolName, input);
  if (question === undefined) return undefined;
  const asked = askedKey(messages, toolCallId);
  // Asked again on resume: an approval for earlier content is void.
  if (asked !== undefined && asked !== question.key)
    return { type: "denied", reason: "The skill changed after the approval. Call the tool again." };
  return { type: "user-approval", reason: `${question.reason} [${question.key}]` };
}

/** The key of the request that the user answered. The messages carry it, so it survives a restart. */
function askedKey(messages: readonly ModelMessage[], toolCallId: string): string | undefined {
  for (const { role, content } of messages) {
    if (role !== "assistant" || typeof content === "string") continue;
    for (const part of content)
      if (part.type === "tool-approval-request" && part.toolCallId === toolCallId)
        return /\[(sha256:[0-9a-f]{64})\]$/.exec(part.reason ?? "")?.[1];
  }
  return undefined;
}
