import {
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  type Options,
  tool,
} from "@anthropic-ai/claude-agent-sdk";
import type { Session } from "@skillhold/core/session";
import {
  approvalFor,
  approverOf,
  guardCall,
  type KitTool,
  kitTools,
  PromptWriter,
  questionOf,
  runKitTool,
} from "./skill-kit.ts";

/** The runtime's name in the `runtime` field of a skill. */
export function name(): string {
  return "claude-agent-sdk";
}

/** All names that fit: the SDK runs Claude Code. */
export function names(): readonly string[] {
  return [name(), "claude-code"];
}

export interface ClaudeSkillsOptions {
  /** Added to Claude Code's own system prompt, before the catalogue. */
  readonly append?: string;
  /** The host's dialog. Its yes to a call of a skill's code is the approval. Without it, the session's asker is asked. */
  readonly canUseTool?: CanUseTool;
  /** Ends running scripts together with the query. */
  readonly abortController?: AbortController;
  /** Who approves, for the record. Default: the user of the session. */
  readonly approver?: string;
}

/** Settings of `query`. */
export type ClaudeSkills = Pick<Options, "canUseTool" | "abortController"> &
  Required<Pick<Options, "systemPrompt" | "mcpServers" | "allowedTools" | "hooks">>;

const SERVER = "skillhold";
const PREFIX = `mcp__${SERVER}__`;

/**
 * Gives an agent of the Claude Agent SDK the skills of a session: `query({ prompt, options: await claudeSkills(session) })`.
 * The guard is a hook before every tool, Claude Code's own and those of its subagents included.
 */
export async function claudeSkills(
  session: Session,
  options: ClaudeSkillsOptions = {},
): Promise<ClaudeSkills> {
  const { canUseTool, abortController } = options;
  const tools = kitTools(session);
  const approved = new Set<string>();
  const prompt = new PromptWriter(options.append);
  const catalogue = await prompt.write(session);
  const news = { hooks: [catalogueNews(session, catalogue, prompt)] };
  // The dialog is not asked about allowed tools; `withApproval` allows those that run no code of a skill.
  const allowed = canUseTool === undefined ? tools : [];
  return {
    systemPrompt: { type: "preset", preset: "claude_code", append: catalogue },
    mcpServers: {
      [SERVER]: createSdkMcpServer({
        name: SERVER,
        tools: tools.map((each) => skillTool(session, each, approved, options)),
      }),
    },
    allowedTools: allowed.map((each) => `${PREFIX}${each.name}`),
    hooks: {
      PreToolUse: [{ hooks: [guardHook(session)], onFailure: "block" }],
      PostToolUse: [news],
      UserPromptSubmit: [news],
    },
    ...(canUseTool === undefined ? {} : { canUseTool: withApproval(session, canUseTool, approved) }),
    ...(abortController === undefined ? {} : { abortController }),
  };
}

function guardHook(session: Session): HookCallback {
  return async (input) => {
    if (input.hook_event_name !== "PreToolUse" || input.tool_name.startsWith(PREFIX)) return {};
    const verdict = await guardCall(session, input.tool_name, input.tool_input);
    if (!verdict.isBlocked) return {};
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: verdict.text,
      },
    };
  };
}

/** A query keeps its system prompt, so a changed catalogue follows as context of the next message or result. */
function catalogueNews(session: Session, first: string, prompt: PromptWriter): HookCallback {
  let last = first;
  return async (input) => {
    const event = input.hook_event_name;
    if (event !== "PostToolUse" && event !== "UserPromptSubmit") return {};
    const text = await prompt.write(session);
    if (text === last) return {};
    last = text;
    const additionalContext = `The list of skills changed. This list replaces the earlier one.\n${text}`;
    return { hookSpecificOutput: { hookEventName: event, additionalContext } };
  };
}

/** Asks the host's dialog about code of a skill, and remembers the request that it allowed. */
function withApproval(session: Session, ask: CanUseTool, approved: Set<string>): CanUseTool {
  return async (toolName, input, options) => {
    if (!toolName.startsWith(PREFIX)) return await ask(toolName, input, options);
    const name = toolName.slice(PREFIX.length);
    const question = await questionOf(session, name, input);
    if (question === undefined) return { behavior: "allow", updatedInput: input };
    const result = await ask(toolName, input, { ...options, decisionReason: question.reason });
    if (result?.behavior !== "allow") return result;
    const changed = await questionOf(session, name, result.updatedInput ?? input);
    if (changed?.key === question.key) approved.add(question.key);
    return result;
  };
}

function skillTool(
  session: Session,
  { name, description, schema }: KitTool,
  approved: Set<string>,
  { abortController, approver }: ClaudeSkillsOptions,
) {
  const handler = async (input: unknown, extra: unknown) => {
    const question = await questionOf(session, name, input);
    // Each yes is for one run.
    const isApproved = question !== undefined && approved.delete(question.key);
    const signals = [signalOf(extra), abortController?.signal].filter((each) => each !== undefined);
    const { ok, text } = await runKitTool(session, name, input, {
      signal: AbortSignal.any(signals),
      ...(isApproved ? { approval: approvalFor(question.key, approverOf(session, approver)) } : {}),
    });
    return { content: [{ type: "text" as const, text }], isError: !ok };
  };
  return tool(name, description, schema.shape, handler, { alwaysLoad: true });
}

function signalOf(extra: unknown): AbortSignal | undefined {
  if (typeof extra !== "object" || extra === null || !("signal" in extra)) return undefined;
  return extra.signal instanceof AbortSignal ? extra.signal : undefined;
}
