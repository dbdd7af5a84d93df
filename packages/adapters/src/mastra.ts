import { AsyncLocalStorage } from "node:async_hooks";
import type { InputProcessor } from "@mastra/core/processors";
import type { RequestContext } from "@mastra/core/request-context";
import { createTool } from "@mastra/core/tools";
import type { GuardedCall } from "@skillhold/core/session";
import { z } from "zod";
import {
  answered,
  guardCall,
  type KitOutput,
  type KitTool,
  kitToolsOf,
  PromptWriter,
  questionOf,
  type SessionProvider,
  sessionOf,
  streamKitTool,
} from "./skill-kit.ts";

/** The runtime's name in the `runtime` field of a skill. */
export function name(): string {
  return "mastra";
}

/** The part of Mastra's contexts by which a session can be found. */
export interface MastraCaller {
  readonly requestContext?: RequestContext | undefined;
}

export interface MastraSkillsOptions<Tools extends Readonly<Record<string, object>>> {
  /** The agent's own tools. All of them are guarded. */
  readonly tools?: Tools;
}

/** Settings of `Agent`. */
export interface MastraSkills<Tools> {
  readonly tools: Tools & Record<string, ReturnType<typeof skillTool>>;
  /** Adds the current catalogue to the system prompt of each step. */
  readonly inputProcessors: InputProcessor[];
}

/**
 * Gives a Mastra agent skills: `new Agent({ id, name, instructions, model, ...mastraSkills(session) })`. Code of a skill
 * that needs an approval suspends the run with a `SkillQuestion`; resume with
 * `agent.resumeGenerate(approve(question, "ada"), { runId, toolCallId })`.
 */
export function mastraSkills<Tools extends Readonly<Record<string, object>> = Record<never, never>>(
  source: SessionProvider<MastraCaller>,
  options: MastraSkillsOptions<Tools> = {},
): MastraSkills<Tools> {
  const own = kitToolsOf(source).map((each) => [each.name, skillTool(source, each)]);
  const hosts = Object.entries(options.tools ?? {}).map(([id, host]) => [id, guarded(source, id, host)]);
  return {
    // Guarding keeps the names and the types of the tools.
    tools: { ...(Object.fromEntries(hosts) as Tools), ...Object.fromEntries(own) },
    inputProcessors: [catalogueProcessor(source)],
  };
}

function catalogueProcessor(source: SessionProvider<MastraCaller>): InputProcessor {
  const prompt = new PromptWriter();
  return {
    id: "skillhold",
    processInputStep: async ({ systemMessages, requestContext, state }) => {
      const content = await prompt.write(await sessionOf(source, { requestContext }));
      const others = systemMessages.filter((message) => message.content !== state["catalogue"]);
      state["catalogue"] = content;
      return { systemMessages: content === "" ? others : [...others, { role: "system", content }] };
    },
  };
}

/** Mastra passes a tool no more than its own arguments, so the context of the call goes along with the call itself. */
const calls = new AsyncLocalStorage<GuardedCall>();

/** The context of the running call of a guarded tool: the session and its active skills. */
export function skillCall(): GuardedCall | undefined {
  return calls.getStore();
}

/** A blocked call fails with the reason, which Mastra passes to the model. */
function guarded(source: SessionProvider<MastraCaller>, id: string, host: object): object {
  const original: unknown = Reflect.get(host, "execute");
  if (typeof original !== "function") return host;
  const value = async (input: unknown, context: MastraCaller) => {
    const verdict = await guardCall(await sessionOf(source, context), id, input);
    if (verdict.isBlocked) throw new Error(verdict.text);
    return await calls.run(verdict.call, async () => await Reflect.apply(original, host, [input, context]));
  };
  return Object.create(host, { execute: { value, enumerable: true } });
}

const question = z.object({ type: z.string(), key: z.string(), reason: z.string(), request: z.unknown() });
const answer = z.object({ approve: z.boolean(), key: z.string(), by: z.string() });

function skillTool(source: SessionProvider<MastraCaller>, { name, description, schema }: KitTool) {
  return createTool({
    id: name,
    description,
    inputSchema: schema,
    suspendSchema: question,
    resumeSchema: answer,
    execute: async (input, context) => {
      const session = await sessionOf(source, context);
      const { agent, abortSignal: signal, writer } = context;
      const asked = await questionOf(session, name, input);
      if (asked !== undefined && agent !== undefined && agent.resumeData === undefined)
        return await agent.suspend(asked);
      const options = { signal, ...(asked === undefined ? {} : answered(agent?.resumeData)) };
      let last: KitOutput | undefined;
      for await (const output of streamKitTool(session, name, input, options)) {
        if ("isPartial" in output) await writer?.write({ type: "skillhold.output", text: output.text });
        last = output;
      }
      return last?.text;
    },
  });
}
