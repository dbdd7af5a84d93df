import { memoryApprovals } from "@skillhold/core/approval";
import { type FolderLibrary, openLibrary } from "@skillhold/core/library";
import type { RunPorts, Sandbox } from "@skillhold/core/run";
import {
  type AgentTool,
  callSkillTool,
  openSession,
  type Session,
  skillTools,
  systemPorts,
  type ToolResult,
} from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { openRunner } from "@skillhold/sandbox/run";
import { type ChatMessage, type Model, ModelFailure, type ToolCall } from "../model/model.ts";
import type { TokenUsage } from "../model/usage.ts";
import {
  addUsage,
  noUsage,
  type Runner,
  type RunnerEvent,
  type RunnerRequest,
  type RunnerResult,
} from "./runner.ts";
import { WorkFolder } from "./work-folder.ts";
import { workTools } from "./work-tool.ts";

export interface LoopOptions {
  /** Names the runner in reports; `loop` by default. */
  readonly id?: string;
  /** Where scripts of skills run. Without it the agent has no tool to run them. */
  readonly sandbox?: Sandbox;
}

const REPLY_TOKENS = 8192;
const RUNTIME = "skillhold-eval";
const WORK_MOUNT = "/mnt/work";

/** An agent of our own: a model, the skill tools of a session, and tools for its work folder. */
export function loopRunner(model: Model, { id = "loop", sandbox }: LoopOptions = {}): Runner {
  return {
    id,
    model: model.name,
    isReadOnly: true,
    run: async (request) => {
      const agent = new LoopAgent(model, request);
      try {
        return await withSkills(request, sandbox, (skills) => agent.work(skills));
      } catch (error) {
        if (error instanceof ModelFailure) return agent.result("error", error.message);
        // The report keeps the events before a timeout.
        if (request.signal.aborted) return agent.result("error", "The run was aborted.");
        throw error;
      }
    },
  };
}

interface AgentSkills {
  readonly session: Session;
  readonly canRun: boolean;
}

async function withSkills<T>(
  { skills, work }: RunnerRequest,
  sandbox: Sandbox | undefined,
  use: (skills: AgentSkills | undefined) => Promise<T>,
): Promise<T> {
  if (skills === undefined) return await use(undefined);
  let library: FolderLibrary | undefined;
  let session: Session | undefined;
  try {
    const host = nodeHost({ env: {}, platform: process.platform, cwd: work });
    const source = { label: "eval", kind: "workspace", trust: "user", root: skills } as const;
    library = await openLibrary({ sources: [source], host });
    const runs = sandbox === undefined ? {} : { runs: trialRuns(sandbox, work) };
    session = await openSession(library, { runtime: RUNTIME }, { ...systemPorts(), ...runs });
    return await use({ session, canRun: sandbox !== undefined });
  } finally {
    await session?.close();
    await library?.close();
  }
}

/**
 * Scripts see only the work folder. A user who starts an eval with a sandbox approves that much; a run that asks for
 * more is refused.
 */
function trialRuns(sandbox: Sandbox, work: string): RunPorts {
  const mounts = [{ source: work, target: WORK_MOUNT, isWritable: true }];
  return {
    runner: openRunner,
    sandbox,
    approvals: memoryApprovals(),
    grant: () => ({ mounts }),
    asker: {
      ask: async ({ network, mounts: asked, secrets }) => {
        const isConfined =
          network === "none" && secrets.length === 0 && asked.every(({ source }) => source === work);
        return isConfined ? { answer: "approve", scope: "once", by: "eval" } : { answer: "deny", by: "eval" };
      },
    },
  };
}

class LoopAgent {
  readonly #model: Model;
  readonly #request: RunnerRequest;
  readonly #events: RunnerEvent[] = [];
  #usage: TokenUsage = noUsage;
  #turns = 0;
  #output = "";

  constructor(model: Model, request: RunnerRequest) {
    this.#model = model;
    this.#request = request;
  }

  async work(skills: AgentSkills | undefined): Promise<RunnerResult> {
    const { prompt, limits, signal, stopAfterRead } = this.#request;
    const tools = [
      ...(skills === undefined ? [] : skillTools(skills.session)),
      ...workTools(new WorkFolder(this.#request.work)),
    ];
    const system = await systemPrompt(skills, prompt, this.#model.name);
    const messages: ChatMessage[] = [{ role: "user", text: prompt }];
    while (this.#turns < limits.maxTurns && this.#usage.input + this.#usage.output < limits.maxTokens) {
      signal.throwIfAborted();
      this.#turns += 1;
      const turn = { system, messages, tools: tools.map(toSpec), maxTokens: REPLY_TOKENS };
      const { text, calls, usage } = await this.#model.complete(turn, signal);
      this.#usage = addUsage(this.#usage, usage);
      if (text !== "") this.#output = text;
      if (calls.length === 0) return this.result("done");
      messages.push({ role: "assistant", text, calls });
      messages.push({ role: "tool", results: await this.#answer(calls, tools) });
      if (this.#events.some(({ skillRead }) => skillRead === stopAfterRead && skillRead !== undefined))
        return this.result("done");
    }
    return this.result("done", `The agent was stopped after ${this.#turns} turns.`);
  }

  result(outcome: "done" | "error", message?: string): RunnerResult {
    return {
      outcome,
      ...(message === undefined ? {} : { message }),
      events: this.#events,
      output: this.#output,
      usage: this.#usage,
      turns: this.#turns,
    };
  }

  async #answer(calls: readonly ToolCall[], tools: readonly AgentTool[]) {
    const results = [];
    for (const { id, name, input } of calls) {
      const result = await callSkillTool(tools, name, input, { signal: this.#request.signal });
      this.#events.push({ tool: name, input, ...meaningOf(name, input, result) });
      results.push({ id, name, text: result.text, isError: !result.ok });
    }
    return results;
  }
}

function toSpec({ name, description, inputSchema }: AgentTool) {
  return { name, description, inputSchema };
}

/** Only a skill that was activated was read. */
function meaningOf(tool: string, input: unknown, result: ToolResult): Partial<RunnerEvent> {
  const field = (key: string): string => {
    const value: unknown = typeof input === "object" && input !== null ? Reflect.get(input, key) : undefined;
    return typeof value === "string" ? value : "";
  };
  const skill = field("skill_id");
  if (skill === "" || !result.ok) return {};
  if (tool === "read_skill" || tool === "skills.read") return { skillRead: skill };
  if (tool !== "run_skill_script" && tool !== "skills.run_script") return {};
  const exitCode: unknown = Reflect.get(Object(result.data), "exitCode");
  const script = field("script");
  return { scriptRun: { skill, script, ...(typeof exitCode === "number" ? { exitCode } : {}) } };
}

const INTRODUCTION = `You are an agent. Complete the user's task on your own: no one answers questions.
Your work folder holds the user's files; paths are relative to it. Write results there with write_file.
When you are done, answer with a short final message.`;

async function systemPrompt(skills: AgentSkills | undefined, task: string, model: string): Promise<string> {
  if (skills === undefined) return INTRODUCTION;
  const { text } = await skills.session.catalogue({ task, model });
  const scripts = skills.canRun
    ? `\nScripts of skills see the work folder as ${WORK_MOUNT}: pass paths such as ${WORK_MOUNT}/report.pdf, and let them write there.`
    : "";
  return `${INTRODUCTION}${scripts}\n\n${text}`;
}
