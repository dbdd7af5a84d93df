import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseLine, runLines } from "./line-process.ts";
import { noUsage, type Runner, type RunnerEvent, type RunnerRequest, type RunnerResult } from "./runner.ts";
import { mentionedScript, mentionedSkill } from "./skill-mention.ts";

export interface ClientOptions {
  /** The client's program, absolute. */
  readonly program: string;
  readonly model?: string;
  /** Variables for the program, such as its key. The program inherits PATH only. */
  readonly env: Readonly<Record<string, string>>;
  /** Tools that the agent may use beside those for skills and files, such as `Bash`. */
  readonly allowedTools?: readonly string[];
}

const TOOLS: readonly string[] = ["Skill", "Read", "Glob", "Grep", "Write", "Edit"];

/** Claude Code, headless, with the skills as personal ones in a HOME of its own. */
export function claudeRunner({ program, model, env, allowedTools = [] }: ClientOptions): Runner {
  return {
    id: "claude",
    model: model ?? "default",
    run: async (request) => {
      layOutSkills(request);
      const stream = new ClaudeStream(request);
      const end = await runLines({
        argv: [
          program,
          "-p",
          request.prompt,
          "--output-format",
          "stream-json",
          "--verbose",
          "--max-turns",
          String(request.limits.maxTurns),
          "--setting-sources",
          "user",
          "--strict-mcp-config",
          "--permission-mode",
          "acceptEdits",
          "--allowedTools",
          [...TOOLS, ...allowedTools].join(","),
          ...(model === undefined ? [] : ["--model", model]),
        ],
        env: {
          PATH: process.env["PATH"] ?? "/usr/bin:/bin",
          ...env,
          HOME: request.home,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
        },
        cwd: request.work,
        onLine: (line) => stream.read(line),
        signal: request.signal,
      });
      return stream.result(end);
    },
  };
}

/** Personal skills have plain names, unlike those of a plugin. Contract: the folder is the trial's own, and is moved. */
function layOutSkills({ home, skills }: RunnerRequest): void {
  if (skills === undefined) return;
  mkdirSync(join(home, ".claude"), { recursive: true });
  renameSync(skills, join(home, ".claude/skills"));
}

const initSchema = z.object({ skills: z.array(z.string()), tools: z.array(z.string()) });

const assistantSchema = z.object({
  message: z.object({
    content: z.array(
      z.union([
        z.object({ type: z.literal("tool_use"), name: z.string(), input: z.record(z.string(), z.unknown()) }),
        z.object({ type: z.literal("text"), text: z.string() }),
        z.object({ type: z.string() }).transform(() => ({ type: "other" as const })),
      ]),
    ),
  }),
});

const resultSchema = z.object({
  subtype: z.string(),
  is_error: z.boolean().optional(),
  result: z.string().optional(),
  num_turns: z.number().optional(),
  total_cost_usd: z.number().optional(),
  usage: z
    .object({
      input_tokens: z.number().nullish(),
      output_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
      cache_creation_input_tokens: z.number().nullish(),
    })
    .optional(),
});

/** The whole output of a run, read line by line. */
class ClaudeStream {
  readonly #request: RunnerRequest;
  readonly #events: RunnerEvent[] = [];
  #text = "";
  #turns = 0;
  #end: z.output<typeof resultSchema> | undefined;
  #missing: string | undefined;

  constructor(request: RunnerRequest) {
    this.#request = request;
  }

  /** Answers true once the verdict is known. */
  read(line: string): boolean {
    const fields = parseLine(line);
    if (fields?.["subtype"] === "init") this.#missing = this.#findMissing(initSchema.safeParse(fields).data);
    if (fields?.["type"] === "result") this.#end = resultSchema.safeParse(fields).data ?? this.#end;
    if (fields?.["type"] !== "assistant") return false;
    this.#turns += 1;
    for (const block of assistantSchema.safeParse(fields).data?.message.content ?? []) {
      if (block.type === "text") this.#text = block.text;
      if (block.type === "tool_use") this.#events.push(this.#eventOf(block.name, block.input));
    }
    const { stopAfterRead } = this.#request;
    return stopAfterRead !== undefined && this.#events.some(({ skillRead }) => skillRead === stopAfterRead);
  }

  result({
    code,
    isStopped,
    errors,
  }: {
    code: number | null;
    isStopped: boolean;
    errors: string;
  }): RunnerResult {
    const end = this.#end;
    const usage = end?.usage;
    const isCut = end?.subtype === "error_max_turns";
    const isOffered = this.#missing === undefined;
    const isDone =
      isOffered && (isStopped || isCut || (end !== undefined && end.is_error !== true && code === 0));
    const reason =
      this.#missing ||
      end?.result ||
      errors.trim() ||
      `The program ended with exit code ${code} and without a result.`;
    return {
      outcome: isDone ? "done" : "error",
      ...(isDone ? {} : { message: `claude: ${reason}` }),
      events: this.#events,
      output: end?.result ?? this.#text,
      usage:
        usage === undefined
          ? noUsage
          : {
              input:
                (usage.input_tokens ?? 0) +
                (usage.cache_creation_input_tokens ?? 0) +
                (usage.cache_read_input_tokens ?? 0),
              output: usage.output_tokens ?? 0,
              cached: usage.cache_read_input_tokens ?? 0,
            },
      turns: end?.num_turns ?? this.#turns,
      ...(end?.total_cost_usd === undefined ? {} : { costUsd: end.total_cost_usd }),
    };
  }

  /** A skill that the client does not offer cannot be read, so that its absence would pass for a no. */
  #findMissing(init: z.output<typeof initSchema> | undefined): string | undefined {
    const { skillIds } = this.#request;
    if (skillIds.length === 0 || init === undefined) return undefined;
    if (!init.tools.includes("Skill")) return "The client offers no Skill tool.";
    const lost = skillIds.filter((id) => !init.skills.includes(id));
    return lost.length === 0 ? undefined : `The client does not offer ${lost.join(", ")}.`;
  }

  #eventOf(tool: string, input: Readonly<Record<string, unknown>>): RunnerEvent {
    const ids = this.#request.skillIds;
    const name = String(input["skill"] ?? input["command"] ?? "").replace(/^\//, "");
    const path =
      tool === "Read"
        ? String(input["file_path"] ?? "")
        : tool === "Bash"
          ? String(input["command"] ?? "")
          : "";
    const read = tool === "Skill" ? ids.find((id) => id === name) : mentionedSkill(path, ids);
    const script = tool === "Bash" ? mentionedScript(path, ids) : undefined;
    return {
      tool,
      input,
      ...(read === undefined ? {} : { skillRead: read }),
      ...(script === undefined ? {} : { scriptRun: script }),
    };
  }
}
