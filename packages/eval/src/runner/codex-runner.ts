import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Usage } from "../model/usage.ts";
import type { ClientOptions } from "./claude-runner.ts";
import { parseLine, runLines } from "./line-process.ts";
import {
  addUsage,
  noUsage,
  type Runner,
  type RunnerEvent,
  type RunnerRequest,
  type RunnerResult,
} from "./runner.ts";
import { mentionedScript, mentionedSkill } from "./skill-mention.ts";

export interface CodexOptions extends Omit<ClientOptions, "allowedTools"> {
  /** Settings as `codex -c` takes them, such as another model provider. */
  readonly config?: readonly string[];
}

/** Codex, headless, with the skills in `.agents/skills` of a HOME of its own. */
export function codexRunner({ program, model, env, config = [] }: CodexOptions): Runner {
  return {
    id: "codex",
    model: model ?? "default",
    run: async (request) => {
      layOutSkills(request);
      const stream = new CodexStream(request);
      const end = await runLines({
        argv: [
          program,
          "exec",
          "--json",
          "--skip-git-repo-check",
          "--sandbox",
          "workspace-write",
          // The temporary folder holds the other trials.
          ...["slash_tmp", "tmpdir_env_var"].flatMap((name) => [
            "-c",
            `sandbox_workspace_write.exclude_${name}=true`,
          ]),
          ...config.flatMap((setting) => ["-c", setting]),
          ...(model === undefined ? [] : ["-m", model]),
          "--",
          request.prompt,
        ],
        env: {
          PATH: process.env["PATH"] ?? "/usr/bin:/bin",
          ...env,
          HOME: request.home,
          CODEX_HOME: makeFolder(join(request.home, ".codex")),
        },
        cwd: request.work,
        onLine: (line) => stream.read(line),
        signal: request.signal,
      });
      return stream.result(end);
    },
  };
}

/** Contract: the skills folder is the trial's own, and is moved. */
function layOutSkills({ skills, home }: RunnerRequest): void {
  if (skills === undefined) return;
  makeFolder(join(home, ".agents"));
  renameSync(skills, join(home, ".agents/skills"));
}

function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

/** Codex goes on without a sandbox program, and then every command fails, which would pass for a no. */
const BROKEN_SANDBOX = /Refusing to create helper binaries|codex-linux-sandbox: No such file/;
const BROKEN_MESSAGE = "The client's sandbox does not start; its HOME must not be in the temporary folder.";

const itemSchema = z.object({
  id: z.string().optional(),
  type: z.string(),
  text: z.string().optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  exit_code: z.number().nullish(),
  aggregated_output: z.string().nullish(),
  message: z.string().optional(),
});

const usageSchema = z.object({
  input_tokens: z.number().nullish(),
  cached_input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
});

/** The whole output of a run, read line by line. */
class CodexStream {
  readonly #request: RunnerRequest;
  readonly #events: RunnerEvent[] = [];
  #usage: Usage = noUsage;
  #text = "";
  #turns = 0;
  #isCompleted = false;
  #failure: string | undefined;
  #isBroken = false;

  constructor(request: RunnerRequest) {
    this.#request = request;
  }

  /** Answers true once the verdict is known. */
  read(line: string): boolean {
    const fields = parseLine(line);
    switch (fields?.["type"]) {
      case "item.completed":
        this.#readItem(itemSchema.safeParse(fields["item"]).data);
        break;
      case "turn.completed":
        this.#isCompleted = true;
        this.#readUsage(usageSchema.safeParse(fields["usage"]).data);
        break;
      case "turn.failed":
      case "error":
        this.#failure = JSON.stringify(fields["error"] ?? fields["message"] ?? fields);
        break;
      default:
        break;
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
    const isBroken = this.#isBroken || BROKEN_SANDBOX.test(errors);
    const isDone = !isBroken && (isStopped || (this.#isCompleted && code === 0));
    const reason =
      (isBroken ? BROKEN_MESSAGE : this.#failure) ??
      (errors.trim() || `The program ended with exit code ${code} and without a turn.`);
    return {
      outcome: isDone ? "done" : "error",
      ...(isDone ? {} : { message: `codex: ${reason}` }),
      events: this.#events,
      output: this.#text,
      usage: this.#usage,
      turns: this.#turns,
    };
  }

  #readItem(item: z.output<typeof itemSchema> | undefined): void {
    if (item === undefined || item.type === "reasoning" || item.type === "error") return;
    this.#turns += 1;
    if (item.type === "agent_message") {
      this.#text = item.text ?? this.#text;
      return;
    }
    const command = Array.isArray(item.command) ? item.command.join(" ") : (item.command ?? "");
    if (BROKEN_SANDBOX.test(item.aggregated_output ?? "")) this.#isBroken = true;
    // Codex brings skills of its own, which may have the same ids.
    const words = command.replaceAll(/\S*\/\.system\/\S*/g, "");
    const isRead = item.exit_code === 0;
    const read = isRead ? mentionedSkill(words, this.#request.skillIds) : undefined;
    const script = mentionedScript(words, this.#request.skillIds);
    const exit = typeof item.exit_code === "number" ? { exitCode: item.exit_code } : {};
    this.#events.push({
      tool: item.type,
      input: item,
      ...(read === undefined ? {} : { skillRead: read }),
      ...(script === undefined ? {} : { scriptRun: { ...script, ...exit } }),
    });
  }

  #readUsage(usage: z.output<typeof usageSchema> | undefined): void {
    this.#usage = addUsage(this.#usage, {
      input: usage?.input_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
      cached: usage?.cached_input_tokens ?? 0,
    });
  }
}
