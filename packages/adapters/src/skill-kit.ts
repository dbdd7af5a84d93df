import {
  type ApprovalRequest,
  exactText,
  type GivenApproval,
  summarizeRequest,
} from "@skillhold/core/approval";
import type { Clearance } from "@skillhold/core/run";
import {
  answerTool,
  callDeclaredTool,
  callSkillTool,
  type GuardedCall,
  type Session,
  skillTools,
  succeedTool,
  type ToolResult,
  type ToolRunOptions,
} from "@skillhold/core/session";
import type { Digest } from "@skillhold/protocol";
import { z } from "zod";

/** A session, or a function that finds the session of a call: an agent is often made once and serves many users. */
export type SessionProvider<Context> = Session | ((context: Context) => Session | Promise<Session>);

export async function sessionOf<Context>(
  source: SessionProvider<Context>,
  context: Context,
): Promise<Session> {
  return typeof source === "function" ? await source(context) : source;
}

/** A skill tool in no framework's form. */
export interface KitTool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  /** Whether it runs code of a skill, which may need an approval. */
  readonly runsCode: boolean;
}

const callInput = z.strictObject({
  skill_id: z.string().min(1).max(128).describe("The exact skill id from the catalogue."),
  tool: z.string().min(1).max(128).optional().describe("The tool's name. Omit it to list the skill's tools."),
  input: z.record(z.string(), z.unknown()).optional().describe("The input, as the tool's schema says."),
});

const scriptInput = z.object({
  skill_id: z.string(),
  script: z.string(),
  args: z.array(z.string()).optional(),
  stdin: z.string().optional(),
});

const callTool: KitTool = {
  name: "call_skill_tool",
  description:
    "Call a tool that a skill declares, or list these tools with their inputs. A person may have to approve it.",
  schema: callInput,
  runsCode: true,
};

/** The abilities of a session that decide which tools it has. */
type Abilities = Pick<Session, "canRun" | "canPublish"> & {
  readonly proposals: Pick<Session["proposals"], "canPromote" | "isPossible">;
};

/** The skill tools of a session, and one tool for all tools that skills declare: most frameworks fix the list early. */
export function kitTools(session: Abilities): readonly KitTool[] {
  // Until a tool runs, `skillTools` reads only the abilities.
  const tools = skillTools(session as Session).map(({ name, description, schema }) => {
    return { name, description, schema, runsCode: name === "run_skill_script" };
  });
  return session.canRun ? [...tools, callTool] : tools;
}

/** The tools for a session that is found per call. A call that its session cannot do returns the reason. */
export function kitToolsOf(source: SessionProvider<never>): readonly KitTool[] {
  const proposals = { isPossible: false, canPromote: false };
  return kitTools(typeof source === "function" ? { canRun: true, canPublish: false, proposals } : source);
}

/** Runs a skill tool. Failures are results; only a bug throws. */
export function runKitTool(
  session: Session,
  name: string,
  input: unknown,
  call: ToolRunOptions = {},
): Promise<ToolResult> {
  if (name !== callTool.name) return callSkillTool(skillTools(session), name, input, call);
  return answerTool(async () => {
    const { skill_id, tool, input: args = {} } = callInput.parse(input);
    if (tool !== undefined) return await callDeclaredTool(session, skill_id, tool, args, call);
    return await listDeclared(session, skill_id, call);
  });
}

async function listDeclared(session: Session, id: string, call: ToolRunOptions): Promise<ToolResult> {
  const { tools, problems } = await session.tools(id, call);
  const lines = [
    ...tools.map(
      ({ name, description, inputSchema }) => `${name}: ${description}\n${JSON.stringify(inputSchema)}`,
    ),
    ...problems.map(({ file, message }) => `${file} has no tools: ${message}`),
  ];
  return succeedTool(lines.length === 0 ? `The skill ${id} declares no tools.` : lines.join("\n"), tools);
}

/** Whether a call could run now. Writes no record. Undefined for a tool that runs no skill code. */
export async function clearKitCall(
  session: Session,
  name: string,
  input: unknown,
): Promise<Clearance | undefined> {
  if (name === callTool.name) {
    const parsed = callInput.safeParse(input);
    if (!parsed.success) return undefined;
    const { skill_id, tool, input: args = {} } = parsed.data;
    return await session.clearance(skill_id, tool === undefined ? { list: "tools" } : { tool }, args);
  }
  if (name !== "run_skill_script") return undefined;
  const parsed = scriptInput.safeParse(input);
  if (!parsed.success) return undefined;
  const { skill_id, script, args = [], stdin } = parsed.data;
  const base = `skill://${skill_id}/`;
  const path = script.startsWith(base) ? script.slice(base.length) : script;
  return await session.clearance(
    skill_id,
    { script: path },
    { args, ...(stdin === undefined ? {} : { stdin }) },
  );
}

/** A question for a person, as plain JSON. */
export interface SkillQuestion {
  readonly type: "skillhold.approval";
  /** Binds the answer to this content and this call. */
  readonly key: Digest;
  readonly reason: string;
  readonly request: ApprovalRequest;
}

/** A person's answer to a `SkillQuestion`. */
export interface SkillAnswer {
  readonly approve: boolean;
  readonly key: string;
  readonly by: string;
}

/** The question that must be answered before a call can run; undefined when it can run or fail at once. */
export async function questionOf(
  session: Session,
  name: string,
  input: unknown,
): Promise<SkillQuestion | undefined> {
  const clearance = await clearKitCall(session, name, input);
  if (clearance?.verdict !== "ask") return undefined;
  const { request, key } = clearance;
  return { type: "skillhold.approval", key, reason: reasonOf(request), request };
}

/** The answer that lets the call run. */
export function approve(question: { readonly key: string }, by: string): SkillAnswer {
  return { approve: true, key: question.key, by };
}

/** The answer that refuses the call. */
export function refuse(question: { readonly key: string }, by: string): SkillAnswer {
  return { approve: false, key: question.key, by };
}

function reasonOf(request: ApprovalRequest): string {
  const { args, decision } = request;
  const words = args.length === 0 ? "" : ` with ${args.map(exactText).join(" ")}`;
  return `Allow the agent to ${summarizeRequest(request)}${words}? ${decision.reason}`;
}

const answerShape = z.object({ approve: z.boolean(), key: z.string(), by: z.string().min(1) });

/** The run options for an answer from a wire. A refusal is recorded; an answer to another question is no approval. */
export function answered(answer: unknown): Pick<ToolRunOptions, "approval" | "asker"> {
  const parsed = answerShape.safeParse(answer);
  if (!parsed.success) return { asker: { ask: () => Promise.reject(new Error("The answer is invalid.")) } };
  const { approve: isApproved, key, by } = parsed.data;
  if (isApproved) return { approval: approvalFor(key, by) };
  return { asker: { ask: () => Promise.resolve({ answer: "deny", by }) } };
}

export function approvalFor(key: string, by: string): GivenApproval {
  // A key in another form matches no request.
  return { key: key as Digest, by };
}

/** Who approves when the framework names no person. */
export function approverOf(session: Session, approver?: string): string {
  return approver ?? session.viewer.user ?? "the user of the agent";
}

export type GuardVerdict =
  | { readonly isBlocked: true; readonly text: string }
  | { readonly isBlocked: false; readonly call: GuardedCall };

/** Judges a call of a tool that is not the adapter's own. A blocked call is recorded. */
export async function guardCall(session: Session, tool: string, input: unknown): Promise<GuardVerdict> {
  const verdict = await session.guard(tool, input);
  if (verdict.verdict === "blocked") return { isBlocked: true, text: `${verdict.message} ${verdict.hint}` };
  const argv = "argv" in verdict ? verdict.argv : undefined;
  return { isBlocked: false, call: { ...session.toolContext(), ...(argv === undefined ? {} : { argv }) } };
}

/** Writes the host's instructions and the catalogue or the composed prompt. The text changes only when these do. */
export class PromptWriter {
  readonly #own: string;
  readonly #last = new WeakMap<Session, { readonly digest: Digest; readonly text: string }>();

  constructor(own = "") {
    this.#own = own;
  }

  async write(session: Session): Promise<string> {
    const composed = await session.composedPrompt();
    if (composed !== undefined) return this.#join(composed);
    const { digest, text } = await session.catalogue();
    const last = this.#last.get(session);
    if (last?.digest === digest) return last.text;
    const whole = this.#join(text);
    this.#last.set(session, { digest, text: whole });
    return whole;
  }

  #join(text: string): string {
    return [this.#own, text].filter((part) => part !== "").join("\n\n");
  }
}

/** Output of a call: parts while it runs, then the result. */
export type KitOutput = ToolResult | { readonly ok: true; readonly text: string; readonly isPartial: true };

/** Runs a skill tool and yields the output so far each time a script writes some, then the result. */
export async function* streamKitTool(
  session: Session,
  name: string,
  input: unknown,
  call: ToolRunOptions,
): AsyncGenerator<KitOutput> {
  let text = "";
  let shown = "";
  let wake = Promise.withResolvers<void>();
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const onOutput: NonNullable<ToolRunOptions["onOutput"]> = (stream, chunk) => {
    text += decoders[stream].decode(chunk, { stream: true });
    wake.resolve();
  };
  const running = runKitTool(session, name, input, { ...call, onOutput });
  const ended = running.then(
    () => true,
    () => true,
  );
  for (;;) {
    const isEnded = await Promise.race([ended, wake.promise.then(() => false)]);
    if (isEnded) break;
    wake = Promise.withResolvers();
    if (text !== shown) {
      shown = text;
      yield { ok: true, text, isPartial: true };
    }
  }
  yield await running;
}

const asked = new WeakMap<Session, Map<string, string>>();

/** The keys of a session's questions by call id, for frameworks whose saved state has no room for them. */
export function askedKeys(session: Session): Map<string, string> {
  const keys = asked.get(session) ?? new Map<string, string>();
  asked.set(session, keys);
  return keys;
}

/** The open questions of a session, to save beside the framework's state and `session.snapshot()`. */
export function saveQuestions(session: Session): Readonly<Record<string, string>> {
  return Object.fromEntries(askedKeys(session));
}

/** Restores saved questions, so that their answers count in another process. Without them, a run asks again. */
export function restoreQuestions(session: Session, saved: Readonly<Record<string, string>>): void {
  const keys = askedKeys(session);
  for (const [call, key] of Object.entries(saved)) keys.set(call, key);
}
